import Foundation
import TestSupport
import Testing

/// A simulation beside a gateway, and which of the two the other commands ask.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SimulationBesideServiceTests {
    private static let frame = "1/RS41/403.500/V4210150/47.38/8.54/900/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"

    private func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (code: Int32, text: String) {
        let child = try Child(GatewayProgram.path, arguments, environment: environment)
        return (try await child.exitCode(), child.text)
    }

    private func port(_ simulation: Child) async throws -> Int {
        try await eventually("the private broker's port: \(simulation.text)") {
            simulation.text.firstMatch(of: #/mosquitto_sub -p (\d+)/#).flatMap { Int($0.1) }
        }
    }

    /// A gateway with a configured broker, and `simulate` with the same file.
    @Test func aSimulationBesideAGatewayIsItsOwn() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let receiver = try SocketServer()
        let page = Broker.freePort()
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("config.yaml").path
        try Data(
            """
            gateway: {id: car1, state_directory: \(folder.path)/state}
            mqtt: {host: 127.0.0.1, port: \(broker.port)}
            receiver: {transport: tcp, port: \(receiver.port)}
            dashboard: {port: \(page)}
            gpsd: {enabled: false}
            sondehub: {enabled: false}

            """.utf8
        ).write(to: URL(fileURLWithPath: file))
        let service = try Child(GatewayProgram.path, ["run", "--config", file])
        try await receiver.accept()
        receiver.write(Array(Self.frame.utf8))
        try await subscriber.first(on: "sondygo/car1/position") { $0.json["serial"] as? String == "V4210150" }
        try await eventually("its flight is stored") {
            try await run(["flights", "--config", file]).text.contains("V4210150").orNil
        }

        let simulation = try Child(
            GatewayProgram.path, ["simulate", "--config", file, "--speed", "20", "--launch-delay", "1"])
        let port = try await port(simulation)
        #expect(port != broker.port)
        let address = try await eventually("the page's address: \(simulation.text)") {
            simulation.text.firstMatch(of: #/The page in the car: http://[^:]+:(\d+)/#).flatMap { Int($0.1) }
        }
        #expect(address != page)
        let flying = try await Subscriber(port: port).first(on: "sondygo/car1/position")
        let serial = try #require(flying.json["serial"] as? String)

        let asked = try await run(["status", "--config", file])
        #expect(asked.code == 0 && !asked.text.contains("asks the simulation"), "\(asked.text)")
        #expect(
            asked.text.contains(
                "asks the gateway at 127.0.0.1:\(broker.port); for the simulation: --mqtt-port \(port)"))
        for command in [["status"], ["sondes"], ["send", "{\"mute\":true}"]] {
            let answer = try await run(command + ["--config", file, "--mqtt-port", "\(port)"])
            #expect(answer.code == 0 && !answer.text.contains("asks the"), "\(answer.text)")
        }

        try await eventually("both flights are listed") {
            let list = try await run(["flights", "--config", file, "--scores"])
            let lines = list.text.split(separator: "\n")
            let real = lines.first { $0.hasPrefix("V4210150") }, simulated = lines.first { $0.hasPrefix(serial) }
            guard let real, let simulated, list.code == 0 else { return Bool?.none }
            return (!real.hasSuffix(", simulated") && simulated.hasSuffix(", simulated")).orNil
        }
        let exported = try await run(["export", serial, "--format", "csv", "--config", file])
        #expect(exported.code == 0 && exported.text.hasPrefix("time,latitude"), "\(exported.text)")
        let stored = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/state")
        #expect(!stored.contains("simulated.sqlite"))
        // The gateway's session has met nobody.
        let own = subscriber.messages
        #expect(own.allSatisfy { !$0.topic.hasSuffix("/position") || $0.json["serial"] as? String == "V4210150" })
        #expect(!own.contains { $0.topic == "sondygo/car1/bridge/state" && $0.payload == "offline" && $0.retain == 0 })
        #expect(!service.text.contains("taken"), "\(service.text)")
        for program in [simulation, service] {
            program.kill(SIGTERM)
            #expect(try await program.exitCode() == 0)
        }
    }

    /// While no gateway runs here, the commands find the simulation. Its store lies apart.
    @Test func withoutAGatewayTheSimulationIsAsked() async throws {
        let state = try temporaryDirectory().path
        let environment = [
            "SONDYGO_GATEWAY_STATE_DIRECTORY": state, "SONDYGO_SONDEHUB_ENABLED": "false",
            "SONDYGO_DASHBOARD_ENABLED": "false",
        ]
        let simulation = try Child(
            GatewayProgram.path, ["simulate", "--id", "demo", "--speed", "20", "--launch-delay", "1"],
            environment: environment)
        let port = try await port(simulation)
        let flying = try await Subscriber(port: port).first(on: "sondygo/demo/position")
        let serial = try #require(flying.json["serial"] as? String)
        for flags in [[], ["--id", "demo"]] {
            let status = try await run(["status"] + flags, environment: environment)
            #expect(status.code == 0, "\(status.text)")
            #expect(status.text.contains("asks the simulation on port \(port)") == flags.isEmpty, "\(status.text)")
        }
        let sent = try await run(["send", "{\"mute\":true}"], environment: environment)
        #expect(sent.code == 0 && sent.text.contains("confirmed"), "\(sent.text)")
        try await eventually("its flight is listed") {
            try await run(["flights"], environment: environment).text
                .split(separator: "\n").contains { $0.hasPrefix(serial) && $0.hasSuffix(", simulated") }.orNil
        }
        simulation.kill(SIGTERM)
        #expect(try await simulation.exitCode() == 0)
        // A gateway's own store, with its lessons, was not made.
        let files = try FileManager.default.contentsOfDirectory(atPath: state)
        #expect(files.contains("simulated.sqlite") && !files.contains("gateway.sqlite"), "\(files)")
    }
}
