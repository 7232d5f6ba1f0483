import DequeModule
import Gateway
import GatewayReports
import Synchronization

/// Passes the events of a stream's MQTT session on to their reader. At most ``limit`` messages wait. Beyond it the
/// oldest is dropped and counted.
final class StreamInbox: Sendable {
    static let limit = 64

    /// The events since the last ``drain()``.
    struct Batch {
        var isOpened = false
        var messages: Deque<IncomingMessage> = []
        var dropped = 0
        /// Why the session ended; nil while it stands.
        var end: BrokerFailure?
    }

    private let batch = Mutex(Batch())
    /// The stream ends if the server refuses the subscription to this topic.
    private let neededTopic: String
    /// An element says that ``drain()`` has events.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(neededTopic: String) {
        self.neededTopic = neededTopic
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func drain() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }

    func receive(_ event: BrokerEvent) {
        batch.withLock { batch in
            switch event {
            case .connected: batch.isOpened = true
            case .message(let message):
                batch.messages.append(message)
                guard batch.messages.count > Self.limit else { break }
                batch.messages.removeFirst()
                batch.dropped += 1
            case .disconnected(let failure), .connectFailed(let failure): batch.end = batch.end ?? failure
            case .subscriptionRefused(topic: neededTopic, let reason):
                batch.end = BrokerFailure(.refused, "the server refuses the subscription: \(reason)")
            // The stream goes on without the other topics. The session publishes nothing.
            case .subscriptionRefused, .lacks, .downgraded, .drained, .returned, .acknowledged, .refused,
                .subscriptionAccepted,
                .oversized:
                break
            }
        }
        signal.yield()
    }
}
