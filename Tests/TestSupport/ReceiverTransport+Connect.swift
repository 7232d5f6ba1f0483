public import Gateway
public import GatewayReports

extension ReceiverTransport {
    /// Connects; what the transport reports meanwhile is of no concern.
    public func connect() async throws(TransportError) -> any ReceiverConnection {
        try await connect { _ in }
    }
}
