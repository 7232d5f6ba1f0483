import Glibc

/// Sees a packet grow that is too large for us, on a connection whose broker can't be told a limit (MQTT 3.1.1):
/// libmosquitto allocates what the packet's head announces, and the memory is used as it fills. It reads on for as long as
/// there is something to read, so a broker as fast as we are could get 90 MB through in a single call; with a small receive
/// buffer it has to wait for us after every few kilobytes.
///
/// What came whole nevertheless is seen by its size, once it is there. A UNIX socket has neither such a buffer nor counts
/// what it has received; there it is always seen so.
struct InboundLimit {
    /// What may be received while the library reports nothing: a packet, and another that was begun.
    static let bytes = UInt64(2 * MosquittoSession.incomingLimit)
    /// For the kernel, which doubles it. Measured on loopback: a call gets at 30 kB then, also on a busy machine; with four
    /// times as much at 1.7 MB, and at everything where the machine is busy. Acknowledgements come as quickly as ever.
    private static let receiveBuffer = Int32(8192)

    /// `tcpi_bytes_received` in the kernel's `struct tcp_info` (since Linux 4.1); glibc's own ends before it.
    private static let offset = 128
    private static let tcpInfo: Int32 = 11

    private var mark: UInt64

    /// - Parameter descriptor: of a session that has just begun.
    init(_ descriptor: Int32) {
        var size = Self.receiveBuffer
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        mark = Self.bytesReceived(descriptor)
    }

    /// - Parameter hasProgressed: a packet was completed.
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
