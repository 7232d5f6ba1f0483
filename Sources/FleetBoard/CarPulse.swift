import FlightMath
import GatewayReports
import ReceiverProtocol

/// Concludes from the arrivals of a car's `health` whether the car is there, how far its clock is off, and whether two
/// gateways publish as one car.
///
/// A car's mosquitto sends its last `health` again whenever its bridge comes back, even if the gateway has stopped long
/// ago. So a time that is behind the board's clock proves nothing until a later one is as much behind.
struct CarPulse {
    /// A car's clock is off if it differs from the board's by more than this.
    static let clockTolerance = Duration.seconds(10)
    /// Two offsets of one clock, and two computed starts of one gateway, differ by at most this much.
    private static let sameness = Duration.seconds(5)
    /// A time that is behind is confirmed by a second one that is at least this much later. A gateway writes `health`
    /// every 30 s.
    private static let confirmation = Duration.seconds(15)
    /// For how long a second gateway is shown.
    private static let rivalMemory = Duration.seconds(180)

    /// When the last current `health` came.
    private(set) var heardAt: MonotonicTime?
    /// The car's clock minus the board's clock; nil before the first current `health`.
    private(set) var clockOffset: Duration?
    /// A time that is behind the board's clock, and its offset. It counts only after a later `health` confirms it.
    private var doubtful: (at: WallTime, offset: Duration)?
    /// The start of the gateway that wrote the last `health`, and the last other start before it, by the gateways' own
    /// clocks.
    private var starts: (last: WallTime?, earlier: WallTime?)
    private var rivalAt: MonotonicTime?

    /// - Parameter health: a live value that differs from the last one.
    mutating func heard(_ health: JSONValue, at now: Moment) {
        guard let at = health["at"]?.asText.flatMap({ WallTime(iso8601: $0) }) else { return }
        let offset = at.duration(since: now.wall)
        guard isCurrent(at, offset) else { return }
        doubtful = nil
        heardAt = now.monotonic
        clockOffset = offset
        if let uptime = health["uptime_s"]?.asDouble {
            note(start: at.advanced(by: .zero - .seconds(clamping: uptime)), at: now.monotonic)
        }
    }

    private mutating func isCurrent(_ at: WallTime, _ offset: Duration) -> Bool {
        if offset >= .zero - Self.clockTolerance { return true }
        if let clockOffset, Self.isNear(offset, clockOffset) { return true }
        guard let doubtful, Self.isNear(offset, doubtful.offset) else {
            doubtful = (at, offset)
            return false
        }
        return at.duration(since: doubtful.at) >= Self.confirmation
    }

    /// Two gateways take turns if the start changes, and then changes back. A restart, or a clock that is set, changes
    /// it only once.
    private mutating func note(start: WallTime, at now: MonotonicTime) {
        func isNear(_ other: WallTime?) -> Bool { other.map { Self.isNear(start.duration(since: $0), .zero) } ?? false }
        if isNear(starts.last) { return }
        if isNear(starts.earlier) { rivalAt = now }
        starts = (start, starts.last)
    }

    /// Whether two gateways publish as this car.
    func isTwice(at now: MonotonicTime) -> Bool {
        rivalAt.map { now.duration(since: $0) < Self.rivalMemory } ?? false
    }

    private static func isNear(_ one: Duration, _ other: Duration) -> Bool {
        (.zero - sameness...sameness).contains(one - other)
    }
}
