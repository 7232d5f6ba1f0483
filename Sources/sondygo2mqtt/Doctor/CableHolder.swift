import Foundation
import Glibc

/// The process that has a terminal device open or locked. To open the device, even for an instant, would restart the
/// board behind it (DTR), and for root the device's lock does not hold.
struct CableHolder: Equatable {
    var process: Int32
    /// The program's name.
    var name: String

    var isGateway: Bool { name == "sondygo2mqtt" }

    /// - Parameter device: its path. Nothing is opened.
    /// - Returns: nil if nobody is seen there. Only root sees the open devices of other users.
    static func find(_ device: String) -> CableHolder? {
        var status = stat()
        guard stat(device, &status) == 0, status.st_mode & S_IFMT == S_IFCHR, isTerminal(status.st_rdev)
        else { return nil }
        let real = target(of: device)
        let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
        let name = real.split(separator: "/").last ?? ""
        let others = [
            locker(in: locks, device: status.st_dev, inode: status.st_ino), lockFile("/run/lock/LCK..\(name)"),
            opener(of: real),
        ]
        return others.compactMap { $0 }.first { $0 != getpid() }.map { CableHolder(process: $0, name: program($0)) }
    }

    /// The device that a path leads to, for example by a symbolic link of udev; the path itself if nothing is there.
    static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// - Parameter locks: as in `/proc/locks`: `2: FLOCK  ADVISORY  WRITE 812 00:05:340 0 EOF`.
    static func locker(in locks: String, device: dev_t, inode: ino_t) -> Int32? {
        let (major, minor) = numbers(device)
        let place = String(format: "%02x:%02x:", major, minor) + "\(inode)"
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(where: { $0 == place }), index > 0,
                let process = Int32(words[index - 1]), process > 0
            else { continue }
            return process
        }
        return nil
    }

    /// glibc's `makedev`, in reverse.
    private static func numbers(_ device: dev_t) -> (major: Int, minor: Int) {
        (
            Int(device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000), Int(device & 0xFF | device >> 12 & 0xFFFF_FF00)
        )
    }

    /// The kernel's list of devices has no pseudo-terminals, but they have numbers of their own.
    private static func isTerminal(_ device: dev_t) -> Bool {
        let (major, minor) = numbers(device)
        return (136...143).contains(major)
            || destination(of: "/sys/dev/char/\(major):\(minor)/subsystem")?.hasSuffix("/tty") == true
    }

    /// The file by which terminal programs exclude each other. One of a dead process does not count.
    private static func lockFile(_ path: String) -> Int32? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let process = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)), process > 0
        else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? process : nil
    }

    private static func opener(of path: String) -> Int32? {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.lazy.compactMap { Int32($0) }.first { process in
            guard process != getpid() else { return false }
            let folder = "/proc/\(process)/fd"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return files.contains { destination(of: "\(folder)/\($0)") == path }
        }
    }

    private static func destination(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    private static func program(_ process: Int32) -> String {
        let text = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "another program"
    }
}
