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
    // Nil if there is none.
    case landing(LandingReport?)
    case prediction(PredictionReport?)
    case proposal(ProposalReport?)
    /// All fields are nil while the car's position is unknown.
    case chase(ChaseReport)
    /// Nil without a route by road.
    case route(RouteReport?)
    case info(InfoAnnouncement)
    case health(HealthReport)
    // Happenings: each is published once.
    case announcement(AnnouncementReport)
    case answer(AnswerReport)

    /// The report without its value.
    public enum Kind: CaseIterable, Sendable {
        case receiverState, state, info
        case position, radio, settings, flight, landing, prediction, proposal, health, chase, route
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

    /// The payload as all feeds publish it.
    /// - Parameters:
    ///   - now: the time for which ages are computed.
    ///   - phrases: the language of the events' sentences.
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
