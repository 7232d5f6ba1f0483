import ReceiverProtocol

/// What the gateway counts for `<p>/health`. The keys are a fixed vocabulary.
struct GatewayCounters: Equatable, Sendable {
    var frames: [FrameKind: Int] = [:]
    var rejects: [String: Int] = [:]
    /// Links opened after the first.
    var reconnects = 0
    var linkLosses: [String: Int] = [:]
    /// Attempts at a link after the first, by the repair that came with them.
    var linkRepairs: [LinkRepair: Int] = [:]
    /// Times that the broker went away.
    var brokerOutages = 0
    var commands: [String: Int] = [:]
    /// Calls to SondeHub that failed, by reason.
    var sondeHubErrors: [String: Int] = [:]

    /// Position frames refused behind the parser.
    static let jump = "position_jump"
    /// Position frames held back for a new sonde that was never confirmed.
    static let unconfirmedSonde = "sonde_unconfirmed"

    mutating func reject(_ reason: String) {
        rejects[reason, default: 0] += 1
    }

    static let rejectReasons: [String] =
        FrameRejection.allCases.map(\.rawValue) + PositionFault.allCases.map(\.rawValue) + [jump]
}
