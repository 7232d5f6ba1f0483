import DequeModule
import ReceiverProtocol

/// Limits commands to ten in any second.
struct CommandRate: Equatable, Sendable {
    static let perSecond = 10

    private var times: Deque<MonotonicTime> = []

    /// Whether one more command is allowed now.
    mutating func admits(at now: MonotonicTime) -> Bool {
        while let oldest = times.first, now >= oldest.advanced(by: .seconds(1)) { times.removeFirst() }
        guard times.count < Self.perSecond else { return false }
        times.append(now)
        return true
    }
}
