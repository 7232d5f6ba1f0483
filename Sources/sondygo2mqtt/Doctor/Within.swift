/// What `body` gives, or `late` if that takes longer than `limit`.
///
/// A name server that doesn't answer holds up its thread for half a minute, and nobody should have to wait for that:
/// what `body` gives later is let go.
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
