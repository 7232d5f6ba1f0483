import FlightMath
import GatewayReports
import ReceiverProtocol

/// The outline of the flight's track, made anew once a minute while the sonde flies, and once more when it is down.
struct FlightOutline: Sendable {
    private(set) var report: TrackReport?
    private var madeAt: MonotonicTime?
    /// The number of points of the track that ``report`` shows.
    private var count = 0
    private var isDown = false
    private var isBehind = false
    private var clock = RunClock()

    /// When the next outline is due; nil while the track has not grown.
    var deadline: MonotonicTime? { isBehind ? madeAt?.advanced(by: TrackReport.spacing) : nil }

    mutating func follow(_ flight: Flight, of serial: SondeSerial?, _ turn: Turn) {
        guard let serial else { return }
        let now = turn.now.monotonic
        // The times of the track have changed with the clock, so the next outline is made at once.
        if clock != turn.clock { (clock, madeAt, count, self.isDown) = (turn.clock, nil, 0, false) }
        let points = flight.track.points
        let isDown = flight.phase.phase == .landed
        isBehind = points.count != count && !(isDown && self.isDown) || isDown != self.isDown
        guard isBehind, isDown != self.isDown || (madeAt == nil || now.hasReached(deadline)) else { return }
        report = points.isEmpty ? nil : TrackReport(serial: serial, track: points)
        (madeAt, count, self.isDown, isBehind) = (now, points.count, isDown, false)
    }
}
