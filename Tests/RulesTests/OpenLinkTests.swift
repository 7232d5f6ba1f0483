import Gateway
import GatewayReports
import Synchronization
import Testing

@testable import GatewayRuntime

@Suite struct OpenLinkTests {
    private final class Connection: ReceiverConnection {
        let peer = ReceiverPeer(name: "test", maximumWriteLength: 128)
        let isClosed = Mutex(false)

        func next() async throws(TransportError) -> ReceivedChunk? { nil }
        func write(_ bytes: [UInt8]) async throws(TransportError) {}
        func close() async { isClosed.withLock { $0 = true } }
    }

    /// Closing an old link late must not close the next one.
    @Test func onlyTheNamedLinkIsClosed() async {
        let link = OpenLink()
        let (first, second) = (Connection(), Connection())
        link.opened(first)
        link.closed()
        link.opened(second)
        await link.close(session: 1)
        #expect(!second.isClosed.withLock { $0 })
        await link.close(session: 2)
        #expect(second.isClosed.withLock { $0 })
    }
}
