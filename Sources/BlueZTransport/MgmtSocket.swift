import BluetoothProtocol
import CBluetooth
public import GatewayReports
import Glibc
import TransportIO

/// The kernel's Bluetooth management socket. Opening it needs no privilege; many commands need CAP_NET_ADMIN.
public struct MgmtSocket: ~Copyable {
    let descriptor: Int32

    /// The buffer in bytes. A longer packet is cut, and then can't be decoded.
    private static let packetLimit = 4096

    /// - Throws: `not_found` if the kernel has no Bluetooth, or the service's sandbox forbids it.
    public init() throws(TransportError) {
        let descriptor = socket(
            AF_BLUETOOTH, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            BTPROTO_HCI)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = UInt16(HCI_DEV_NONE)
        address.hci_channel = UInt16(HCI_CHANNEL_CONTROL)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard status == 0 else {
            let failure = Self.failure(errno)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func failure(_ error: Int32) -> TransportError {
        switch error {
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            // The folder of its adapters shows a kernel that has Bluetooth, but refuses it here.
            if access("/sys/class/bluetooth", F_OK) == 0 {
                TransportError(
                    .permissionDenied,
                    "this container or unit may not use Bluetooth; give it the host's network, and see its limits of "
                        + "address families")
            } else {
                TransportError(
                    .notFound, "this kernel has no Bluetooth (no AF_BLUETOOTH); load its module: modprobe bluetooth")
            }
        default: .system("Bluetooth", errno: error)
        }
    }

    /// - Returns: the system's error text if the kernel does not accept the command.
    func send(_ command: MgmtCommand) -> String? {
        let bytes = command.bytes
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        // The count is 0 if the kernel refuses the command in its answer.
        return count >= 0 ? nil : String(cString: strerror(errno))
    }

    enum Reading {
        case event(MgmtEvent)
        /// No packet, or one that can't be decoded.
        case nothing
        case failed(String)
    }

    /// Reads a waiting packet; never blocks.
    func receive() -> Reading {
        let count = withUnsafeTemporaryAllocation(byteCount: Self.packetLimit, alignment: 8) { buffer -> MgmtEvent?? in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else { return .none }
            return .some(MgmtEvent(buffer.prefix(count)))
        }
        if let event = count { return event.map { .event($0) } ?? .nothing }
        switch errno {
        case EAGAIN, EINTR: return .nothing
        default: return .failed(String(cString: strerror(errno)))
        }
    }
}
