import FlightMath
import GatewayReports
import ReceiverProtocol

/// Concludes from the arrivals of a car's `health` whether the car is there, how far its clock is off, and whether two
/// gateways publish as one car.
///
/// A car's mosquitto sends its last `health` again whenever its bridge comes back, even if the gateway has stopped long
/// ago. With one id twice, two mosquittos do so in turn. So only a `health` that is newer than the same gateway's last
/// one counts.
struct CarPulse {
    /// A car's clock is off if it differs from the board's by more than this.
    static let clockTolerance = Duration.seconds(10)
    /// Two offsets of one clock, and two computed starts of one gateway, differ by at most this much.
    private static let sameness = Duration.seconds(5)
    /// A time that is behind is confirmed by a second one that is at least this much later. A gateway writes `health`
    /// every 30 s.
    private static let confirmation = Duration.seconds(15)
    /// A second gateway is shown until the car has been heard for so long without it.
    private static let rivalMemory = Duration.seconds(180)
    /// The most gateways that are remembered. A new one replaces the one that was heard longest ago.
    private static let mostGateways = 4

    /// One gateway that publishes as this car.
    private struct Gateway {
        /// The start by the gateway's own clock. It tells one gateway from another. Nil if `health` has no uptime.
        var start: WallTime?
        /// The time in its newest `health`.
        private(set) var newest = WallTime.distantPast
        /// Its clock minus the board's clock; nil until the clock is known.
        private(set) var offset: Duration?
        /// The first time that is behind the board's clock, and its offset. A later `health` confirms it.
        private var doubtful: (at: WallTime, offset: Duration)?

        init(start: WallTime?) { self.start = start }

        func isStarted(at other: WallTime?) -> Bool {
            guard let start, let other else { return start == nil && other == nil }
            return CarPulse.isNear(start.duration(since: other), .zero)
        }

        /// - Parameter at: the time in a `health` that comes now.
        /// - Returns: how late it comes; nil if the clock is still unknown.
        mutating func heard(_ at: WallTime, now: WallTime) -> Duration? {
            newest = at
            let measured = at.duration(since: now)
            if let offset, measured < offset - CarPulse.sameness { return offset - measured }
            guard offset != nil || isCredible(at, measured) else { return nil }
            offset = measured
            return .zero
        }

        private mutating func isCredible(_ at: WallTime, _ measured: Duration) -> Bool {
            if measured >= .zero - CarPulse.clockTolerance { return true }
            guard let doubtful, CarPulse.isNear(measured, doubtful.offset) else {
                doubtful = (at, measured)
                return false
            }
            return at.duration(since: doubtful.at) >= CarPulse.confirmation
        }
    }

    /// When the newest `health` was written, by the board's clock; nil before the first one of a known clock.
    private(set) var heardAt: MonotonicTime?
    /// The time in that `health`, by the car's clock.
    private(set) var newest: WallTime?
    /// The car's clock minus the board's clock; nil before the first `health` of a known clock.
    private(set) var clockOffset: Duration?
    /// The gateways, the one that was heard last first.
    private var gateways: [Gateway] = []
    private var rivalAt: MonotonicTime?

    /// - Parameter health: a live value.
    mutating func heard(_ health: JSONValue, at now: Moment) {
        guard let at = health["at"]?.asText.flatMap({ WallTime(iso8601: $0) }) else { return }
        let start = health["uptime_s"]?.asDouble.map { at.advanced(by: .zero - .seconds(clamping: $0)) }
        let index = gateways.firstIndex { $0.isStarted(at: start) }
        var gateway = index.map { gateways[$0] } ?? Gateway(start: start)
        guard at > gateway.newest else { return }
        let late = gateway.heard(at, now: now.wall)
        gateway.start = start
        remember(gateway, from: index, at: now.monotonic)
        guard let late else { return }
        let writtenAt = now.monotonic.advanced(by: .zero - late)
        if let heardAt, heardAt > writtenAt { return }
        (heardAt, newest, clockOffset) = (writtenAt, at, gateway.offset)
    }

    /// Two gateways take turns if an earlier one says something new. A restart, or a clock that is set, only brings a
    /// new one.
    private mutating func remember(_ gateway: Gateway, from index: Int?, at now: MonotonicTime) {
        if let index {
            gateways.remove(at: index)
            if index > 0 { rivalAt = now }
        } else if gateways.count == Self.mostGateways {
            gateways.removeLast()
        }
        gateways.insert(gateway, at: 0)
    }

    /// Whether two gateways publish as this car. It stays true while the car is silent.
    var isTwice: Bool {
        guard let rivalAt else { return false }
        return heardAt.map { $0.duration(since: rivalAt) < Self.rivalMemory } ?? true
    }

    private static func isNear(_ one: Duration, _ other: Duration) -> Bool {
        (.zero - sameness...sameness).contains(one - other)
    }
}
