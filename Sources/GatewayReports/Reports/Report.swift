public import ReceiverProtocol

/// The gateway's output as typed values. All feeds render the same reports.
///
/// The enum is indirect, so that passing a report on copies only a reference.
public indirect enum Report: Equatable, Sendable {
    // One for each frame or record.
    case position(PositionReport)
    case radio(RadioReport)
    /// Once a second while the receiver hears something.
    case signal(SignalReport)
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
    /// Nil without bearings.
    case bearings(BearingsReport?)
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
    /// no crew notices at a few reports a second.
    public enum Kind: String, CaseIterable, Sendable {
        case receiverState = "receiver/state"
        case state
        case info = "bridge/info"
        case position, radio, settings, flight, track, landing, prediction, winds, proposal, health, chase, route
        case horizon, signal, bearings
        case crews, sondes, recovery, launches
        case announcement = "event"
        case answer = "command/response"
    }

    public var kind: Kind { content(at: nil).kind }

    /// The payload as all feeds publish it.
    /// - Parameter now: the time for which ages are computed.
    public func payload(at now: MonotonicTime) -> [UInt8] { content(at: now).payload }

    /// - Parameter time: nil if only the kind is asked for. Then no payload is made.
    private func content(at time: MonotonicTime?) -> (kind: Kind, payload: [UInt8]) {
        let now = time ?? .zero
        func row(_ kind: Kind, _ payload: @autoclosure () -> [UInt8]) -> (Kind, [UInt8]) {
            (kind, time == nil ? [] : payload())
        }
        return switch self {
        case .position(let report): row(.position, report.payload(at: now))
        case .radio(let report): row(.radio, report.payload)
        case .signal(let report): row(.signal, report.payload(at: now))
        case .receiverState(let isOnline): row(.receiverState, Array((isOnline ? "online" : "offline").utf8))
        case .state(let report): row(.state, report.payload(at: now))
        case .settings(let report): row(.settings, report.payload)
        case .flight(let report): row(.flight, report.payload)
        case .track(let report): row(.track, report?.payload ?? JSONText().object)
        case .landing(let report): row(.landing, report?.payload(at: now) ?? JSONText().object)
        case .prediction(let report): row(.prediction, report?.payload(at: now) ?? JSONText().object)
        case .winds(let report): row(.winds, WindsReport.payload(of: report))
        case .horizon(let report): row(.horizon, report?.payload ?? JSONText().object)
        case .bearings(let report): row(.bearings, report?.payload ?? JSONText().object)
        case .proposal(let report): row(.proposal, report?.payload ?? JSONText().object)
        case .chase(let report): row(.chase, report.payload(at: now))
        case .route(let report): row(.route, report?.payload ?? JSONText().object)
        case .crews(let report): row(.crews, report.payload(at: now))
        case .sondes(let report): row(.sondes, report.payload(at: now))
        case .launches(let report): row(.launches, report.payload)
        case .recovery(let report): row(.recovery, report?.payload ?? JSONText().object)
        case .info(let report): row(.info, report.payload)
        case .health(let report): row(.health, report.payload)
        case .announcement(let report): row(.announcement, report.payload)
        case .answer(let report): row(.answer, report.payload)
        }
    }
}
