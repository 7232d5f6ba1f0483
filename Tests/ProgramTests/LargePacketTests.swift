import Foundation
import TestSupport
import Testing

/// The whole program on a path that loses large packets, as a tunnel with a smaller MTU does whose ICMP is blocked. Real
/// packets between two network namespaces; lossypath.py documents the path.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0 && access("/dev/net/tun", R_OK | W_OK) == 0))
struct LargePacketTests {
    private func start(_ arguments: [String]) throws -> Child {
        try Child(
            "python3",
            [Fixtures.url("Tests/TestSupport/lossypath.py").path, "large:1300", GatewayProgram.path] + arguments
                + ["--mqtt-host", "10.9.0.2", "--transport", "simulator"],
            environment: [
                "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path, "SONDYGO_GATEWAY_ID": "test",
                "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_DASHBOARD_ENABLED": "false",
                "SONDYGO_GPSD_ENABLED": "false", "SONDYGO_HOMEASSISTANT_ENABLED": "true",
            ])
    }

    /// Two sessions end without an acknowledgement. The next ones send small packets, and all arrives.
    @Test func smallSegmentsPass() async throws {
        let lab = try start(["run"])
        try await eventually("told: \(lab.text)", within: 300) {
            lab.wholeText.contains("a path that loses large packets").orNil
        }
        try await eventually("the large message arrives: \(lab.text)", within: 300) {
            lab.wholeText.contains("broker: homeassistant/device/").orNil
        }
        lab.kill(SIGTERM)
        #expect(try await lab.exitCode() == 0)
    }

    @Test func doctorSaysWhatPasses() async throws {
        let lab = try start(["doctor"])
        _ = try await lab.exitCode(within: 120)
        let line = try #require(lab.wholeText.split(separator: "\n").first { $0.contains(" broker ") })
        #expect(line.hasPrefix("note") && line.contains("messages of up to 1200 bytes"), "\(line)")
    }
}
