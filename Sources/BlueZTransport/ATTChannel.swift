import BluetoothProtocol
import CBluetooth
import Glibc

/// An L2CAP socket on the fixed ATT channel of an LE link. Needs no privilege.
struct ATTChannel: ~Copyable {
    /// The ATT channel of each LE link.
    private static let fixedChannel: UInt16 = 4
    /// The buffer in bytes; more than the kernel's largest packet on this channel (672 bytes).
    private static let packetLimit = 1024

    let descriptor: Int32
    /// The device is not found yet, or the link is not established.
    private(set) var isConnecting = true

    /// Starts to connect. When the socket is writable, ``finishConnecting()`` returns the result.
    init(from adapter: BluetoothAddress, to device: LEAddress) throws(Refusal) {
        let descriptor = socket(
            AF_BLUETOOTH, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            BTPROTO_L2CAP)
        guard descriptor >= 0 else { throw Refusal(fault: ChannelFault(errno: errno)) }
        var local = Self.address(LEAddress(adapter, .public))
        var remote = Self.address(device)
        let isStarted =
            Self.with(&local) { bind(descriptor, $0, $1) } == 0
            && (Self.with(&remote) { connect(descriptor, $0, $1) } == 0 || errno == EINPROGRESS)
        guard isStarted else {
            let fault = ChannelFault(errno: errno)
            close(descriptor)
            throw Refusal(fault: fault)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    struct Refusal: Error {
        var fault: ChannelFault
    }

    private static func address(_ device: LEAddress) -> sockaddr_l2 {
        var address = sockaddr_l2()
        address.l2_family = sa_family_t(AF_BLUETOOTH)
        address.l2_cid = fixedChannel.littleEndian
        address.l2_bdaddr_type = device.kind.rawValue
        withUnsafeMutableBytes(of: &address.l2_bdaddr) { $0.copyBytes(from: device.address.octets) }
        return address
    }

    private static func with(
        _ address: inout sockaddr_l2, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_l2>.size))
            }
        }
    }

    /// - Returns: the fault; nil if the link is established.
    mutating func finishConnecting() -> ChannelFault? {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        isConnecting = false
        return error == 0 ? nil : ChannelFault(errno: error)
    }

    enum Reading {
        case packet([UInt8])
        case nothing
        case ended(ChannelFault)
    }

    /// Reads a waiting packet; never blocks.
    func receive() -> Reading {
        var buffer = [UInt8](repeating: 0, count: Self.packetLimit)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .packet(Array(buffer.prefix(count))) }
        if count == 0 { return .ended(.closedByPeer) }
        return errno == EAGAIN || errno == EINTR ? .nothing : .ended(ChannelFault(errno: errno))
    }

    /// Sends a packet. A packet for which the full socket has no room counts as lost on the air, and its answer won't
    /// come.
    func send(_ bytes: [UInt8]) -> ChannelFault? {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        return count >= 0 || errno == EAGAIN || errno == EINTR ? nil : ChannelFault(errno: errno)
    }
}

extension ChannelFault {
    /// The error codes were measured on Linux 6.1 and 6.12.
    init(errno error: Int32) {
        self =
            switch error {
            case ETIMEDOUT: .timedOut
            case ECONNRESET: .closedByPeer
            case ECONNABORTED: .closedHere
            case ENOSYS: .broken
            case ECONNREFUSED: .gaveUp
            case EBUSY: .taken
            case EHOSTUNREACH, ENETDOWN: .adapterOff
            case EACCES, EPERM: .denied
            default: .other(String(cString: strerror(error)))
            }
    }
}
