import AsyncHTTPClient

/// An HTTP client that may also be dropped: the library takes that for a programmer's error and ends the process.
final class OwnedHTTPClient: Sendable {
    let client: HTTPClient

    init(_ configuration: HTTPClient.Configuration) {
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // Alive until it has shut down; the second time is refused, which is as good.
        client.shutdown { [client] _ in withExtendedLifetime(client) {} }
    }

    func close() async {
        try? await client.shutdown()
    }
}
