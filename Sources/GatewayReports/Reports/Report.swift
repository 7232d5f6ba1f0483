public import ReceiverProtocol

/// The gateway's output as typed values. All feeds render the same reports.
///
/// The enum is indirect, so that passing a report on copies only a reference.
public indirect enum Report: Equatable, Sendable {
    // One for each frame or record.
    case position(PositionReport)
    case radio(RadioReport)
    // State-like: the newest report replaces all earlier ones. One comes at each change.
    /// Whether the receiver's link accepts commands.
    case receiverState(isOnline: Bool)
    case state(StateReport)
    case settings(SettingsReport)
    case flight(FlightReport)
    /// Nil while no point of the sonde's flight is known.
    case track(TrackReport?)
    // Nil if there is none.
    case landing(LandingReport?)
    case prediction(PredictionReport?)
    case winds(WindsReport?)
    case horizon(HorizonReport?)
    case proposal(ProposalReport?)
    /// All fields are nil while the car's position is unknown.
    case chase(ChaseReport)
    /// Nil without a route by road.
    case route(RouteReport?)
    case crews(CrewsReport)
    case sondes(SondesReport)
    case launches(LaunchesReport)
    /// Nil if nobody has reported the followed sonde's recovery.
    case recovery(RecoveryReport?)
    case info(InfoAnnouncement)
    case health(HealthReport)
    // Happenings: each is published once.
    case announcement(AnnouncementReport)
    case answer(AnswerReport)

    /// The report without its value. The raw value is the topic below the gateway's. Dictionaries hash that text, which
    /// costs nothing at a few reports a second.
    public enum Kind: String, CaseIterable, Sendable {
        case receiverState = "receiver/state"
        case state
        case info = "bridge/info"
        case position, radio, settings, flight, track, landing, prediction, winds, proposal, health, chase, route
        case horizon
        case crews, sondes, recovery, launches
        case announcement = "event"
        case answer = "command/response"
    }

    public var kind: Kind { content.kind }

    /// The payload as all feeds publish it.
    /// - Parameter now: the time for which ages are computed.
    public func payload(at now: MonotonicTime) -> [UInt8] { content.payload(now) }

    /// The payload is a closure, so that asking for the kind makes no text.
    private var content: (kind: Kind, payload: (_ now: MonotonicTime) -> [UInt8]) {
        switch self {
        case .position(let report): (.position, { report.payload(at: $0) })
        case .radio(let report): (.radio, { _ in report.payload })
        case .receiverState(let isOnline): (.receiverState, { _ in Array((isOnline ? "online" : "offline").utf8) })
        case .state(let report): (.state, { report.payload(at: $0) })
        case .settings(let report): (.settings, { _ in report.payload })
        case .flight(let report): (.flight, { _ in report.payload })
        case .track(let report): (.track, { _ in report?.payload ?? JSONText().object })
        case .landing(let report): (.landing, { report?.payload(at: $0) ?? JSONText().object })
        case .prediction(let report): (.prediction, { report?.payload(at: $0) ?? JSONText().object })
        case .winds(let report): (.winds, { _ in WindsReport.payload(of: report) })
        case .horizon(let report): (.horizon, { _ in report?.payload ?? JSONText().object })
        case .proposal(let report): (.proposal, { _ in report?.payload ?? JSONText().object })
        case .chase(let report): (.chase, { report.payload(at: $0) })
        case .route(let report): (.route, { _ in report?.payload ?? JSONText().object })
        case .crews(let report): (.crews, { report.payload(at: $0) })
        case .sondes(let report): (.sondes, { report.payload(at: $0) })
        case .launches(let report): (.launches, { _ in report.payload })
        case .recovery(let report): (.recovery, { _ in report?.payload ?? JSONText().object })
        case .info(let report): (.info, { _ in report.payload })
        case .health(let report): (.health, { _ in report.payload })
        case .announcement(let report): (.announcement, { _ in report.payload })
        case .answer(let report): (.answer, { _ in report.payload })
        }
    }
}
