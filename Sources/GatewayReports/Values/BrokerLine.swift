/// What the line to the broker carries in the open session.
public struct BrokerLine: Equatable, Sendable {
    /// The line has not kept up in the last seconds: live values are replaced by newer ones while they wait.
    public var isThin: Bool
    /// The line is so fast that nothing waits for it.
    public var isWide: Bool
    /// What it has carried lately; nil before the first acknowledgement.
    public var bytesPerSecond: Double?
    /// The shortest time from a message to its acknowledgement.
    public var roundTrip: Duration?
    /// The topics over which the broker ends the session. Their messages are not sent.
    public var leftOut: [String]
    /// The broker keeps retained messages.
    public var keepsRetained: Bool

    public init(
        isThin: Bool = false, isWide: Bool = true, bytesPerSecond: Double? = nil, roundTrip: Duration? = nil,
        leftOut: [String] = [], keepsRetained: Bool = true
    ) {
        self.isThin = isThin
        self.isWide = isWide
        self.bytesPerSecond = bytesPerSecond
        self.roundTrip = roundTrip
        self.leftOut = leftOut
        self.keepsRetained = keepsRetained
    }

    /// A longer message would hold up live positions for too long.
    public static let longestHold = Duration.seconds(3)

    /// Whether the line needs longer than ``longestHold`` for so many bytes.
    public func isHeldUp(by bytes: Int) -> Bool {
        guard !isWide, let bytesPerSecond else { return false }
        return Double(bytes) > bytesPerSecond * (Self.longestHold / .seconds(1))
    }
}
