import GatewayReports
import NIOCore
import NIOPosix

/// Runs `work`, and cancels it after `limit`.
/// - Throws: `timedOut`, or the error of `work`.
func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(OnlineServiceError) -> Value
) async throws(OnlineServiceError) -> Value {
    let outcome = await withTaskGroup(of: Result<Value, OnlineServiceError>?.self) { group in
        group.addTask {
            do throws(OnlineServiceError) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            do {
                try await pause(for: limit)
                return .failure(OnlineServiceError(.timedOut, "no complete answer within \(limit.inSeconds)"))
            } catch {
                // Our caller cancelled both tasks; `work` reports that itself.
                return nil
            }
        }
        var first: Result<Value, OnlineServiceError>?
        while first == nil, let outcome = await group.next() { first = outcome }
        group.cancelAll()
        return first
    }
    guard let outcome else { throw OnlineServiceError(.cancelled, "cancelled") }
    return try outcome.get()
}

/// Like ``within(_:_:)``, for work of which a part can't be cancelled, such as the search for a name. After `limit`, or
/// when the caller is cancelled, the work is cancelled, and what of it goes on is not waited for.
/// - Parameter late: gets a value that comes after that.
func abandoning<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(OnlineServiceError) -> Value,
    late: @escaping @Sendable (Value) async -> Void
) async throws(OnlineServiceError) -> Value {
    let (outcomes, inbox) = AsyncStream<Result<Value, OnlineServiceError>>.makeStream(
        bufferingPolicy: .bufferingOldest(1))
    let task = Task {
        do throws(OnlineServiceError) {
            let value = try await work()
            switch inbox.yield(.success(value)) {
            case .enqueued: break
            case .dropped, .terminated: await late(value)
            @unknown default: await late(value)
            }
        } catch {
            inbox.yield(.failure(error))
        }
    }
    let clock = Task {
        guard (try? await pause(for: limit)) != nil else { return }
        inbox.yield(.failure(OnlineServiceError(.timedOut, "no complete answer within \(limit.inSeconds)")))
    }
    defer {
        clock.cancel()
        // Harmless to work that has ended.
        task.cancel()
        inbox.finish()
    }
    for await outcome in outcomes { return try outcome.get() }
    throw OnlineServiceError(.cancelled, "cancelled")
}

/// Waits on a timer of the event loops.
private func pause(for limit: Duration) async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let timer = loop.scheduleTask(in: TimeAmount(limit)) {}
    try await withTaskCancellationHandler {
        try await timer.futureResult.get()
    } onCancel: {
        timer.cancel()
    }
}

extension Duration {
    /// For example `5 s` or `1.5 s`.
    fileprivate var inSeconds: String {
        let seconds = self / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(clamping: components.seconds)) s" : "\(seconds) s"
    }
}
