import Glibc

/// Finds out whether the broker takes the user name as client id (mosquitto's `use_username_as_clientid`): then a login
/// with the same user and another client id ends our session at once. Another client with our user, like `send`, does
/// the same, and a client id of its own does not help.
final class UserNameTrial {
    /// The login ends our session within this time, or it is not the reason.
    private static let atOnce = Duration.milliseconds(300)
    /// A session that stands for longer needs no trial.
    static let limit = Duration.seconds(3)

    private let other: MosquittoClient
    private var isOver = false

    /// Nil without a user name.
    init?(_ configuration: MosquittoConfiguration) {
        guard configuration.username != nil else { return nil }
        var configuration = configuration
        configuration.clientID += "-trial"
        (configuration.will, configuration.subscriptions, configuration.markPath) = (nil, [], nil)
        guard let other = try? MosquittoClient(configuration) else { return nil }
        self.other = other
    }

    /// Logs in beside the open session.
    func start() { other.start() }

    func stop() {
        guard !isOver else { return }
        isOver = true
        Task { [other] in await other.stop() }
    }

    /// Whether the session ended just when the other login succeeded. Call it when the session has ended.
    func wasTheReason() -> Bool {
        let until = ContinuousClock.now + Self.atOnce
        // The broker ends our session before it answers the other login.
        while other.sessionAge == nil, ContinuousClock.now < until { usleep(20_000) }
        return other.sessionAge.map { $0 < Self.atOnce * 2 } ?? false
    }
}
