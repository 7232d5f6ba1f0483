import ReceiverProtocol

/// The keys of a JSON object that name a command.
enum Verb: String, CaseIterable {
    case frequency, type, mute, request, settings, tune, hunt, predict, options, forget, route, recovery, search
    case bearing
    case acceptProposal = "accept_proposal"
    case landingPoint = "landing_point"
    case logLevel = "log_level"

    /// The command's name in answers.
    var name: String {
        switch self {
        case .frequency, .type: "tune"
        case .tune: "frequency_offset"
        case .mute, .request, .settings, .hunt, .predict, .options, .forget, .route, .recovery, .search, .bearing,
            .acceptProposal,
            .landingPoint,
            .logLevel:
            rawValue
        }
    }

    /// The keys that may accompany this one.
    var companions: Set<Verb> {
        switch self {
        case .frequency: [.type]
        case .type: [.frequency]
        case .mute, .request, .settings, .tune, .hunt, .predict, .options, .forget, .route, .recovery, .search,
            .bearing,
            .acceptProposal, .landingPoint, .logLevel:
            []
        }
    }

    /// Whether this kind of topic allows the command.
    func passes(_ door: CommandDoor) -> Bool {
        switch door {
        case .any: true
        case .frequency: self == .frequency
        case .sondeType: self == .type
        case .mute: self == .mute
        case .requestSettings: self == .request
        }
    }
}
