/// What happened to the receiver during a flight.
public struct ReceiverEvent: Equatable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// It sends frames, again or when the flight began.
        case connected
        /// It has started anew, by its own text on the cable.
        case restarted
        /// The link has ended.
        case lost
    }

    public var time: WallTime
    public var kind: Kind
    /// The firmware's version; nil if unknown.
    public var firmware: String?
    /// The voltage of its battery; nil if unknown.
    public var millivolts: Int?

    public init(_ kind: Kind, at time: WallTime, firmware: String? = nil, millivolts: Int? = nil) {
        (self.kind, self.time, self.firmware, self.millivolts) = (kind, time, firmware, millivolts)
    }
}

/// A flight's events of the receiver in a few values.
public struct ReceiverSummary: Equatable, Sendable {
    /// The newest version that a frame named; nil if none did.
    public let firmware: String?
    public let restarts, losses: Int

    /// - Returns: nil without events.
    public init?(_ events: [ReceiverEvent]) {
        guard !events.isEmpty else { return nil }
        firmware = events.last { $0.firmware != nil }?.firmware
        restarts = events.count { $0.kind == .restarted }
        losses = events.count { $0.kind == .lost }
    }
}

extension ReceiverEvent: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { time = replacement(time) }
}
