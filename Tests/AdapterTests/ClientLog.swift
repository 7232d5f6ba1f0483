import MosquittoClient
import Synchronization

/// Collects a client's events.
final class ClientLog: Sendable {
    private let events = Mutex<[MosquittoEvent]>([])

    init(_ client: MosquittoClient) {
        Task {
            for await event in client.events {
                if case .message = event { client.messageTaken() }
                events.withLock { $0.append(event) }
            }
        }
    }

    var all: [MosquittoEvent] { events.withLock { $0 } }
    var connections: Int { all.count { $0 == .connected } }
    var acknowledged: [UInt64] {
        all.flatMap { event -> [UInt64] in if case .acknowledged(let keys) = event { keys } else { [] } }
    }
    var refused: [String] { all.compactMap { if case .refused(let topic, _, _) = $0 { topic } else { nil } } }
    var subscriptionsRefused: [String] {
        all.compactMap { event in
            if case .subscriptionRefused(let topic, let reason) = event { "\(topic): \(reason)" } else { nil }
        }
    }
    var messages: [MosquittoMessage] { all.compactMap { if case .message(let message) = $0 { message } else { nil } } }
    var payloads: [String] { messages.map { String(decoding: $0.payload, as: UTF8.self) } }
    var failures: [MosquittoFailure] {
        all.compactMap { event in
            switch event {
            case .connectFailed(let failure), .disconnected(let failure): failure
            case .connected, .message, .drained, .acknowledged, .refused, .subscriptionRefused: nil
            }
        }
    }
}
