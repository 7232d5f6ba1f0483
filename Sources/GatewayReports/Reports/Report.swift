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

    /// The report without its value.
    public enum Kind: CaseIterable, Sendable {
        case receiverState, state, info
        case position, radio, settings, flight, track, landing, prediction, winds, proposal, health, chase, route
        case horizon
        case crews, sondes, recovery, launches
        case announcement, answer

        /// The topic below the gateway's. It is not a raw value, because a dictionary would hash the text at each
        /// access.
        public var name: String {
            switch self {
            case .receiverState: "receiver/state"
            case .state: "state"
            case .info: "bridge/info"
            case .position: "position"
            case .radio: "radio"
            case .settings: "settings"
            case .flight: "flight"
            case .track: "track"
            case .landing: "landing"
            case .prediction: "prediction"
            case .winds: "winds"
            case .horizon: "horizon"
            case .proposal: "proposal"
            case .health: "health"
            case .chase: "chase"
            case .route: "route"
            case .crews: "crews"
            case .sondes: "sondes"
            case .launches: "launches"
            case .recovery: "recovery"
            case .announcement: "event"
            case .answer: "command/response"
            }
        }
    }

    public var kind: Kind {
        switch self {
        case .position: .position
        case .radio: .radio
        case .receiverState: .receiverState
        case .state: .state
        case .settings: .settings
        case .flight: .flight
        case .track: .track
        case .landing: .landing
        case .prediction: .prediction
        case .winds: .winds
        case .horizon: .horizon
        case .proposal: .proposal
        case .chase: .chase
        case .route: .route
        case .crews: .crews
        case .sondes: .sondes
        case .launches: .launches
        case .recovery: .recovery
        case .info: .info
        case .health: .health
        case .announcement: .announcement
        case .answer: .answer
        }
    }

    /// The payload as all feeds publish it.
    /// - Parameter now: the time for which ages are computed.
    public func payload(at now: MonotonicTime) -> [UInt8] {
        switch self {
        case .position(let report): report.payload(at: now)
        case .radio(let report): report.payload
        case .receiverState(let isOnline): Array((isOnline ? "online" : "offline").utf8)
        case .state(let report): report.payload(at: now)
        case .settings(let report): report.payload
        case .flight(let report): report.payload
        case .track(let report): report?.payload ?? JSONText().object
        case .landing(let report): report?.payload(at: now) ?? JSONText().object
        case .prediction(let report): report?.payload(at: now) ?? JSONText().object
        case .winds(let report): WindsReport.payload(of: report)
        case .horizon(let report): report?.payload ?? JSONText().object
        case .proposal(let report): report?.payload ?? JSONText().object
        case .chase(let report): report.payload(at: now)
        case .route(let report): report?.payload ?? JSONText().object
        case .crews(let report): report.payload(at: now)
        case .sondes(let report): report.payload(at: now)
        case .launches(let report): report.payload
        case .recovery(let report): report?.payload ?? JSONText().object
        case .info(let report): report.payload
        case .health(let report): report.payload
        case .announcement(let report): report.payload
        case .answer(let report): report.payload
        }
    }
}
