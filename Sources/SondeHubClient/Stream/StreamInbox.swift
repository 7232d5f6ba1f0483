import DequeModule
import Gateway
import GatewayReports
import Synchronization

/// Passes a stream's messages on to their reader. At most ``limit`` of them wait. Beyond it the oldest is dropped and
/// counted.
final class StreamInbox: Sendable {
    static let limit = 64

    /// What has come since the last ``drain()``.
    struct Batch {
        var isOpened = false
        var messages: Deque<IncomingMessage> = []
        var dropped = 0
        /// Why the connection ended; nil while it stands.
        var end: OnlineServiceError?
    }

    private let batch = Mutex(Batch())
    /// An element says that ``drain()`` has something.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func drain() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }

    /// The server has accepted the subscription.
    func open() {
        batch.withLock { $0.isOpened = true }
        signal.yield()
    }

    func receive(_ message: IncomingMessage) {
        batch.withLock { batch in
            batch.messages.append(message)
            guard batch.messages.count > Self.limit else { return }
            batch.messages.removeFirst()
            batch.dropped += 1
        }
        signal.yield()
    }

    /// The connection has ended. The first reason counts, because the others follow from it.
    func end(_ reason: OnlineServiceError) {
        batch.withLock { $0.end = $0.end ?? reason }
        signal.yield()
    }
}
