/// Tells another client with our id from a broker that flaps.
///
/// mosquitto 2.0.11 closes the older session without a word, in MQTT 5 too, just as a broker that restarts does. So the
/// session after a hang-up is begun with a witness: a second one under an id of its own, which does nothing. If the
/// broker hangs up again on us and the witness lives on, somebody has taken our id; if the broker restarts, both die.
///
/// ```
/// calm -- hang-up --> watching -- hang-up, witness lives --> known -- witness dies, or ten quiet minutes --> calm
///  ^                     |
///  +-- witness dies, or a quiet minute
/// ```
struct ClashWatch: Equatable {
    /// How a session ended.
    enum Ending: Equatable {
        /// The broker said that another client takes the session (MQTT 5).
        case toldTakenOver
        /// The broker hung up without a word, and no message of ours is to blame.
        case hangUp(Witness)
        case other
    }

    enum Witness: Equatable {
        case none, died, alive
    }

    enum Verdict: Equatable {
        case noClash
        /// To be told. The next attempt follows at once: it shows the other client the same.
        case newClash
        /// Told before; the other client has the session for a while.
        case knownClash
    }

    private enum State: Equatable { case calm, watching, known }

    /// A session that stood for this long makes an earlier hang-up meaningless.
    static let memory = Duration.seconds(60)
    /// Twice what the other client waits, with a known clash.
    static let longMemory = Duration.seconds(600)

    private var state = State.calm

    var wantsWitness: Bool { state != .calm }

    /// The session stands since `duration`.
    mutating func sessionStands(for duration: Duration) {
        if duration >= (state == .known ? Self.longMemory : Self.memory) { state = .calm }
    }

    mutating func sessionEnded(_ ending: Ending) -> Verdict {
        switch ending {
        case .other: return .noClash
        case .toldTakenOver, .hangUp(.alive):
            defer { state = .known }
            return state == .known ? .knownClash : .newClash
        case .hangUp(.none):
            // With a known clash the witness may have been refused or still been on its way.
            if state == .known { return .knownClash }
            state = .watching
        case .hangUp(.died): state = .watching
        }
        return .noClash
    }
}
