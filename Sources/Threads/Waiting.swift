/// Runs `body` in a task of its own. Returns when `body` has ended, after `limit`, or when the caller is cancelled. In
/// the last two cases `body` goes on.
public func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async {
    let (end, ended) = AsyncStream<Never>.makeStream()
    Task {
        await body()
        ended.finish()
    }
    let clock = Task {
        try? await Task.sleep(for: limit)
        ended.finish()
    }
    for await _ in end {}
    clock.cancel()
}
