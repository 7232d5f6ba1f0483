import FlightMath
import GatewayReports
import ReceiverProtocol

/// Another box with this one's id, on the same broker: both write the same topics, and nobody can trust them.
///
/// Each hears the other's `bridge/info` and knows it by the hash of its machine's id. While one is there both publish
/// their own once a minute, so that a box that started first is found as well, and one that has gone is forgotten.
///
///     never heard    -- another machine's bridge/info -->  announced, shown in health, own bridge/info once a minute
///     heard          -- nothing for three minutes     -->  forgotten
struct OtherGateway: Equatable, Sendable {
    /// Between two of our own.
    static let interval = Duration.seconds(60)
    /// The other one is gone when nothing comes for this long.
    static let memory = Duration.seconds(180)
    /// It is announced again after this, in case nobody has listened.
    static let silence = Duration.seconds(3600)
    /// A hash has 12 digits; what is longer is none.
    private static let longest = 64

    /// The other one's hash; nil while there is none.
    private(set) var machine: String?
    private var heardAt = MonotonicTime.zero
    private var toldAt: MonotonicTime?
    private var shownAt: MonotonicTime?

    /// When ``timePassed(_:)`` has something to do.
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
