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
///
/// The other client finds out in the same way, and needs our attempts for it: it gets two more of them before it has
/// the session for a while.
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

    private enum State: Equatable {
        case calm, watching
        /// - Parameter chances: that the other client gets to find out, too.
        case known(chances: Int)
    }

    private static let chances = 2

    /// A session that stood for this long makes an earlier hang-up meaningless.
    static let memory = Duration.seconds(60)
    /// Twice what the other client waits, with a known clash.
    static let longMemory = Duration.seconds(600)

    private var state = State.calm

    var wantsWitness: Bool { state != .calm }
    /// The other client was told of, and is there still for all that is known.
    var isKnown: Bool { if case .known = state { true } else { false } }

    /// The session stands since `duration`.
    mutating func sessionStands(for duration: Duration) {
        if duration >= (isKnown ? Self.longMemory : Self.memory) { state = .calm }
    }

    mutating func sessionEnded(_ ending: Ending) -> Verdict {
        switch (ending, state) {
        case (.other, _): return .noClash
        case (.toldTakenOver, .known):
            // The broker tells the other one as well.
            state = .known(chances: 0)
            return .knownClash
        case (.hangUp(.alive), .known(let chances)), (.hangUp(.none), .known(let chances)):
            // Without a witness: it may have been refused or still been on its way.
            guard chances > 0 else { return .knownClash }
            state = .known(chances: chances - 1)
            return .noClash
        case (.toldTakenOver, _), (.hangUp(.alive), _):
            state = .known(chances: Self.chances)
            return .newClash
        case (.hangUp(.none), _), (.hangUp(.died), _):
            state = .watching
            return .noClash
        }
    }
}
