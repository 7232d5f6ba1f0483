public import Gateway
public import GatewayReports

extension ReceiverTransport {
    /// Connects, and ignores the transport's reports.
    public func connect() async throws(TransportError) -> any ReceiverConnection {
        try await connect { _ in }
    }
}
