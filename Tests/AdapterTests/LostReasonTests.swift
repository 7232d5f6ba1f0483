import CMosquitto
import Gateway
import TestSupport
import Testing

@testable import MosquittoClient

/// Why a session with the broker ended, in the log: never "Success", never only "disconnected".
@Suite(.timeLimit(.minutes(2))) struct LostReasonTests {
    /// Each of the library's codes has a text that says something.
    @Test(arguments: [MOSQ_ERR_ERRNO, MOSQ_ERR_CONN_LOST, MOSQ_ERR_KEEPALIVE, MOSQ_ERR_PROTOCOL, MOSQ_ERR_NOMEM])
    func codesHaveWords(_ code: mosq_err_t) {
        let text = MosquittoStatus(rawValue: code.rawValue).failure(.lost, errno: 0).detail
        #expect(!text.contains("Success") && !text.contains("No error") && text.count > 10, "\(text)")
    }

    /// A broker that sends DISCONNECT: without a reason, and with "server shutting down".
    @Test(arguments: [([0xe0, 0x02, 0x00, 0x00], "gave no reason"), ([0xe0, 0x02, 0x8b, 0x00], "shutting down")])
    func aBrokerThatDisconnects(_ packet: [UInt8], _ words: String) async throws {
        let server = try SocketServer()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: server.port, clientID: "a", version: .v5))
        let log = ClientLog(client)
        client.start()
        try await server.accept()
        server.write([0x20, 0x03, 0x00, 0x00, 0x00] + packet)
        let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
        #expect(failure.detail.contains(words), "\(failure.detail)")
        server.hangUp()
        await client.stop()
    }
}
