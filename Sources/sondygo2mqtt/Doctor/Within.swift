/// The result of `body`, or `late` if it takes longer than `limit`.
///
/// A name server that does not answer blocks a thread for half a minute, and can't be interrupted. A result that comes
/// too late is dropped.
func within<Value: Sendable>(
    _ limit: Duration, or late: Value, _ body: @escaping @Sendable () async -> Value
) async -> Value {
    let (answers, continuation) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let work = Task { continuation.yield(await body()) }
    let clock = Task {
        try await Task.sleep(for: limit)
        continuation.yield(late)
    }
    defer {
        clock.cancel()
        work.cancel()
    }
    for await answer in answers { return answer }
    return late
}
