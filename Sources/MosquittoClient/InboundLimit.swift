import Glibc

/// Sees a packet grow that is too large for us, on a connection whose broker can't be told a limit (MQTT 3.1.1):
/// libmosquitto allocates what the packet's head announces, and the memory is used as it fills. A UNIX socket doesn't
/// count what it has received; there only the message itself is dropped.
struct InboundLimit {
    /// What may be received while the library reports nothing: a packet, and another that was begun.
    static let bytes = UInt64(2 * MosquittoSession.incomingLimit)

    /// `tcpi_bytes_received` in the kernel's `struct tcp_info` (since Linux 4.1); glibc's own ends before it.
    private static let offset = 128
    private static let tcpInfo: Int32 = 11

    private var mark: UInt64 = 0

    /// - Parameter hasProgressed: a packet was completed.
    mutating func admits(_ descriptor: Int32, hasProgressed: Bool) -> Bool {
        let received = Self.bytesReceived(descriptor)
        if hasProgressed || mark == 0 { mark = received }
        return received < mark || received - mark <= Self.bytes
    }

    private static func bytesReceived(_ descriptor: Int32) -> UInt64 {
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), tcpInfo, &info, &length) == 0, length >= offset + 8 else {
            return 0
        }
        return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }
}
