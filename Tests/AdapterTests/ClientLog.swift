import Gateway
import MosquittoClient
import Synchronization

/// Collects a client's events.
final class ClientLog: Sendable {
    private let events = Mutex<[BrokerEvent]>([])
    /// What the session has given back, until ``takeReturned()``.
    private let returned = Mutex<[OutgoingMessage]>([])

    init(_ client: MosquittoClient) {
        Task {
            await client.receive { event in
                events.withLock { $0.append(event) }
                if case .returned(let messages) = event { returned.withLock { $0 += messages } }
            }
        }
    }

    func takeReturned() -> [OutgoingMessage] {
        returned.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }

    var all: [BrokerEvent] { events.withLock { $0 } }
    var versions: [MQTTVersion] { all.compactMap { if case .connected(let version) = $0 { version } else { nil } } }
    var connections: Int { versions.count }
    var acknowledged: [UInt64] {
        all.flatMap { event -> [UInt64] in if case .acknowledged(let keys) = event { keys } else { [] } }
    }
    var refused: [String] { all.compactMap { if case .refused(let refusal) = $0 { refusal.topic } else { nil } } }
    var subscriptionsRefused: [String] {
        all.compactMap { event in
            if case .subscriptionRefused(let topic, let reason) = event { "\(topic): \(reason)" } else { nil }
        }
    }
    var messages: [IncomingMessage] { all.compactMap { if case .message(let message) = $0 { message } else { nil } } }
    var payloads: [String] { messages.map { String(decoding: $0.payload, as: UTF8.self) } }
    /// The topics of messages that were too large.
    var oversized: [String] { all.compactMap { if case .oversized(let topic, _) = $0 { topic } else { nil } } }
    var failures: [BrokerFailure] {
        all.compactMap { event in
            switch event {
            case .connectFailed(let failure), .disconnected(let failure): failure
            case .connected, .lacks, .downgraded, .message, .drained, .returned, .acknowledged, .refused,
                .subscriptionRefused,
                .subscriptionAccepted, .oversized:
                nil
            }
        }
    }
}
