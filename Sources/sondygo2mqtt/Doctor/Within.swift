import Gateway
import GatewayReports

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

extension ReceiverTransport {
    /// Longer than a connection attempt itself takes: only a name server takes more.
    private var connectWait: Duration { .seconds(8) }

    /// Opens a link for a check, which then listens for as long as it wants.
    /// - Throws: also if the other side's name is not known in time.
    func connected(to place: String) async throws(TransportError) -> any ReceiverConnection {
        let late = Result<any ReceiverConnection, TransportError>.failure(
            TransportError(.timedOut, "\(place) does not answer"))
        return try await within(connectWait, or: late) {
            do throws(TransportError) {
                let connection = try await connect { _ in }
                if Task.isCancelled { await connection.close() }
                return .success(connection)
            } catch {
                return .failure(error)
            }
        }.get()
    }
}
