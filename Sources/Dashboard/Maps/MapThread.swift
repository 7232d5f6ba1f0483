import NIOCore
import NIOPosix
import Synchronization

/// The thread on which maps are read. A folder on a network disk that is away holds it up, and nobody else: who asks is
/// told so in time, and the program doesn't wait for it at its end.
///
///     the work                                  what is given
///     is done in time                           its value
///     takes longer than the time limit          nil; its value is let go
///     waits behind one that takes longer        nil; it isn't begun
///     comes while one takes longer              nil at once
final class MapThread: Sendable {
    /// As many requests as there can be at a time, and those that have given up; further ones are given nil.
    private static let mostWaiting = 64

    private struct State {
        /// What is being done, too.
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

    /// Doesn't wait for what is being done.
    func stop() {
        pool.shutdownGracefully { _ in }
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        (try? await future(of: work).get()).flatMap { $0 }
    }

    /// Holds up the caller.
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
        // The first of the two counts.
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
        // Nobody waits for it any more.
        guard isTurn else { return nil }
        state.withLock { $0.startedAt = .now() }
        return work()
    }
}
