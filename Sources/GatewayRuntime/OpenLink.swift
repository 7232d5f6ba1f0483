import Gateway
import GatewayReports
import Synchronization

/// The open link, shared by its reader and its writers.
public final class OpenLink: Sendable {
    private struct State {
        var connection: (any ReceiverConnection)?
        /// The link's number from 1; the machine counts the same way.
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

    /// - Parameter session: closes only the link with this number; nil closes any link.
    func close(session: Int? = nil) async {
        await state.withLock { session ?? $0.session == $0.session ? $0.connection : nil }?.close()
    }
}
