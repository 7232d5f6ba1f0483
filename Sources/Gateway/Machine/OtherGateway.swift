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

    /// The other machine's hash; nil if there is none.
    private(set) var machine: String?
    private var heardAt = MonotonicTime.zero
    private var toldAt: MonotonicTime?
    private var shownAt: MonotonicTime?

    /// When to call ``timePassed(_:)``.
    var deadline: MonotonicTime? {
        guard machine != nil else { return nil }
        let forgotten = heardAt.advanced(by: Self.memory)
        return min(forgotten, shownAt?.advanced(by: Self.interval) ?? forgotten)
    }

    /// - Parameter own: this machine's hash.
    mutating func heard(_ machine: String, own: String, id: String, _ turn: inout Turn) {
        guard machine != own, !machine.isEmpty, machine.utf8.count <= Self.longest else { return }
        self.machine = machine
        heardAt = turn.now.monotonic
        shownAt = shownAt ?? heardAt.advanced(by: .zero - Self.interval)
        guard toldAt.map({ turn.now.monotonic >= $0.advanced(by: Self.silence) }) ?? true else { return }
        toldAt = turn.now.monotonic
        turn.announce(.otherGateway(id: id))
    }

    /// - Returns: whether our own `bridge/info` is due.
    mutating func timePassed(_ now: MonotonicTime) -> Bool {
        guard machine != nil else { return false }
        guard now < heardAt.advanced(by: Self.memory) else {
            (machine, shownAt) = (nil, nil)
            return false
        }
        guard let last = shownAt, now >= last.advanced(by: Self.interval) else { return false }
        shownAt = now
        return true
    }
}
