import Foundation
import TestSupport
import Testing

/// `top -H` shows the threads by the names in design.md's table, and that table lists them all.
@Suite(.timeLimit(.minutes(10))) struct ThreadNamesTests {
    @Test func theTableOfThreadsIsTrue() async throws {
        let listed = try Self.listedNames()
        let receiver = try SocketServer()
        let gpsd = try SocketServer()
        let broker = try await Broker()
        let gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"],
            environment: [
                "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_HOST": "127.0.0.1",
                "SONDYGO_RECEIVER_PORT": "\(receiver.port)",
                "SONDYGO_GPSD_ENABLED": "true", "SONDYGO_GPSD_HOST": "127.0.0.1", "SONDYGO_GPSD_PORT": "\(gpsd.port)",
                "SONDYGO_DASHBOARD_ENABLED": "true", "SONDYGO_DASHBOARD_PORT": "\(Broker.freePort())",
                "SONDYGO_RECORDER_RAW": "true", "SONDYGO_CAR_GDL90": "\(Broker.freePort())",
            ])
        try await receiver.accept()
        try await gpsd.accept()
        // Threads that end with their work are seen only by luck.
        let lasting = listed.subtracting(["one call", "*-qos.overcommit"])
        try await eventually("each thread of the table") { Self.names(of: gateway.pid).isSuperset(of: lasting).orNil }
        #expect(Self.names(of: gateway.pid).isSubset(of: listed))
    }

    /// The names in the table's column `in top -H`.
    private static func listedNames() throws -> Set<String> {
        let rows = try Fixtures.text("deploy/doc/design.md").split(separator: "\n")
            .drop { !$0.hasPrefix("| thread | in `top -H`") }.dropFirst(2).prefix { $0.hasPrefix("| ") }
        return Set(try rows.map { plain(String(try #require($0.split(separator: "`").dropFirst().first))) })
    }

    private static func names(of process: Int32) -> Set<String> {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Set(
            threads.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
                .map { plain($0.trimmingCharacters(in: .newlines)) })
    }

    /// A number stands for any number. The kernel keeps 15 bytes of a dispatch queue's name, its last ones.
    private static func plain(_ name: String) -> String {
        name.replacingOccurrences(of: "[0-9]+$", with: "0", options: .regularExpression)
            .replacingOccurrences(of: "^.*-qos", with: "*-qos", options: .regularExpression)
    }
}
