import FlightMath
import GatewayReports
import NIOCore
import ReceiverProtocol

/// A report on its way to the streams, rendered once for all. The payload holds ages, so it is rendered again for a stream
/// that gets it later. Use it under its hub's lock only.
final class WaitingEvent {
    /// A rendered age may be off by this much.
    private static let tolerance = Duration.milliseconds(500)

    private let report: Report
    /// Nil before the first stream gets it.
    private(set) var number: UInt64?
    private var rendered: (at: MonotonicTime, bytes: ByteBuffer)?

    init(_ report: Report) { self.report = report }

    func bytes(number: UInt64, at now: Moment) -> ByteBuffer {
        self.number = number
        if let rendered, now.monotonic.duration(since: rendered.at) <= Self.tolerance { return rendered.bytes }
        let bytes = ServerSentEvent.bytes(of: report, number: number, at: now)
        rendered = (now.monotonic, bytes)
        return bytes
    }
}

extension Report.Kind {
    /// Each report of this kind must be delivered. Of the other kinds only the newest report matters.
    var isHappening: Bool { self == .announcement || self == .answer }

    /// `command/response` -> `command_response`
    var eventName: String { String(rawValue.map { $0 == "/" ? "_" : $0 }) }
}
