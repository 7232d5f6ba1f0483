import Foundation
import TestSupport
import Testing

/// `setup` in the browser with the real program: only with the page's key, and the gateway starts anew with the answers.
@Suite(.timeLimit(.minutes(10))) struct BrowserSetupEndToEndTests {
    private static let key = "abcdefghijklmnop1234"

    @Test func theGatewayStartsAnewWithTheAnswers() async throws {
        let broker = try await Broker()
        let listener = try await Subscriber(port: broker.port)
        let port = Broker.freePort()
        let gateway = try start(broker, port)
        try await listener.first(on: "sondygo/old/bridge/state") { $0.payload == "online" }
        #expect(try await request(port, "GET", key: nil).hasPrefix("401"))
        #expect(try await request(port, "GET").contains("\"name\":\"mqtt-host\""))
        #expect(try await request(port, "POST", #"{"answers":{"id":"car1"}}"#).contains("\"kept\":true"))
        #expect(try await request(port, "GET").contains("\"waits\":true"))
        #expect(try await request(port, "POST", #"{"restart":true}"#).contains("\"restarts\":true"))
        try await listener.first(on: "sondygo/car1/bridge/state") { $0.payload == "online" }
        // The same process goes on, and the old name has left nothing on the broker.
        #expect(kill(gateway.pid, 0) == 0)
        let late = try await Subscriber(port: broker.port)
        try await late.first(on: "sondygo/car1/bridge/info")
        #expect(!late.messages.contains { $0.topic.hasPrefix("sondygo/old/") })
        // It stops as ever.
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0, "\(gateway.text)")
    }

    private func start(_ broker: Broker, _ port: Int) throws -> Child {
        let folder = try temporaryDirectory()
        let key = folder.appendingPathComponent("key")
        try Data((Self.key + "\n").utf8).write(to: key)
        let file = folder.appendingPathComponent("config.yaml")
        let text = """
            dashboard: {port: \(port), key_file: '\(key.path)'}
            mqtt: {host: 127.0.0.1, port: \(broker.port)}
            sondehub: {enabled: false}
            gpsd: {enabled: false}
            receiver: {transport: tcp, host: 127.0.0.1, port: \(Broker.freePort())}

            """
        try Data(text.utf8).write(to: file)
        try Data("gateway: {id: old}\n".utf8).write(to: folder.appendingPathComponent("setup.yaml"))
        return try Child(
            GatewayProgram.path, ["run", "--config", file.path],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
    }

    /// The answer's status and body.
    private func request(
        _ port: Int, _ method: String, _ body: String? = nil, key: String? = Self.key
    ) async throws -> String {
        var arguments = ["-s", "-X", method, "-w", "\n%{http_code}\n", "http://127.0.0.1:\(port)/api/setup"]
        if let key { arguments += ["-b", "sondygo2mqtt_\(port)=\(key)"] }
        if let body { arguments += ["-H", "Content-Type: application/json", "-d", body] }
        let child = try Child("curl", arguments)
        #expect(try await child.exitCode() == 0)
        return "\(child.lines.last ?? "") \(child.text)"
    }
}
