public import Gateway
public import GatewayReports
import Glibc
import Threads
import TransportIO

/// The receiver's USB cable: raw 8N1, opened exclusively. After a replug it is found by its path, so use a stable one
/// below `/dev/serial/by-id/`.
public struct SerialTransport: ReceiverTransport {
    /// The accepted baud rates.
    public static let supportedBauds = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200]

    private let device: String
    private let baud: Int

    public init(device: String, baud: Int) {
        self.device = device
        self.baud = baud
    }

    public var name: String { "serial \(device)" }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        let (device, baud) = (device, baud)
        let descriptor = try await blocking({ () throws(TransportError) in try Self.open(device, baud: baud) }) {
            late in
            Glibc.close(late)
        }
        return try DescriptorConnection(
            descriptor: descriptor, peer: ReceiverPeer(name: device, maximumWriteLength: 128), thread: "receiver")
    }

    private static func open(_ device: String, baud: Int) throws(TransportError) -> Int32 {
        LoopThread.assertMayBlock()
        let descriptor = Glibc.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(device, errno: errno) }
        do throws(TransportError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw TransportError(.busy, "\(device) is in use by another program")
            }
            try configure(descriptor, of: device, baud: baud)
            return descriptor
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func configure(_ descriptor: Int32, of device: String, baud: Int) throws(TransportError) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else {
            throw TransportError(.inputOutput, "\(device) is not a serial device")
        }
        cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        // HUPCL would pulse DTR on close, which restarts an ESP32 board.
        settings.c_cflag &= ~tcflag_t(HUPCL | CSTOPB)
        guard cfsetspeed(&settings, speed(baud)) == 0, tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
            throw .system("\(device) at \(baud) baud", errno: errno)
        }
        _ = ioctl(descriptor, UInt(TIOCEXCL))
        tcflush(descriptor, TCIOFLUSH)
    }

    private static func speed(_ baud: Int) -> speed_t {
        switch baud {
        case 1200: speed_t(B1200)
        case 2400: speed_t(B2400)
        case 4800: speed_t(B4800)
        case 19_200: speed_t(B19200)
        case 38_400: speed_t(B38400)
        case 57_600: speed_t(B57600)
        case 115_200: speed_t(B115200)
        default: speed_t(B9600)
        }
    }
}
