/// What the line to the broker carries in the open session.
public struct BrokerLine: Equatable, Sendable {
    /// The line has not kept up in the last seconds: live values are replaced by newer ones while they wait.
    public var isThin: Bool
    /// The line is so fast that nothing waits for it.
    public var isWide: Bool
    /// The broker limits the number of messages, so they go one at a time.
    public var isPaced: Bool
    /// What it has carried lately; nil before the first acknowledgement.
    public var bytesPerSecond: Double?
    /// The shortest time from a message to its acknowledgement.
    public var roundTrip: Duration?
    /// The line has proven that it carries a message of so many bytes within ``longestHold``. Nil if the broker
    /// acknowledges nothing, so that nobody knows.
    public var provenBytes: Int?
    /// The topics over which the broker ends the session. Their messages are not sent.
    public var leftOut: [String]
    /// The broker keeps retained messages.
    public var keepsRetained: Bool

    public init(
        isThin: Bool = false, isWide: Bool = true, isPaced: Bool = false, bytesPerSecond: Double? = nil,
        roundTrip: Duration? = nil,
        provenBytes: Int? = nil, leftOut: [String] = [], keepsRetained: Bool = true
    ) {
        self.isThin = isThin
        self.isWide = isWide
        self.isPaced = isPaced
        self.bytesPerSecond = bytesPerSecond
        self.roundTrip = roundTrip
        self.provenBytes = provenBytes
        self.leftOut = leftOut
        self.keepsRetained = keepsRetained
    }

    /// Messages wait for the line itself. Those that a newer one replaces meanwhile are not sent live.
    public var hasSlots: Bool { isThin || isPaced }

    /// A longer message would hold up live positions for too long.
    public static let longestHold = Duration.seconds(3)

    /// A message of so many bytes may always go: from such messages the line's rate is learned.
    public static let shortMessage = 1024

    /// Whether the line has not proven that it carries so many bytes within ``longestHold``. An unknown line has proven
    /// nothing, and a rate that a few small messages had proves little.
    public func isHeldUp(by bytes: Int) -> Bool {
        guard !isWide, bytes > Self.shortMessage, let provenBytes else { return false }
        return bytes > provenBytes
    }
}
