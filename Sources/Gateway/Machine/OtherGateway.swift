import FlightMath
import GatewayReports
import ReceiverProtocol

/// Detects another gateway with the same id on the same broker. Both write the same topics, so the data on them is not
/// reliable.
///
/// Each hears the other's `bridge/info` and recognises the other machine by its hash. Then both publish their own once
/// a minute. So each finds the other, and forgets it when it is gone.
///
///     never heard    -- another machine's bridge/info -->  announced, shown in health, own bridge/info once a minute
///     heard          -- nothing for three minutes     -->  forgotten
struct OtherGateway: Equatable, Sendable {
    /// The time between two of our own `bridge/info`.
    static let interval = Duration.seconds(60)
    /// If nothing comes for this long, the other gateway is gone.
    static let memory = Duration.seconds(180)
    /// The announcement is repeated after this time, in case nobody heard the first.
    static let silence = Duration.seconds(3600)
    /// A longer text is ignored. A hash has 12 digits.
    private static let longest = 64

    private struct Other: Equatable, Sendable {
        /// Its hash.
        var machine: String
        var heardAt: MonotonicTime
        /// When our own `bridge/info` is due.
        var showAt: MonotonicTime

        var isForgottenAt: MonotonicTime { heardAt.advanced(by: OtherGateway.memory) }
    }

    private var other: Other?
    /// From then on the announcement is made again.
    private var tellAgainAt = MonotonicTime.zero

    /// The other machine's hash; nil if there is none.
    var machine: String? { other?.machine }

    /// When to call ``timePassed(_:)``.
    var deadline: MonotonicTime? {
        guard let other else { return nil }
        return min(other.isForgottenAt, other.showAt)
    }

    /// - Parameter own: this machine's hash.
    mutating func heard(_ machine: String, own: String, id: String, _ turn: inout Turn) {
        guard machine != own, !machine.isEmpty, machine.utf8.count <= Self.longest else { return }
        let now = turn.now.monotonic
        other = Other(machine: machine, heardAt: now, showAt: other?.showAt ?? now)
        guard now >= tellAgainAt else { return }
        tellAgainAt = now.advanced(by: Self.silence)
        turn.announce(.otherGateway(id: id))
    }

    /// - Returns: whether our own `bridge/info` is due.
    mutating func timePassed(_ now: MonotonicTime) -> Bool {
        guard let known = other, now < known.isForgottenAt else {
            other = nil
            return false
        }
        guard now >= known.showAt else { return false }
        other?.showAt = now.advanced(by: Self.interval)
        return true
    }
}
