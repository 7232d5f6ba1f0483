import Gateway

/// Chooses the protocol version of the next connection attempt.
///
/// Without a configured version the first attempt uses MQTT 5. A broker that only speaks 3.1.1 says so (NATS), or
/// closes the connection instead of answering CONNECT (RabbitMQ before 3.13). A restarting broker closes it, too, and so
/// does a bad line. So the next attempt probes with 3.1.1, and the one after it uses MQTT 5 again. Only if that happens
/// ``proofs`` times in turn, the broker is taken to speak 3.1.1; and each later session tries MQTT 5 once before.
///
/// | state: version | the attempt ends | next state |
/// | --- | --- | --- |
/// | first: 5 | "unsupported protocol version" | settled |
/// | first: 5 | closed, no answer | probe |
/// | probe: 3.1.1 | accepted; the client leaves | again |
/// | again: 5 | "unsupported protocol version" | settled |
/// | again: 5 | closed, no answer | probe; after ``proofs`` probes, believed |
/// | again: 5 | accepted | first |
/// | settled: 3.1.1 | the session ends | settled |
/// | believed: 3.1.1 | the session ends | again, with all its probes |
/// | any | another failure | first |
struct ProtocolChoice: Equatable {
    /// How an attempt failed.
    enum Failure {
        case unsupported
        /// The broker closed the connection instead of answering CONNECT.
        case unanswered
        case other
    }

    private enum State: Equatable {
        case first
        /// - count: of the probes so far, with this one.
        case probe(count: Int)
        case again(probes: Int)
        case settled, believed
    }

    /// So many probes must succeed between attempts with MQTT 5 that get no answer.
    static let proofs = 2

    private let configured: MQTTVersion?
    private var state = State.first

    /// - Parameter configured: nil to choose automatically.
    init(_ configured: MQTTVersion?) {
        self.configured = configured
    }

    var version: MQTTVersion { configured ?? (isProbe || isSettled ? .v311 : .v5) }
    /// If the broker accepts the session, the client leaves it at once.
    var isProbe: Bool { if case .probe = state { true } else { false } }
    /// The broker speaks 3.1.1 only.
    var isSettled: Bool { state == .settled || state == .believed }

    /// The broker has accepted the login.
    mutating func accepted() {
        switch state {
        case .probe(let count): state = .again(probes: count)
        case .first, .again: state = .first
        case .settled: break  // Until an attempt fails: then another broker may be there.
        case .believed: state = .again(probes: Self.proofs)
        }
    }

    /// - Returns: whether the next attempt follows at once, with the other version.
    mutating func attemptFailed(_ failure: Failure) -> Bool {
        guard configured == nil else { return false }
        switch (state, failure) {
        case (.first, .unsupported), (.again, .unsupported): state = .settled
        case (.first, .unanswered): state = .probe(count: 1)
        case (.again(let probes), .unanswered): state = probes < Self.proofs ? .probe(count: probes + 1) : .believed
        case (.probe, _), (.settled, _), (.believed, _), (.first, .other), (.again, .other):
            state = .first
            return false
        }
        return true
    }
}
