public import Gateway
public import GatewayReports
import Glibc
import ReceiverProtocol
import Threads
import TransportIO

/// A USB cable, the receiver's or another: raw 8N1, opened exclusively. After a replug it is found by its path, so use a stable one
/// below `/dev/serial/by-id/`.
public struct SerialTransport: ReceiverTransport {
    /// The accepted baud rates.
    public static let supportedBauds = [1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200]

    private let device: String
    private let baud: Int
    private let thread: StaticString

    /// - Parameter thread: the reader's name.
    public init(device: String, baud: Int, thread: StaticString = "receiver") {
        self.device = device
        self.baud = baud
        self.thread = thread
    }

    public var name: String { "serial \(device)" }
    /// To open a name that is not there costs nothing.
    public var backoff: Backoff { Backoff(first: .milliseconds(500), limit: .seconds(2)) }

    public func connect(
        report: @escaping @Sendable (LinkReport) -> Void
    ) async throws(TransportError) -> any ReceiverConnection {
        try await DescriptorConnection.open(device, thread: thread) { [device, baud] () throws(TransportError) in
            try Self.open(device, baud: baud)
        }
    }

    /// What a short look at the cable has heard.
    public enum Heard: Equatable, Sendable {
        case nothing
        /// - Parameter firmware: its version, if the first frame names it.
        case frames(firmware: String?)
        /// Bytes that are no frame, with their beginning if that is text; empty if it is none.
        case noFrame(sample: String)
        /// The receiver restarts before it sends a frame.
        case restarts
    }

    /// Opens the device and listens until the first frame or the end of the time. Blocks; only one-shot commands use it.
    public func listen(for limit: Duration) throws(TransportError) -> Heard {
        let descriptor = try Self.open(device, baud: baud)
        defer { Glibc.close(descriptor) }
        let end = MonotonicTime.now.advanced(by: limit)
        var sample = FramelessBytes()
        var deframer = Deframer()
        var firmware: String?
        var buffer = [UInt8](repeating: 0, count: 1024)
        while MonotonicTime.now < end, !sample.hasFrame {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, Int32(clamping: end.duration(since: .now).wholeMilliseconds + 1))
            let count = buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count == 0 || errno != EAGAIN && errno != EINTR { break }
                continue
            }
            let bytes = Array(buffer[..<count])
            sample.append(bytes)
            deframer.append(bytes.span, at: .now) { run, _ in
                guard case .frame(let frame) = run else { return }
                sample.hasFrame = true
                firmware = firmware ?? frame.firmware
            }
        }
        if sample.hasFrame { return .frames(firmware: firmware) }
        if sample.hasBootText { return .restarts }
        return sample.count == 0 ? .nothing : .noFrame(sample: sample.text)
    }

    private static func open(_ device: String, baud: Int) throws(TransportError) -> Int32 {
        LoopThread.assertMayBlock()
        let descriptor = Glibc.open(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            var error = TransportError.system(device, errno: errno)
            error.isDeviceMissing = error.code == .notFound
            throw error
        }
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
        // It leaves flow control, parity checks and break signals as the last program has set them. HUPCL
        // would pulse DTR on close, which restarts an ESP32 board.
        settings.c_iflag = 0
        settings.c_oflag = 0
        settings.c_lflag = 0
        settings.c_cflag = tcflag_t(CS8 | CLOCAL | CREAD)
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
