import NIOCore
import NIOPosix
import Synchronization

/// The thread that reads maps. A network disk that does not answer blocks only this thread. Requests then get nil in
/// time, and a stop does not wait.
///
///     the work                                   the result
///     ends in time                               its value
///     takes longer than the time limit           nil; its value is dropped
///     waits behind work that takes longer        nil; it is not begun
///     comes while other work takes longer        nil at once
final class MapThread: Sendable {
    /// The most requests in the queue, with those whose time is over; further ones get nil.
    private static let mostWaiting = 64

    private struct State {
        /// The number of requests in the queue, with the one under way.
        var waiting = 0
        var startedAt: NIODeadline?
    }

    private let timeLimit: TimeAmount
    private let pool = NIOThreadPool(numberOfThreads: 1)
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let state = Mutex(State())

    init(timeLimit: Duration) {
        self.timeLimit = TimeAmount(timeLimit)
    }

    func start() { pool.start() }

    /// Ends the thread; does not wait for work under way.
    func stop() {
        pool.shutdownGracefully { _ in }
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        (try? await future(of: work).get()).flatMap { $0 }
    }

    /// Runs the work and blocks the caller until its result.
    func runAndWait<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
        (try? future(of: work).wait()).flatMap { $0 }
    }

    private func future<Value: Sendable>(of work: @escaping @Sendable () -> Value) -> EventLoopFuture<Value?> {
        let isTaken = state.withLock { state in
            let isLate = state.startedAt.map { .now() - $0 > timeLimit } ?? false
            guard !isLate, state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            return true
        }
        guard isTaken else { return loop.makeSucceededFuture(nil) }
        let deadline = NIODeadline.now() + timeLimit
        let promise = loop.makePromise(of: Value?.self)
        // The first of the two results counts.
        let clock = loop.scheduleTask(deadline: deadline) { promise.succeed(nil) }
        promise.futureResult.whenComplete { _ in clock.cancel() }
        pool.submit { turn in
            promise.succeed(self.value(of: work, isTurn: turn == .active && .now() < deadline))
        }
        return promise.futureResult
    }

    private func value<Value>(of work: () -> Value, isTurn: Bool) -> Value? {
        defer {
            state.withLock { state in
                state.waiting -= 1
                state.startedAt = nil
            }
        }
        // The request's time is over.
        guard isTurn else { return nil }
        state.withLock { $0.startedAt = .now() }
        return work()
    }
}
