import Dashboard
import Foundation
import TestSupport
import Testing

/// `ConnectionGuardTests` has the limit itself.
@Suite(.timeLimit(.minutes(10))) struct DashboardIdleTests {
    @Test func anIdleConnectionIsClosed() async throws {
        var limits = ConnectionLimits()
        limits.idle = .milliseconds(500)
        let rig = try await DashboardRig(limits: limits)
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await eventually("an answer") {
            client.read()
            return client.status
        }
        try await eventually("closed") {
            client.read()
            return client.isClosed.orNil
        }
        #expect(client.status == 200)
    }
}
