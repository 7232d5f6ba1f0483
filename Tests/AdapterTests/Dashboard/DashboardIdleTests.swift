import Foundation
import TestSupport
import Testing

/// A suite of its own, because it takes long.
@Suite(.timeLimit(.minutes(10))) struct DashboardIdleTests {
    @Test func anIdleConnectionIsClosed() async throws {
        let rig = try await DashboardRig()
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await eventually("an answer") {
            client.read()
            return client.status
        }
        let began = ContinuousClock.now
        try await eventually("closed", within: 60) {
            client.read()
            return client.isClosed.orNil
        }
        #expect(.seconds(29)..<(.seconds(40)) ~= ContinuousClock.now - began)
    }
}
