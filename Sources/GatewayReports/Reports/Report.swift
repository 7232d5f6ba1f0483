public import ReceiverProtocol

/// What the gateway tells the world, typed. Every feed renders the same reports.
///
/// Indirect, as a report goes through many hands, and most of them only pass it on.
public indirect enum Report: Equatable, Sendable {
    // One for each frame or record.
    case position(PositionReport)
    case radio(RadioReport)
    // State-like: the newest says it all, and one comes whenever it changed.
    /// The link can take commands.
    case receiverState(isOnline: Bool)
    case state(StateReport)
    case settings(SettingsReport)
    case flight(FlightReport)
    // Nil when there is none.
    case landing(LandingReport?)
    case prediction(PredictionReport?)
    case proposal(ProposalReport?)
    /// Without a car all of it is unknown.
    case chase(ChaseReport)
    /// Nil without a route by road.
    case route(RouteReport?)
    case info(InfoAnnouncement)
    case health(HealthReport)
    // Happenings: each is told once.
    case announcement(AnnouncementReport)
    case answer(AnswerReport)

    /// The report without its value.
    public enum Kind: CaseIterable, Sendable {
        case receiverState, state, info
        case position, radio, settings, flight, landing, prediction, proposal, health, chase, route
        case announcement, answer

        /// Its topic, below the gateway's. No raw value: a dictionary would hash the text at every look.
        public var name: String {
            switch self {
            case .receiverState: "receiver/state"
            case .state: "state"
            case .info: "bridge/info"
            case .position: "position"
            case .radio: "radio"
            case .settings: "settings"
            case .flight: "flight"
            case .landing: "landing"
            case .prediction: "prediction"
            case .proposal: "proposal"
            case .health: "health"
            case .chase: "chase"
            case .route: "route"
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
        case .landing: .landing
        case .prediction: .prediction
        case .proposal: .proposal
        case .chase: .chase
        case .route: .route
        case .info: .info
        case .health: .health
        case .announcement: .announcement
        case .answer: .answer
        }
    }

    /// As it is published everywhere.
    /// - Parameters:
    ///   - now: ages are counted to here.
    ///   - phrases: makes the sentences of events.
    public func payload(at now: MonotonicTime, in phrases: any Phrasebook) -> [UInt8] {
        switch self {
        case .position(let report): report.payload(at: now)
        case .radio(let report): report.payload
        case .receiverState(let isOnline): Array((isOnline ? "online" : "offline").utf8)
        case .state(let report): report.payload(at: now)
        case .settings(let report): report.payload
        case .flight(let report): report.payload
        case .landing(let report): report?.payload(at: now) ?? JSONText().object
        case .prediction(let report): report?.payload(at: now) ?? JSONText().object
        case .proposal(let report): report?.payload ?? JSONText().object
        case .chase(let report): report.payload(at: now)
        case .route(let report): report?.payload ?? JSONText().object
        case .info(let report): report.payload
        case .health(let report): report.payload
        case .announcement(let report): report.payload(in: phrases)
        case .answer(let report): report.payload
        }
    }
}
