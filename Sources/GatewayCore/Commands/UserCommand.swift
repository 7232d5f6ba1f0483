public import ReceiverProtocol

/// A command as MQTT brings it, understood but not yet weighed against the receiver's state.
public enum UserCommand: Equatable, Sendable {
    /// Either part may be missing: the receiver's own then stays.
    case tune(frequencyMHz: Double?, sondeType: SondeType?)
    case mute(Bool)
    case requestSettings
    case settings([SettingChange])
    /// The mean of the last AFC values becomes the receiver's frequency offset.
    case saveFrequencyOffset
    /// Hz.
    case setFrequencyOffset(Int)
    case acceptProposal(Bool)
    /// Nil lets go of the hunted sonde.
    case hunt(SondeSerial?)
    case landingPoint(latitude: Double, longitude: Double)
    case predict
    /// Nil returns to the configuration's.
    case frequencySync(FrequencySyncPolicy?)

    /// The word for it in answers.
    public var verb: String {
        switch self {
        case .tune: "tune"
        case .mute: "mute"
        case .requestSettings: "request"
        case .settings: "settings"
        case .saveFrequencyOffset, .setFrequencyOffset: "frequency_offset"
        case .acceptProposal: "accept_proposal"
        case .hunt: "hunt"
        case .landingPoint: "landing_point"
        case .predict: "predict"
        case .frequencySync: "options"
        }
    }
}

/// What the configuration lets commands do.
public struct CommandPolicy: Equatable, Sendable {
    /// MHz.
    public var frequencyRange: ClosedRange<Double>
    /// Settings that can cut the gateway off or brick the board are let through.
    public var allowsDangerousSettings: Bool

    public init(frequencyRange: ClosedRange<Double> = 400...406, allowsDangerousSettings: Bool = false) {
        self.frequencyRange = frequencyRange
        self.allowsDangerousSettings = allowsDangerousSettings
    }
}

/// Why a command was not carried out: a code for programs, a sentence for people that says what is accepted.
public struct CommandRefusal: Error, Equatable, Sendable {
    /// A closed set, published in answers.
    public enum Code: String, CaseIterable, Sendable {
        case tooLong = "too_long"
        case badJSON = "bad_json"
        case notAnObject = "not_an_object"
        case unknownKey = "unknown_key"
        case noVerb = "no_verb"
        case twoVerbs = "two_verbs"
        case wrongType = "wrong_type"
        case outOfRange = "out_of_range"
        case dangerous
        case retained
        case responseTopic = "response_topic"
        case receiverOffline = "receiver_offline"
        case busy
        case superseded
        case typeRequired = "type_required"
        case frequencyRequired = "frequency_required"
        case noProposal = "no_proposal"
        case noAFC = "no_afc"
        case unavailable
        case timedOut = "timed_out"
        case stopping
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
