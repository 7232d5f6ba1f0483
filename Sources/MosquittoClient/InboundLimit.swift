import Glibc

/// Notices too large a packet while it arrives, on MQTT 3.1.1, where a client can't tell the broker a limit.
///
/// libmosquitto allocates the size in the packet's head, and reads as long as there are bytes. A fast broker could send
/// 90 MB within one call. A small receive buffer makes the broker wait after every few kilobytes.
///
/// If such a packet still arrives whole, its size shows it. A UNIX socket has no receive buffer and does not count
/// bytes. There, packets are noticed only when they are whole.
struct InboundLimit {
    /// Bytes that may arrive while the library completes no packet: one packet, and the beginning of another.
    static let bytes = UInt64(2 * MosquittoSession.incomingLimit)
    /// Bytes; the kernel doubles it. Measured on loopback: one call then reads at most 30 kB, also on a busy machine.
    /// With four times this size it reads 1.7 MB, and on a busy machine everything. Acknowledgements are not slower.
    private static let receiveBuffer = Int32(8192)

    /// `tcpi_bytes_received` in the kernel's `struct tcp_info` (since Linux 4.1); glibc's own ends before it.
    private static let offset = 128
    private static let tcpInfo: Int32 = 11

    private var mark: UInt64

    /// - Parameter descriptor: the socket of a session that has just begun.
    init(_ descriptor: Int32) {
        var size = Self.receiveBuffer
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        mark = Self.bytesReceived(descriptor)
    }

    /// Whether the packet that is arriving may still be within the limit.
    /// - Parameter hasProgressed: the library has completed a packet since the last call.
    mutating func admits(_ descriptor: Int32, hasProgressed: Bool) -> Bool {
        let received = Self.bytesReceived(descriptor)
        if hasProgressed { mark = received }
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
