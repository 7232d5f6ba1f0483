import Gateway

/// Chooses the protocol version of the next connection attempt.
///
/// Without a configured version the first attempt uses MQTT 5. A broker that only speaks 3.1.1 says so (NATS), or
/// closes the connection instead of answering CONNECT (RabbitMQ before 3.13). A restarting broker closes it, too. So
/// the next attempt probes with 3.1.1, and the one after it uses MQTT 5 again.
///
/// | state: version | the attempt ends | next state |
/// | --- | --- | --- |
/// | first: 5 | "unsupported protocol version" | settled |
/// | first: 5 | closed, no answer | probe |
/// | probe: 3.1.1 | accepted; the client leaves | second |
/// | second: 5 | "unsupported protocol version", or closed, no answer | settled |
/// | second: 5 | accepted | first |
/// | settled: 3.1.1 | the session ends | settled |
/// | any | another failure | first |
struct ProtocolChoice: Equatable {
    /// How an attempt failed.
    enum Failure {
        case unsupported
        /// The broker closed the connection instead of answering CONNECT.
        case unanswered
        case other
    }

    private enum State {
        case first, probe, second, settled
    }

    private let configured: MQTTVersion?
    private var state = State.first

    /// - Parameter configured: nil to choose automatically.
    init(_ configured: MQTTVersion?) {
        self.configured = configured
    }

    var version: MQTTVersion { configured ?? (state == .probe || isSettled ? .v311 : .v5) }
    /// If the broker accepts the session, the client leaves it at once.
    var isProbe: Bool { state == .probe }
    /// The broker speaks 3.1.1 only.
    var isSettled: Bool { state == .settled }

    /// The broker has accepted the login.
    mutating func accepted() {
        switch state {
        case .probe: state = .second
        case .first, .second: state = .first
        case .settled: break  // Until an attempt fails: then another broker may be there.
        }
    }

    /// - Returns: whether the next attempt follows at once, with the other version.
    mutating func attemptFailed(_ failure: Failure) -> Bool {
        guard configured == nil else { return false }
        switch (state, failure) {
        case (.first, .unsupported), (.second, .unsupported), (.second, .unanswered): state = .settled
        case (.first, .unanswered): state = .probe
        case (.probe, _), (.settled, _), (.first, .other), (.second, .other):
            state = .first
            return false
        }
        return true
    }
}
