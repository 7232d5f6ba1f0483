public import Gateway
public import Logging
public import ReceiverProtocol

/// Logs the MQTT session's events: each fault once a minute, a recovery only if its fault was logged.
public struct BrokerLog {
    /// A warning about another client with our id is logged once in this time.
    private static let rivalInterval = Duration.seconds(3600)

    private let log: Logger
    private var repeats = RepeatedFaults()
    private var isLoggedAsAway = true
    private var rivalLoggedAt: MonotonicTime?
    private var loggedLacks: Set<BrokerFeature> = []

    public init(log: Logger) { self.log = log }

    public mutating func note(_ event: BrokerEvent, at now: MonotonicTime) {
        switch event {
        case .connected(let version):
            if isLoggedAsAway { log.notice("broker connected", metadata: ["mqtt": "\(version.rawValue)"]) }
            isLoggedAsAway = false
        case .lacks(let feature):
            guard loggedLacks.insert(feature).inserted else { return }
            log.warning("the broker \(feature.lack.what)", metadata: ["why": "\(feature.lack.cost)"])
        case .disconnected(let failure) where failure.code == .takenOver && isRivalKnown(now):
            isLoggedAsAway = true
            log.info("another client with this client id has the session; retrying more slowly")
        case .disconnected(let failure):
            if failure.code == .takenOver { rivalLoggedAt = now }
            warn("broker lost; retrying", failure, at: now)
        case .connectFailed(let failure):
            warn("no connection to the broker; retrying", failure, at: now)
        case .downgraded(let reason):
            repeats.log(
                "the broker speaks no MQTT 5; using MQTT 3.1.1", level: .notice, facts: ["why": "\(reason)"], to: log,
                at: now)
        case .refused(let refusal) where refusal.isGivenBack:
            repeats.log(
                "the broker limits the number of messages; they go more slowly, positions and events first",
                level: .warning, facts: ["why": "\(refusal.reason)"], to: log, at: now)
        case .refused(let refusal):
            guard let count = repeats.admits(refusal.topic, at: now) else { return }
            var metadata: Logger.Metadata = [
                "topic": "\(refusal.topic)", "bytes": "\(refusal.bytes)", "why": "\(refusal.reason)",
            ]
            if count > 1 { metadata["times"] = "\(count)" }
            if refusal.isTransient {
                log.warning("the broker does not take a message now; it is sent again later", metadata: metadata)
            } else {
                log.warning("the broker does not take a message; it is dropped", metadata: metadata)
            }
        case .subscriptionRefused(let topic, let reason):
            log.warning(
                "the broker refuses a subscription; messages on this topic don't arrive; retrying every 30 s",
                metadata: ["topic": "\(topic)", "why": "\(reason)"])
        case .subscriptionAccepted(let topic):
            log.notice("the broker accepts a subscription now", metadata: ["topic": "\(topic)"])
        case .oversized(let topic, let bytes):
            guard let count = repeats.admits(topic, at: now) else { return }
            log.warning(
                "a message is too large and is ignored",
                metadata: ["topic": "\(topic)", "bytes": "\(bytes)", "times": "\(count)"])
        case .message, .drained, .returned, .acknowledged: break  // Ordinary traffic is not logged.
        }
    }

    private func isRivalKnown(_ now: MonotonicTime) -> Bool {
        rivalLoggedAt.map { now < $0.advanced(by: Self.rivalInterval) } ?? false
    }

    private mutating func warn(_ message: String, _ failure: BrokerFailure, at now: MonotonicTime) {
        let isLogged = repeats.log(message, level: .warning, facts: ["why": "\(failure)"], to: log, at: now)
        isLoggedAsAway = isLoggedAsAway || isLogged
    }
}
