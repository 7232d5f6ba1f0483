import NIOCore
import NIOEmbedded
import Testing

@testable import Dashboard

/// The limits of the page's connections, by a clock that the test moves.
@Suite struct ConnectionGuardTests {
    private struct Bench {
        let channel = EmbeddedChannel()
        let guardian = ConnectionGuard(ConnectionGate(most: 4), limits: ConnectionLimits())

        init() throws {
            try channel.pipeline.syncOperations.addHandler(guardian)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        }

        func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

        /// The bytes sent since the last call.
        func sent() throws -> String {
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        func end() { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    /// Five seconds for the head and five for the body. The connection closes a second after the refusal.
    @Test(arguments: [false, true]) func aSlowRequestIsRefused(_ hasHead: Bool) throws {
        let bench = try Bench()
        if hasHead {
            bench.wait(.seconds(4))
            bench.guardian.headCame()
        }
        bench.wait(.milliseconds(4999))
        #expect(try bench.sent().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(try bench.sent().hasPrefix("HTTP/1.1 408 "))
        bench.wait(.seconds(1))
        #expect(!bench.channel.isActive)
        bench.end()
    }

    @Test func anIdleConnectionIsClosedAfterHalfAMinute() throws {
        let bench = try Bench()
        bench.guardian.headCame()
        bench.guardian.requestEnded()
        bench.guardian.answered()
        bench.wait(.milliseconds(29_999))
        #expect(bench.channel.isActive)
        bench.wait(.milliseconds(1))
        #expect(try bench.sent().isEmpty)
        #expect(!bench.channel.isActive)
        bench.end()
    }

    /// The client waits as long as the gateway needs for the answer, and a stream has no end.
    @Test(arguments: [false, true]) func anAnswerAndAStreamMayTakeLong(_ isStream: Bool) throws {
        let bench = try Bench()
        bench.guardian.headCame()
        bench.guardian.requestEnded()
        if isStream { bench.guardian.streamBegan() }
        bench.wait(.hours(1))
        #expect(bench.channel.isActive)
        bench.end()
    }

    /// Ten seconds from the last write that the kernel accepted.
    @Test func aClientThatNeverReadsIsClosed() throws {
        let bench = try Bench()
        bench.guardian.headCame()
        bench.guardian.requestEnded()
        bench.guardian.streamBegan()
        bench.wait(.seconds(100))
        bench.channel.write(ByteBuffer(string: "read"), promise: nil)
        bench.wait(.seconds(7))
        bench.channel.flush()
        bench.channel.write(ByteBuffer(string: "not read"), promise: nil)
        bench.wait(.milliseconds(9999))
        #expect(bench.channel.isActive)
        bench.wait(.milliseconds(1))
        #expect(!bench.channel.isActive)
        bench.end()
    }
}
