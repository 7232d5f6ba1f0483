import FlightMath
import GatewayReports
import ReceiverProtocol

/// What the `health` of a car tells by its arrival: that the car is there, how its clock goes, and whether two gateways
/// write as one.
///
/// A car's mosquitto sends its last `health` again whenever its bridge comes back, even if the gateway has stopped long
/// ago. So a time that is behind the board's clock proves nothing until a later one is as much behind.
struct CarPulse {
    /// A car's clock that differs by more from the board's is off.
    static let clockTolerance = Duration.seconds(10)
    /// Two offsets of one clock, and two starts of one gateway, differ by less.
    private static let sameness = Duration.seconds(5)
    /// A gateway writes `health` every 30 s.
    private static let confirmation = Duration.seconds(15)
    /// For how long a second gateway is shown.
    private static let rivalMemory = Duration.seconds(180)

    /// When the last current `health` came.
    private(set) var heardAt: MonotonicTime?
    /// The car's clock minus the board's; nil if that is not known.
    private(set) var clockOffset: Duration?
    /// A time that is behind, and its offset: a `health` that was written ``confirmation`` later must confirm it.
    private var doubtful: (at: WallTime, offset: Duration)?
    /// When the gateway that wrote the last `health` was started, and the one before it, by their own clocks.
    private var starts: (last: WallTime?, earlier: WallTime?)
    private var rivalAt: MonotonicTime?

    /// - Parameter health: live, and another than the last.
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

    /// A start, another one, and the first again: two gateways take turns. A restart or a clock that is set makes only one
    /// change.
    private mutating func note(start: WallTime, at now: MonotonicTime) {
        func isNear(_ other: WallTime?) -> Bool { other.map { Self.isNear(start.duration(since: $0), .zero) } ?? false }
        if isNear(starts.last) { return }
        if isNear(starts.earlier) { rivalAt = now }
        starts = (start, starts.last)
    }

    /// Two gateways write as one car.
    func isTwice(at now: MonotonicTime) -> Bool {
        rivalAt.map { now.duration(since: $0) < Self.rivalMemory } ?? false
    }

    private static func isNear(_ one: Duration, _ other: Duration) -> Bool {
        (.zero - sameness...sameness).contains(one - other)
    }
}
