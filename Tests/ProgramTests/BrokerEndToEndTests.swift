import Foundation
import TestSupport
import Testing

/// The whole program with a faulty broker, or one behind a UNIX socket.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BrokerEndToEndTests {
    /// Messages beyond the broker's limit are dropped and reported; all others pass in one session.
    @Test func tooLargeMessagesAreDroppedAlone() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nmax_packet_size 3000")
        let bench = try await FrameBench(broker: broker, environment: ["SONDYGO_HOMEASSISTANT_ENABLED": "true"])
        try await bench.feed(50)
        try await bench.verify()
        let told = try await eventually("the large message is told of") { () -> [String]? in
            let lines = bench.gateway.lines.filter { $0.contains("too large for the broker") }
            return lines.isEmpty ? nil : lines
        }
        #expect(told.count == 1, "\(bench.gateway.text)")
        #expect(told.first?.contains("topic=homeassistant/device/sondygoXtest/config") == true, "\(told)")
        #expect(bench.gateway.lines.count { $0.contains("broker connected") } == 1)
        #expect(!bench.gateway.text.contains("another client"))
        try await bench.end()
    }

    /// A broker sends a property that MQTT 5 does not know, and libmosquitto ends the program. The third start speaks
    /// MQTT 3.1.1 and lives.
    /// - Parameters:
    ///   - isLate: the property is in a message of a session that stands, as from a careless client.
    ///   - command: the gateway, or the board of a fleet.
    @Test(arguments: [false, true], [["run", "--transport", "simulator"], ["board"]])
    func aBrokerThatEndsTheProgramIsSurvived(_ isLate: Bool, _ command: [String]) async throws {
        let server = try SocketServer()
        let folder = try temporaryDirectory().path
        func start() throws -> Child {
            try GatewayProgram.start(
                command,
                environment: [
                    "SONDYGO_GATEWAY_STATE_DIRECTORY": folder, "SONDYGO_MQTT_HOST": "127.0.0.1",
                    "SONDYGO_MQTT_PORT": "\(server.port)", "SONDYGO_DASHBOARD_PORT": "\(Broker.freePort())",
                ])
        }
        for _ in 1...2 {
            let gateway = try start()
            try await server.accept()
            try await eventually("CONNECT") { server.read().contains("MQTT").orNil }
            if isLate {
                server.write([0x20, 0x03, 0x00, 0x00, 0x00])
                // A message on `a`, with the property.
                server.write([0x30, 0x06, 0x00, 0x01, 0x61, 0x02, 0x7E, 0x00])
            } else {
                server.write([0x20, 0x04, 0x00, 0x00, 0x01, 0x7E])
            }
            #expect(try await gateway.exitCode() != 0)
            server.hangUp()
        }
        let gateway = try start()
        try await server.accept()
        try await eventually("CONNECT of MQTT 3.1.1") { server.read().contains("MQTT\u{4}").orNil }
        server.write([0x20, 0x02, 0x00, 0x00])
        if command != ["board"] {
            try await eventually("told: \(gateway.text)") { gateway.text.contains("using MQTT 3.1.1").orNil }
        }
        server.hangUp()
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Another gateway with the same id publishes its retained `bridge/info`. This one reports it while both run.
    @Test(arguments: ["5", "3.1.1"])
    func anotherGatewayWithThisIDIsReported(_ version: String) async throws {
        let broker = try await Broker()
        let topic = "sondygo/test/bridge/info"
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            ["run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp"],
            environment: ["SONDYGO_MQTT_PROTOCOL": version, "SONDYGO_RECEIVER_PORT": "1"])
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        try await eventually("the other one is heard: \(gateway.text)") {
            try publish(port: broker.port, topic: topic, #"{"machine":"0123456789ab"}"#, more: ["-r"])
            return subscriber.messages(on: "sondygo/test/event").first {
                $0.json["event"] as? String == "other_gateway"
            }
        }
        try await eventually("health names it: \(gateway.text)") {
            try publish(port: broker.port, topic: "sondygo/test/command", #"{"request":"health"}"#)
            return subscriber.messages(on: "sondygo/test/health").first {
                $0.json["other_gateway"] as? String == "0123456789ab"
            }
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Each gateway logs the clash once, with the remedy. One of them has the session in the end.
    @Test(arguments: ["5", "3.1.1"])
    func twoGatewaysWithOneClientIDEachSaySo(_ version: String) async throws {
        let broker = try await Broker()
        let gateways = try ["car1", "car2"].map { id in
            try GatewayProgram.start(
                ["run"],
                environment: [
                    "SONDYGO_GATEWAY_ID": id, "SONDYGO_MQTT_CLIENT_ID": "twin", "SONDYGO_MQTT_HOST": "127.0.0.1",
                    "SONDYGO_MQTT_PORT": "\(broker.port)", "SONDYGO_MQTT_PROTOCOL": version,
                    "SONDYGO_RECEIVER_TRANSPORT": "simulator",
                ])
        }
        let told = { (gateway: Child) in gateway.lines.filter { $0.contains("another client with the id twin") } }
        for gateway in gateways {
            try await eventually("it is told: \(gateway.text)", within: 120) { (!told(gateway).isEmpty).orNil }
        }
        let isPatient = { (gateway: Child) in gateway.text.contains("retrying more slowly") }
        try await eventually("one leaves the session to the other", within: 120) {
            gateways.contains(where: isPatient).orNil
        }
        for gateway in gateways {
            #expect(told(gateway).count == 1)
            #expect(told(gateway).first?.contains("mqtt.client_id") == true)
            gateway.kill(SIGTERM)
            #expect(try await gateway.exitCode() == 0)
        }
    }

    /// Only `health`, `doctor` and the log show that messages on the topic don't arrive.
    @Test func aRefusedSubscriptionStandsInHealthAndDoctor() async throws {
        let topics = ["command", "frequency/set", "sonde_type/set", "request/settings", "bridge/info", "health"]
        let refused = [
            "homeassistant/device/test/config", "homeassistant/status", "sondygo/test/bridge/state",
            "sondygo/test/mute/set",
        ]
        let broker = try await Broker.refusingSubscriptions(except: topics.map { "sondygo/test/" + $0 })
        let environment = [
            "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
            "SONDYGO_RECEIVER_TRANSPORT": "simulator",
        ]
        let gateway = try GatewayProgram.start(["run"], environment: environment)
        try await eventually("it is logged: \(gateway.text)") {
            gateway.lines.contains { $0.contains("refuses a subscription") && $0.contains("sondygo/test/mute/set") }
                .orNil
        }
        let health = try Child("mosquitto_sub", ["-p", "\(broker.port)", "-t", "sondygo/test/health"])
        try await eventually("it stands in health: \(health.text)") {
            try publish(port: broker.port, topic: "sondygo/test/command", #"{"request":"health"}"#)
            return health.text.contains(#""subscriptions_refused":["\#(refused.joined(separator: "\",\""))"]"#).orNil
        }
        let doctor = try GatewayProgram.start(["doctor"], environment: environment)
        _ = try await doctor.exitCode()
        let line = try #require(doctor.lines.first { $0.contains(" broker ") })
        #expect(line.hasPrefix("WRONG") && line.contains("subscription to sondygo/test/mute/set"), "\(line)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// The command prints the retained report as a table; without one it says so.
    @Test func sondesPrintsTheRetainedReport() async throws {
        let broker = try await Broker()
        func run() async throws -> (code: Int32, lines: [String]) {
            let child = try GatewayProgram.start(
                ["sondes"],
                environment: ["SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)"])
            return (try await child.exitCode(), child.lines)
        }
        func publishSondes(_ text: String) throws {
            try publish(port: broker.port, topic: "sondygo/test/sondes", text, more: ["-r"])
        }
        try publishSondes("{\"sondes\":[]}")
        #expect(
            try await run() == (
                0, ["SondeHub has named no sonde yet; sondygo2mqtt status tells what the receiver hears"]
            ))
        try publishSondes(
            """
            {"sondes":[{"serial":"V1","sonde_type":"RS41","frequency_mhz":403.5,"latitude":47.0,"longitude":8.0,\
            "altitude_m":9000.0,"vertical_speed_mps":5.0,"phase":"ascending","time":"2026-01-01T12:00:00.000Z",\
            "age_ms":5,"distance_m":12345.6,"bearing_deg":180.0,"landing":{"latitude":47.1,"longitude":8.2,\
            "at":"2026-01-01T13:30:00.000Z"},"recovery":"planned","hunted":true},{"serial":"V2"}]}
            """)
        let (code, lines) = try await run()
        #expect(code == 0 && lines.count == 3)
        let words = lines[1].split(separator: " ").map(String.init)
        #expect(
            words == [
                "*", "V1", "RS41", "403.500", "12.3km", "180°", "9000m", "5.0", "ascending", "2026-01-01T12:00Z",
                "47.10000,8.20000", "2026-01-01T13:30Z", "planned",
            ])
        #expect(lines[2].split(separator: " ").prefix(2) == ["V2", "-"])
        try publishSondes("7")
        #expect(try await run().code == 69)
    }

    /// The final answer to another command comes first on the same topic.
    @Test(arguments: ["5", "3.1.1"], [#"{"mute":true}"#, #"{"id":7,"mute":true}"#])
    func sendWaitsForItsOwnAnswer(_ version: String, _ command: String) async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let send = try GatewayProgram.start(
            ["send", command],
            environment: [
                "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
                "SONDYGO_MQTT_PROTOCOL": version,
            ])
        let request = try await subscriber.first(on: "sondygo/test/command").json
        let id = request["id"] as? Int == 7 ? "7" : "\"\(request["id"] as? String ?? "none")\""
        for (answered, status) in [("\"other\"", "rejected"), ("null", "rejected"), (id, "done")] {
            try publish(
                port: broker.port, topic: "sondygo/test/command/response",
                "{\"id\":\(answered),\"status\":\"\(status)\",\"final\":true}")
        }
        #expect(try await send.exitCode() == 0)
        #expect(send.lines == ["{\"id\":\(id),\"status\":\"done\",\"final\":true}"])
        #expect(request["mute"] as? Bool == true)
    }

    @Test func theBrokerIsReachedThroughAUNIXSocket() async throws {
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("broker.sock").path
        let broker = try await Broker(
            listener: "allow_anonymous true\nlistener 0 \(path)\nallow_anonymous true", directory: folder)
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            ["run"], environment: ["SONDYGO_MQTT_HOST": path, "SONDYGO_RECEIVER_TRANSPORT": "simulator"])
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Settings that can't be used end the start and name the remedy. There is no fallback to plain text.
    @Test func impossibleSettingsEndTheStart() async throws {
        let folder = try temporaryDirectory()
        let empty = folder.appendingPathComponent("empty").path
        try Data().write(to: URL(fileURLWithPath: empty))
        let cases: [(environment: [String: String], words: [String])] = [
            (
                ["SONDYGO_MQTT_TLS_ENABLED": "true", "SONDYGO_MQTT_TLS_CA_FILE": empty],
                ["mqtt.tls.ca_file", empty, "no usable certificate"]
            ),
            (
                ["SONDYGO_MQTT_USERNAME": "u", "SONDYGO_MQTT_PASSWORD_FILE": empty],
                ["mqtt.password_file", empty, "is empty"]
            ),
            (["SONDYGO_MQTT_HOST": "ws://broker:9001"], ["mqtt.host", "websockets", "(broker)"]),
            (["SONDYGO_MQTT_HOST": "broker:99999"], ["mqtt.host: broker:99999", "the port goes into mqtt.port"]),
        ]
        for (environment, words) in cases {
            let gateway = try GatewayProgram.start(["check-config"], environment: environment)
            #expect(try await gateway.exitCode() == 78)
            for word in words { #expect(gateway.text.contains(word), "\(gateway.text)") }
        }
    }

    /// The broker takes the user name as client id, and the gateway has the same user: `send` says so, and the gateway
    /// finds out when another program with that user stays.
    @Test func oneUserForSeveralClientsIsRecognised() async throws {
        let broker = try await Broker(listener: "allow_anonymous true\nuse_username_as_clientid true")
        let environment = [
            "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)", "SONDYGO_MQTT_USERNAME": "car",
            "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
        ]
        // Another program, which comes back each time.
        let other = try GatewayProgram.start(
            ["run", "--transport", "simulator"],
            environment: environment.merging([
                "SONDYGO_GATEWAY_ID": "other", "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
            ]) { $1 })
        let gateway = try GatewayProgram.start(["run", "--transport", "simulator"], environment: environment)
        let words = "takes the user name as client id"
        try await eventually("the gateway finds out: \(gateway.text)", within: 120) {
            gateway.text.contains(words).orNil
        }
        let send = try GatewayProgram.start(["send", #"{"mute":true}"#, "--timeout", "60"], environment: environment)
        #expect(try await send.exitCode(within: 120) == 69)
        #expect(send.text.contains(words), "\(send.text)")
        for child in [gateway, other] {
            child.kill(SIGTERM)
            #expect(try await child.exitCode() == 0)
        }
    }

    /// A one-shot command also says why TLS fails.
    @Test func sendTellsWhyTLSFails() async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
        let send = try GatewayProgram.start(
            ["send", #"{"mute":true}"#],
            environment: [
                "SONDYGO_MQTT_HOST": "localhost", "SONDYGO_MQTT_PORT": "\(broker.port)",
                "SONDYGO_MQTT_TLS_ENABLED": "true", "SONDYGO_MQTT_TLS_CA_FILE": path("other.crt"),
            ])
        #expect(try await send.exitCode() == 69)
        #expect(send.text.contains("the broker's certificate is not trusted"), "\(send.text)")
    }
}
