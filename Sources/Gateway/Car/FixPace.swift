public import ReceiverProtocol

/// Of the fixes of one device at most 200 a second count. A receiver sends some ten; a server that floods must not keep
/// the loop from the sonde, nor from its stop.
public struct FixPace: Sendable {
    private static let spacing = Duration.milliseconds(5)
    /// The most devices that are told apart. Beyond it all are forgotten.
    private static let limit = 16

    private var sentAt: [String?: MonotonicTime] = [:]

    public init() {}

    public mutating func lets(_ fix: CarFix, at now: MonotonicTime) -> Bool { lets(device: fix.device, at: now) }

    public mutating func lets(device: String?, at now: MonotonicTime) -> Bool {
        if let last = sentAt[device] {
            guard now.duration(since: last) >= Self.spacing else { return false }
        } else if sentAt.count >= Self.limit {
            sentAt = [:]
        }
        sentAt[device] = now
        return true
    }
}
