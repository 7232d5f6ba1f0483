import GatewayReports
import Glibc
import Synchronization
import Threads
import TransportIO

/// Runs a blocking system call (for example a name look-up) on a thread of its own.
///
/// If the waiting task is cancelled, it returns at once. `discard` then gets the late result.
func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws(TransportError) -> Value,
    discard: @escaping @Sendable (Value) -> Void
) async throws(TransportError) -> Value {
    let box = BlockingBox(body: body, discard: discard)
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { box.start($0) }
    } onCancel: {
        box.abandon()
    }
    return try result.get()
}

private final class BlockingBox<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, TransportError>

    private enum State {
        case idle
        case waiting(CheckedContinuation<Outcome, Never>)
        case over
    }

    private let body: @Sendable () throws(TransportError) -> Value
    private let discard: @Sendable (Value) -> Void
    private let state = Mutex(State.idle)

    init(body: @escaping @Sendable () throws(TransportError) -> Value, discard: @escaping @Sendable (Value) -> Void) {
        self.body = body
        self.discard = discard
    }

    func start(_ waiter: CheckedContinuation<Outcome, Never>) {
        let isAbandoned = state.withLock { state in
            if case .over = state { return true }
            state = .waiting(waiter)
            return false
        }
        guard !isAbandoned else { return waiter.resume(returning: Self.cancelled) }
        runOnThread(named: "one call") { self.finish(Result { () throws(TransportError) in try self.body() }) }
    }

    func abandon() {
        takeWaiter()?.resume(returning: Self.cancelled)
    }

    private func finish(_ outcome: Outcome) {
        if let waiter = takeWaiter() {
            waiter.resume(returning: outcome)
        } else if case .success(let value) = outcome {
            discard(value)
        }
    }

    private func takeWaiter() -> CheckedContinuation<Outcome, Never>? {
        state.withLock { state in
            defer { state = .over }
            guard case .waiting(let waiter) = state else { return nil }
            return waiter
        }
    }

    private static var cancelled: Outcome { .failure(TransportError(.cancelled, "cancelled")) }
}
