import Gateway
import GatewayReports
import Synchronization

/// The link that is open now, shared by who reads it and who writes to it.
public final class OpenLink: Sendable {
    private struct State {
        var connection: (any ReceiverConnection)?
        /// Counts the links from 1, as the machine does.
        var session = 0
    }

    private let state = Mutex(State())

    public init() {}

    func opened(_ connection: any ReceiverConnection) {
        state.withLock { $0 = State(connection: connection, session: $0.session + 1) }
    }

    func closed() {
        state.withLock { $0.connection = nil }
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        guard let open = state.withLock({ $0.connection }) else {
            throw TransportError(.closedByPeer, "no link to the receiver")
        }
        try await open.write(bytes)
    }

    /// - Parameter session: only the link of this session is closed; nil closes whichever is open.
    func close(session: Int? = nil) async {
        await state.withLock { session ?? $0.session == $0.session ? $0.connection : nil }?.close()
    }
}
