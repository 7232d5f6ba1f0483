import Gateway

/// Finds out whether the broker takes the user name as client id. Then a login with another client id ends the first
/// session of the same user.
public struct SharedUserTrial: Sendable {
    private let configuration: MosquittoConfiguration
    private let limit: Duration

    /// The first session ends before the second login is acknowledged or so soon after it, or that is not the cause.
    private static let coincidence = Duration.milliseconds(500)
    /// So many trials must say the same, because a bad line may end a session at any time.
    private static let proofs = 2

    /// - Parameter limit: for one trial.
    public init(_ configuration: MosquittoConfiguration, within limit: Duration) {
        var configuration = configuration
        (configuration.will, configuration.subscriptions, configuration.markPath) = (nil, [], nil)
        (self.configuration, self.limit) = (configuration, limit)
    }

    /// - Returns: false also if the broker does not answer.
    public func isShared() async -> Bool {
        for _ in 0..<Self.proofs {
            guard await secondEndsFirst() else { return false }
        }
        return true
    }

    private func secondEndsFirst() async -> Bool {
        guard let first = client("-trial1"), let second = client("-trial2") else { return false }
        let other = Task { await Self.login(second, thenStop: first) }
        let deadline = Task {
            try await Task.sleep(for: limit)
            await second.stop()
            await first.stop()
        }
        defer { deadline.cancel() }
        var endedAt: ContinuousClock.Instant?
        first.start()
        await first.receive { event in
            switch event {
            case .connected: second.start()
            case .disconnected:
                endedAt = endedAt ?? .now
                await first.stop()
            case .connectFailed:
                await first.stop()
                await second.stop()
            case .lacks, .downgraded, .message, .oversized, .drained, .returned, .acknowledged, .refused,
                .subscriptionRefused,
                .subscriptionAccepted:
                break  // They say nothing about the other login.
            }
        }
        guard let loggedInAt = await other.value, let endedAt else { return false }
        return endedAt - loggedInAt < Self.coincidence
    }

    /// - Returns: when the broker accepted the login; nil if it did not.
    private static func login(
        _ client: MosquittoClient, thenStop first: MosquittoClient
    ) async -> ContinuousClock.Instant? {
        var loggedInAt: ContinuousClock.Instant?
        await client.receive { event in
            switch event {
            case .connected:
                loggedInAt = loggedInAt ?? .now
                try? await Task.sleep(for: coincidence)
                await client.stop()
            case .disconnected, .connectFailed: await client.stop()
            case .lacks, .downgraded, .message, .oversized, .drained, .returned, .acknowledged, .refused,
                .subscriptionRefused,
                .subscriptionAccepted:
                break  // They say nothing about the other login.
            }
        }
        await first.stop()
        return loggedInAt
    }

    private func client(_ suffix: String) -> MosquittoClient? {
        var configuration = configuration
        configuration.clientID += suffix
        return try? MosquittoClient(configuration)
    }
}
