/// Why a command was not carried out: a code for programs, and a sentence for people that says what is accepted.
public struct CommandRefusal: Error, Equatable, Sendable {
    /// A closed set, published in answers.
    public enum Code: String, CaseIterable, Sendable {
        case tooLong = "too_long"
        case badJSON = "bad_json"
        case notAnObject = "not_an_object"
        case unknownKey = "unknown_key"
        case noVerb = "no_verb"
        case twoVerbs = "two_verbs"
        /// The command does not belong on the topic on which it came.
        case wrongTopic = "wrong_topic"
        case wrongType = "wrong_type"
        case outOfRange = "out_of_range"
        case dangerous
        case retained
        /// The command's own time is too far from the gateway's.
        case late
        case responseTopic = "response_topic"
        case receiverOffline = "receiver_offline"
        case busy
        case superseded
        case typeRequired = "type_required"
        case frequencyRequired = "frequency_required"
        case noProposal = "no_proposal"
        case noAFC = "no_afc"
        case noSonde = "no_sonde"
        /// A sonde that flies can't be reported as recovered or not found.
        case inTheAir = "in_the_air"
        case unavailable
        /// The service that the command asks has not answered.
        case noAnswer = "no_answer"
        case timedOut = "timed_out"
        case stopping
        /// Carried out, but the store could not keep it in time. The only code beside the status `done`.
        case notStored = "not_stored"
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public static let noProposal = CommandRefusal(.noProposal, "no frequency proposal is open")
    public static let noSonde = CommandRefusal(.noSonde, "no sonde is followed yet")
    public static let receiverOffline = CommandRefusal(.receiverOffline, "no link to the receiver")

    public static func wrongType(_ key: String, accepts accepted: String) -> CommandRefusal {
        CommandRefusal(.wrongType, "\(key) must be \(accepted)")
    }
}
