import FlightMath
import GatewayReports
import NIOCore
import ReceiverProtocol

/// A report on its way to the connections, rendered once for all. The payload holds ages, so it is rendered again for a
/// stream that gets it later.
struct WaitingEvent {
    /// A rendered age may be off by this much.
    private static let tolerance = Duration.milliseconds(500)

    private let report: Report
    private let number: UInt64
    private let renderedAt: Moment
    private let rendered: ByteBuffer

    init(_ report: Report, number: UInt64, at now: Moment) {
        self.report = report
        self.number = number
        renderedAt = now
        rendered = ServerSentEvent.bytes(of: report, number: number, at: now)
    }

    func bytes(at now: Moment) -> ByteBuffer {
        guard now.monotonic.duration(since: renderedAt.monotonic) > Self.tolerance else { return rendered }
        return ServerSentEvent.bytes(of: report, number: number, at: now)
    }
}
