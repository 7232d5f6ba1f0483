import GatewayReports
import Glibc
import ReceiverProtocol
import StreamTransports

/// Checks files, folders and devices that the configuration names.
enum PathCheckup {
    /// Checks with a file whether this user can write the folder.
    static func stateDirectory(_ path: String) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { return wrongState("\(path): \(String(cString: strerror(errno)))") }
            return wrongState("\(path) is not there; run: sudo install -d -m 700 -o $USER \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return wrongState("\(path) is not a directory; set gateway.state_directory to one")
        }
        var name = Array("\(path)/.doctor-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            let error = errno
            let remedy = error == EACCES ? "run: sudo chown $USER \(path)" : "see df and mount"
            return wrongState("\(path) can't be written: \(String(cString: strerror(error))); \(remedy)")
        }
        defer {
            close(descriptor)
            unlink(name)
        }
        // On a full disk a file can be created but not written.
        let block = [UInt8](repeating: 0, count: 4096)
        guard write(descriptor, block, block.count) == block.count else {
            return wrongState("\(path) can't be written: \(String(cString: strerror(errno))); make room on that disk")
        }
        return storeFault(in: path) ?? Finding.ok("state", "\(path) can be written")
    }

    /// The group that may open the device.
    private static func group(of path: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0, let group = getgrgid(status.st_gid) else { return "dialout" }
        return String(cString: group.pointee.gr_name)
    }

    /// A run with sudo may have left files that the gateway's user can't write, in a folder that it can.
    private static func storeFault(in folder: String) -> Finding? {
        for name in ["gateway.sqlite", "gateway.sqlite-wal", "gateway.sqlite-shm", "gateway.sqlite.lock"] {
            let path = "\(folder)/\(name)"
            guard access(path, F_OK) == 0, access(path, R_OK | W_OK) != 0 else { continue }
            return wrongState(
                "\(path): \(String(cString: strerror(errno))); run: sudo chown --reference=\(folder) \(folder)/*")
        }
        return nil
    }

    /// Checks whether this user can open the terminal device, and whether a receiver sends there.
    /// - Parameter listens: how long to listen if nobody else uses it; nil to ask the device nothing.
    static func serialDevice(_ path: String, at baud: Int = 9600, listens: Duration? = nil) -> Finding {
        if let holder = CableHolder.find(path) {
            let who = "\(holder.name) (process \(holder.process))"
            return holder.isGateway
                ? Finding.ok("receiver", "\(path) is in use by the gateway (process \(holder.process))")
                : wrongDevice("\(path) is in use by \(who); stop that, or set receiver.device to another device")
        }
        // Without O_NONBLOCK, opening a modem line waits for the carrier.
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = errno
            let remedy =
                switch error {
                case EACCES: "run: sudo adduser $USER \(group(of: path)), and log in anew"
                case EISDIR: "set receiver.device to a device below /dev"
                case EBUSY: "another program has it; stop that"
                default: "is the receiver's cable plugged in? See ls /dev/serial/by-id"
                }
            return wrongDevice("\(path): \(String(cString: strerror(error))); \(remedy)")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, isatty(descriptor) == 1 else {
            return wrongDevice("\(path) is not a serial device; set receiver.device, see ls /dev/serial/by-id")
        }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            return Finding.note(
                "receiver",
                "\(path) is in use by a program that can't be seen from here; if that is not the gateway, stop it")
        }
        flock(descriptor, LOCK_UN)
        guard let listens else { return Finding.ok("receiver", "\(path) is a serial device and can be opened") }
        return heard(on: path, at: baud, within: listens)
    }

    private static func heard(on path: String, at baud: Int, within limit: Duration) -> Finding {
        do throws(TransportError) {
            switch try SerialTransport(device: path, baud: baud).listen(for: limit) {
            case .frames(let firmware):
                let known = firmware.map { "; " + Firmware.summary(of: $0) } ?? ""
                return Finding.ok("receiver", "sends frames on \(path)\(known)")
            case .restarts:
                return Finding.note(
                    "receiver",
                    "\(path): the receiver restarts before it sends a frame; check its power supply and its cable",
                    code: .receiverDevice)
            case .noFrame(let sample):
                let text = sample.isEmpty ? "" : " They begin: \(sample)"
                return Finding.note(
                    "receiver",
                    "\(path): bytes come at \(baud) baud, but no frame: is receiver.baud right, and is it the receiver?"
                        + text, code: .receiverDevice)
            case .nothing:
                return Finding.note(
                    "receiver", "\(path): no byte came in \(limit.components.seconds) s; is the receiver on?",
                    code: .receiverDevice)
            }
        } catch {
            return wrongDevice(error.detail)
        }
    }

    /// Checks whether this user can read the raw log.
    static func recording(_ path: String) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
            return wrongRecording("\(path): \(String(cString: strerror(errno))); set receiver.file to a raw log")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return wrongRecording("\(path) is not a plain file; set receiver.file to a raw log")
        }
        return Finding.ok("receiver", "\(path) can be read")
    }

    private static func wrongState(_ text: String) -> Finding { Finding.wrong("state", text) }
    private static func wrongDevice(_ text: String) -> Finding {
        Finding.wrong("receiver", text, code: .receiverDevice)
    }

    private static func wrongRecording(_ text: String) -> Finding {
        Finding.wrong("receiver", text, code: .receiverFile)
    }
}
