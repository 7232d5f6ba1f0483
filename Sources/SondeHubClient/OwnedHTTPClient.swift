import AsyncHTTPClient
import Threads

/// An HTTP client that may be released without `close()`. The library's own client would then end the process.
final class OwnedHTTPClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // The closure keeps the client alive until it has shut down. After `close()` the second shutdown is refused,
        // which is harmless.
        client.shutdown { [client] _ in withExtendedLifetime(client) {} }
    }

    /// The library waits for connections that are being made, until their own limit. Where packets are swallowed that is
    /// half a minute, and a stop must not take so long.
    private static let closeLimit = Duration.milliseconds(500)

    /// Ends the connections. What does not end at once goes on without us.
    func close() async {
        await wait(atMost: Self.closeLimit) { [client] in try? await client.shutdown() }
    }
}
