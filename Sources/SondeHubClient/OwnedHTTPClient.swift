import AsyncHTTPClient

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

    func close() async {
        try? await client.shutdown()
    }
}
