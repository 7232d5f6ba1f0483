import CLinux
import CMosquitto
import DequeModule
import Glibc
import Synchronization

/// A broker connection that keeps itself up. All of libmosquitto runs on one thread of its own.
///
/// Constructing does nothing; ``start()`` begins, ``stop()`` ends for good. Messages go out in order, while a session
/// is open. At most
/// ``window`` of them are with the library without the broker's acknowledgement, and at most ``queueLimit`` wait in
/// front of it: beyond that ``publish(_:)`` says no.
public final class MosquittoClient: Sendable {
    /// Messages handed to libmosquitto and not acknowledged yet; its own queue is unbounded.
    public static let window = 400
    /// Messages that wait for the window.
    public static let queueLimit = 2000
    /// The longest that ``stop()`` takes, seconds.
    static let stopLimit = 2.5
    /// Incoming messages kept for a slow consumer; more are dropped and counted.
    public static let incomingLimit = 256

    /// What happens, in order. One consumer.
    public let events: AsyncStream<MosquittoEvent>

    let configuration: MosquittoConfiguration
    let continuation: AsyncStream<MosquittoEvent>.Continuation
    let shared = Mutex(Shared())
    let wakeDescriptor: Int32

    /// What both sides touch.
    struct Shared {
        var outgoing: Deque<MosquittoMessage> = []
        var isConnected = false
        var isStopping = false
        var isRunning = false
        var isFinished = false
        var wasFull = false
        var incomingDropped = 0
        var incomingPending = 0
        var onFinish: CheckedContinuation<Void, Never>?
    }

    /// - Throws: code `configuration` when the options or TLS files can't be honoured; nothing is connected yet.
    public init(_ configuration: MosquittoConfiguration) throws(MosquittoFailure) {
        _ = try MosquittoSession(configuration)
        self.configuration = configuration
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else { throw MosquittoFailure(.configuration, String(cString: strerror(errno))) }
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    deinit {
        close(wakeDescriptor)
    }

    /// Messages that wait in front of the broker.
    public var queueDepth: Int { shared.withLock { $0.outgoing.count } }
    /// Messages from the broker that came faster than the consumer took them.
    public var incomingDropped: Int { shared.withLock { $0.incomingDropped } }

    /// Starts the thread. A second call does nothing.
    public func start() {
        let isFirst = shared.withLock { shared in
            defer { shared.isRunning = true }
            return !shared.isRunning
        }
        guard isFirst else { return }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let loop = Unmanaged.passRetained(MosquittoLoop(self))
        let status = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<MosquittoLoop>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, loop.toOpaque())
        pthread_attr_destroy(&attributes)
        guard status != 0 else { return }
        loop.release()
        continuation.yield(.connectFailed(MosquittoFailure(.configuration, String(cString: strerror(status)))))
        finished()
    }

    /// What became of a message.
    public enum Publication: Equatable, Sendable {
        case taken
        /// ``queueLimit`` messages wait already; ``MosquittoEvent/drained`` says when there is room again.
        case full
        /// There is no session to carry it.
        case offline
    }

    /// Queues a message for the session that is open. If it ends first, the message is forgotten: what is worth another
    /// try, and when, is its owner's to know, by the acknowledgement that did not come.
    public func publish(_ message: MosquittoMessage) -> Publication {
        let outcome = shared.withLock { shared -> Publication in
            guard shared.isConnected, !shared.isStopping else { return .offline }
            guard shared.outgoing.count < Self.queueLimit else {
                shared.wasFull = true
                return .full
            }
            shared.outgoing.append(message)
            return .taken
        }
        if outcome == .taken { wake() }
        return outcome
    }

    /// The consumer has taken a message event; makes room for the next.
    public func messageTaken() {
        shared.withLock { $0.incomingPending -= 1 }
    }

    /// Sends what is queued, disconnects cleanly, ends the thread; gives up waiting after about two seconds.
    public func stop() async {
        shared.withLock { $0.isStopping = true }
        wake()
        await withCheckedContinuation { waiter in
            let isOver = shared.withLock { shared in
                if shared.isFinished || !shared.isRunning { return true }
                shared.onFinish = waiter
                return false
            }
            if isOver { return waiter.resume() }
            // The thread can hang in a name look-up, which nothing can interrupt; it must not hold up the process.
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(Self.stopLimit))
                self?.releaseStopper()
            }
        }
        continuation.finish()
    }

    func finished() {
        shared.withLock { $0.isFinished = true }
        releaseStopper()
    }

    private func releaseStopper() {
        let waiter = shared.withLock { shared in
            defer { shared.onFinish = nil }
            return shared.onFinish
        }
        waiter?.resume()
    }

    /// Rouses the thread from its poll.
    func wake() {
        eventfd_write(wakeDescriptor, 1)
    }

    /// Yields an event; messages are bounded, since whoever may publish to us may do so without end.
    func report(_ event: MosquittoEvent) {
        if case .message = event {
            let isTaken = shared.withLock { shared in
                guard shared.incomingPending < Self.incomingLimit else {
                    shared.incomingDropped += 1
                    return false
                }
                shared.incomingPending += 1
                return true
            }
            guard isTaken else { return }
        }
        continuation.yield(event)
    }
}
