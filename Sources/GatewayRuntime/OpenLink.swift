import Gateway
import GatewayReports
import Synchronization

/// The link that is open now, shared by who reads it and who writes to it.
public final class OpenLink: Sendable {
    private let connection = Mutex<(any ReceiverConnection)?>(nil)

    public init() {}

    func set(_ connection: (any ReceiverConnection)?) {
        self.connection.withLock { $0 = connection }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        guard let open = connection.withLock({ $0 }) else {
            throw TransportError(.closedByPeer, "no link to the receiver")
        }
        try await open.write(bytes)
    }

    func close() async {
        await connection.withLock { $0 }?.close()
    }
}
