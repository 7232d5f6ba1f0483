import Foundation
import Gateway
import TestSupport
import Testing

/// The real program with a real mosquitto, a real terminal or socket, and `mosquitto_sub` as the dashboard.
@Suite(.timeLimit(.minutes(10)), .serialized) struct EndToEndTests {
    private static let captured = [
        "0/RS41/404.200/120.5/100/4260/-1/2.30/o",
        "1/RS41/404.200/S2340007/51.95029/-2.54439/189.5/0.4/45.0/100/3967/0/30600/4391/-1/0/0/0/2.30/o",
    ]
    private static let searching = "0/RS41/403.500/120.5/100/4260/0/3.10/o\r\n"

    @Test func capturedFramesOverASerialLine() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let terminal = try PseudoTerminal()
        let gateway = try start(broker, ["--transport", "serial", "--device", terminal.path])
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        try await eventually("the link is open: \(gateway.text)") { gateway.text.contains("link open").orNil }
        for frame in Self.captured { terminal.write(Array((frame + "\r\n").utf8)) }
        let position = try await subscriber.first(on: "sondygo/test/position").json
        #expect(position["serial"] as? String == "S2340007")
        #expect(position["latitude"] as? Double == 51.95029)
        #expect(position["horizontal_speed_mps"] as? Double == 0.11)
        #expect(position["vertical_speed_mps"] is NSNull)
        let radios = try await eventually("two radio messages") {
            let all = subscriber.messages(on: "sondygo/test/radio")
            return all.count == 2 ? all : nil
        }
        #expect(radios.map { $0.json["frame_type"] as? Int } == [0, 1])
        try await eventually("the settings request on the wire") { (terminal.read().contains("o{?}o")).orNil }
        try await endCleanly(gateway, subscriber)
    }

    @Test func theGatewaySurvivesAReplug() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("by-id").path
        var terminal = try PseudoTerminal()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
        let gateway = try start(broker, ["--transport", "serial", "--device", path])
        for round in 1...3 {
            let plugged = terminal
            try await eventually("online \(round): \(gateway.text)", within: 200) {
                plugged.write(Array(Self.searching.utf8))
                return
                    (subscriber.messages(on: "sondygo/test/receiver/state").count { $0.payload == "online" } == round)
                    .orNil
            }
            terminal.unplug()
            try FileManager.default.removeItem(atPath: path)
            try await eventually("offline \(round)") {
                (subscriber.messages(on: "sondygo/test/receiver/state").last?.payload == "offline").orNil
            }
            terminal = try PseudoTerminal()
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
        }
        try await endCleanly(gateway, subscriber)
    }

    @Test func commandsOverTCPAreConfirmed() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let server = try SocketServer()
        let gateway = try start(
            broker, ["--transport", "tcp", "--receiver-host", "127.0.0.1", "--receiver-port", "\(server.port)"])
        try await server.accept()
        server.write(Array(Self.searching.utf8))
        try await subscriber.first(on: "sondygo/test/receiver/state") { $0.payload == "online" }
        try publish(port: broker.port, topic: "sondygo/test/command", "{\"id\":1,\"frequency\":404.2,\"type\":\"M10\"}")
        var wire = ""
        try await eventually("the tune command on the wire") {
            wire += server.read()
            return wire.contains("o{f=404.20/tipo=3}o").orNil
        }
        server.write(Array("0/M10/404.200/120.5/100/4260/0/3.10/o\r\n".utf8))
        try await subscriber.first(on: "sondygo/test/command/response") {
            $0.json["status"] as? String == "confirmed" && $0.json["id"] as? Int == 1
        }
        // A retained command must never be executed, not even after a restart.
        try publish(port: broker.port, topic: "sondygo/test/mute/set", "ON", more: ["-r"])
        try await subscriber.first(on: "sondygo/test/command/response") {
            ($0.json["error"] as? [String: Any])?["code"] as? String == "retained"
        }
        #expect(!server.read().contains("mute"))
        try await endCleanly(gateway, subscriber)
    }

    @Test func requestAndResponse() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try startSimulator(broker, ["--speed", "10"])
        try await subscriber.first(on: "sondygo/test/position")
        let request = try Child(
            "mosquitto_rr",
            [
                "-V", "5", "-p", "\(broker.port)", "-t", "sondygo/test/command", "-e", "my/answer", "-m",
                "{\"id\":\"q\",\"mute\":true}",
            ])
        #expect(try await request.exitCode() == 0)
        #expect(request.text.contains("\"id\":\"q\"") && request.text.contains("\"accepted\""))
        try await subscriber.first(on: "sondygo/test/radio") { $0.json["mute"] as? Bool == true }
        let send = try GatewayProgram.start(
            ["send", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "{\"settings\":{\"rs41.rxbw\":9}}"])
        #expect(try await send.exitCode() == 0)
        #expect(send.text.contains("\"confirmed\""))
        let refused = try GatewayProgram.start(
            ["send", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "{\"frequency\":1}"])
        #expect(try await refused.exitCode() == 1)
        try await endCleanly(gateway, subscriber)
    }

    @Test func retainedStateAndExpiryForALateSubscriber() async throws {
        let broker = try await Broker()
        let early = try await Subscriber(port: broker.port)
        let gateway = try startSimulator(broker, ["--speed", "10"])
        try await early.first(on: "sondygo/test/settings")
        try await early.first(on: "sondygo/test/position")
        let late = try await Subscriber(port: broker.port)
        let topics = ["bridge/state", "receiver/state", "state", "settings", "health", "position", "radio", "tracker"]
        for topic in topics {
            let message = try await late.first(on: "sondygo/test/\(topic)")
            #expect(message.retain == 1, "\(topic)")
            let expires = message.properties?.keys.contains { $0.contains("expiry") } ?? false
            #expect(
                expires == ["position", "radio", "tracker"].contains(topic), "\(topic) \(message.properties ?? [:])")
        }
        try await endCleanly(gateway, early)
    }

    @Test func brokerKilledAndRestartedEmpty() async throws {
        let broker = try await Broker()
        let gateway = try startSimulator(broker, ["--speed", "5"])
        try await Subscriber(port: broker.port).first(on: "sondygo/test/position")
        try await broker.stop()
        let again = try await Broker(port: broker.port)
        let subscriber = try await Subscriber(port: again.port)
        let since = Date()
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        try await subscriber.first(on: "sondygo/test/settings")
        try await subscriber.first(on: "sondygo/test/position")
        #expect(Date().timeIntervalSince(since) < 20)
        try await endCleanly(gateway, subscriber)
    }

    @Test func systemdGetsReadinessLifeAndEnd() async throws {
        let notify = try NotifySocket()
        // There is neither a broker nor a receiver. The program reports ready after its first attempts.
        let gateway = try GatewayProgram.start(
            [
                "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(Broker.freePort())", "--transport", "tcp",
                "--receiver-host", "127.0.0.1", "--receiver-port", "\(Broker.freePort())",
            ], environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "400000"])
        var told: [String] = []
        try await eventually("ready, and alive five times: \(gateway.text)") {
            told += notify.received()
            return (told.contains("READY=1") && told.count { $0 == "WATCHDOG=1" } >= 5).orNil
        }
        #expect(told.count { $0 == "READY=1" } == 1)
        // A stopped process sends no sign of life.
        gateway.kill(SIGSTOP)
        try await eventually("it stands still") { gateway.isStopped.orNil }
        _ = notify.received()
        await #expect(throws: TimedOut.self) {
            try await eventually("a sign of life", within: 1) { (!notify.received().isEmpty).orNil }
        }
        gateway.kill(SIGCONT)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        #expect(notify.received().contains("STOPPING=1"))
    }

    @Test func homeAssistantGetsAndLosesTheDevice() async throws {
        let broker = try await Broker()
        let topic = "homeassistant/device/sondygoXtest/config"
        let gateway = try startSimulator(broker)
        let late = try await Subscriber(port: broker.port, topic: "homeassistant/#")
        let found = try await late.first(on: topic)
        #expect(try Schemas.violations([(topic: "homeassistant", payload: found.payload ?? "")]) == [])
        // Home Assistant restarts and gets the discovery message again.
        try publish(port: broker.port, topic: "homeassistant/status", "online")
        try await eventually("told again") { (late.messages(on: topic).count == 2).orNil }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let without = try startSimulator(broker, environment: ["SONDYGO_HOMEASSISTANT_ENABLED": "false"])
        try await late.first(on: topic) { $0.payload == nil || $0.payload == "" }
        without.kill(SIGTERM)
        #expect(try await without.exitCode() == 0)
    }

    /// With MQTT 3.1.1 the broker does not hold the will back. `BrokerLineTests` has the delay of MQTT 5.
    @Test func willAfterKill() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try startSimulator(broker, environment: ["SONDYGO_MQTT_PROTOCOL": "3.1.1"])
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        gateway.kill(SIGKILL)
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "offline" }
    }

    @Test func sighupReloadsTheLiveKeys() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("config.yaml")
        let write = { (text: String) in try Data(text.utf8).write(to: file) }
        let password = folder.appendingPathComponent("mqtt_password")
        try write("gateway: {state_directory: \(folder.path)}\n")
        try Data("one".utf8).write(to: password)
        let gateway = try startSimulator(
            broker, ["--speed", "5", "--config", file.path],
            environment: ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path, "SONDYGO_MQTT_USERNAME": "car"])
        try await subscriber.first(on: "sondygo/test/position")
        try write("mqtt: {port: nonsense}\n")
        gateway.kill(SIGHUP)
        try await eventually("the broken file is refused") { gateway.text.contains("not reloaded").orNil }
        try write(
            "gateway: {state_directory: \(folder.path)}\nrecorder: {raw: true}\nreceiver: {frequency_max: 403.9}\nmqtt: {base_topic: other}\nannounce: {quiet: [distance]}\nroute: {mode: bike, url: \"https://routes.example\"}\nalerts: [{url: \"https://ntfy.example/a\"}]\n"
        )
        try Data("two".utf8).write(to: password)
        gateway.kill(SIGHUP)
        try await eventually("reloaded: \(gateway.text)") { gateway.text.contains("configuration reloaded").orNil }
        #expect(gateway.text.contains("announce.quiet route.mode mqtt.password_file"), "\(gateway.text)")
        let waiting = "need a restart to take effect keys=\"mqtt.base_topic route.url alerts\""
        try await eventually("what waits: \(gateway.text)") { gateway.text.contains(waiting).orNil }
        // The report has the values in use, without those that wait for a restart.
        let info = try await subscriber.first(on: "sondygo/test/bridge/info") {
            ($0.json["configuration"] as? [String: String])?["announce.quiet"] == "distance"
        }
        let configuration = info.json["configuration"] as? [String: String]
        #expect(configuration?["route.mode"] == "bike" && configuration?["route.url"] == nil)
        #expect(configuration?["mqtt.base_topic"] == nil)
        // After another reload it still waits.
        gateway.kill(SIGHUP)
        try await eventually("told again: \(gateway.text)") {
            (gateway.text.components(separatedBy: waiting).count > 2).orNil
        }
        try publish(port: broker.port, topic: "sondygo/test/frequency/set", "404.2")
        try await subscriber.first(on: "sondygo/test/command/response") {
            ($0.json["error"] as? [String: Any])?["code"] as? String == "out_of_range"
        }
        let raw = folder.appendingPathComponent("raw")
        try await eventually("a raw log") {
            (try? FileManager.default.contentsOfDirectory(atPath: raw.path))?.first { $0.hasSuffix(".jsonl") }
        }
        try await endCleanly(gateway, subscriber)
    }

    @Test func aRecordingCanBeReplayed() async throws {
        let broker = try await Broker()
        let folder = try temporaryDirectory()
        let first = try await Subscriber(port: broker.port)
        let gateway = try startSimulator(
            broker, ["--speed", "20"],
            environment: ["SONDYGO_RECORDER_RAW": "true", "SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path])
        try await eventually("thirty positions") {
            (first.messages(on: "sondygo/test/position").count >= 30).orNil
        }
        try await endCleanly(gateway, first)
        let recorded = altitudes(first)
        try await first.stop()
        let raw = folder.appendingPathComponent("raw")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: raw.path).first)
        let second = try await Subscriber(port: broker.port, topic: "sondygo/again/#")
        let replay = try GatewayProgram.start(
            [
                "replay", raw.appendingPathComponent(name).path, "--speed", "50", "--mqtt-host", "127.0.0.1",
                "--mqtt-port",
                "\(broker.port)", "--id", "again",
            ])
        #expect(try await replay.exitCode() == 0)
        let replayed = try await eventually("as many positions again") {
            let all = altitudes(second, id: "again")
            return all.count >= recorded.count ? all : nil
        }
        #expect(Array(replayed.prefix(recorded.count)) == recorded)
    }

    /// The receiver hears nothing but takes commands. SondeHub has a sonde on another frequency.
    @Test func sondeHubTakesOver() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let sondeHub = try await FakeSondeHub()
        let time = ISO8601DateFormatter().string(from: Date())
        try sondeHub.serve(
            "site",
            "{\"V1\":{\"type\":\"RS41\",\"ref_datetime\":\"UTC\",\"datetime\":\"\(time)\",\"lat\":46.8,\"lon\":7.1,"
                + "\"alt\":9000,\"tx_frequency\":404.5}}")
        try sondeHub.serve("track", "{}")
        let server = try SocketServer()
        let gateway = try GatewayProgram.start(
            [
                "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                "--receiver-host", "127.0.0.1", "--receiver-port", "\(server.port)",
            ],
            environment: [
                "SONDYGO_SONDEHUB_ENABLED": "true", "SONDYGO_SONDEHUB_SITE": "06610",
                "SONDYGO_SONDEHUB_URL": sondeHub.url(),
            ])
        try await server.accept()
        server.write(Array(Self.searching.utf8))
        try await eventually("SondeHub has the sonde: \(sondeHub.requests) \(gateway.text)", within: 200) {
            gateway.text.contains("SondeHub has the sonde").orNil
        }
        let position = try await subscriber.first(on: "sondygo/test/position").json
        #expect(position["source"] as? String == "sondehub")
        #expect(position["serial"] as? String == "V1")
        #expect(position["altitude_m"] as? Double == 9000)
        try await subscriber.first(on: "sondygo/test/state") { $0.json["state"] as? String == "aprsFlying" }
        try await subscriber.first(on: "sondygo/test/proposal") { $0.json["frequency_mhz"] as? Double == 404.5 }
        try publish(port: broker.port, topic: "sondygo/test/command", "{\"id\":7,\"accept_proposal\":true}")
        try await eventually("the tune command on the wire") { server.read().contains("f=404.50/tipo=1").orNil }
        server.write(Array("0/RS41/404.500/120.5/100/4260/0/3.10/o\r\n".utf8))
        try await subscriber.first(on: "sondygo/test/command/response") { $0.json["status"] as? String == "confirmed" }
        #expect(subscriber.messages(on: "sondygo/test/proposal").last?.payload == "{}")
        try publish(port: broker.port, topic: "sondygo/test/command", "{\"id\":8,\"hunt\":\"V2\"}")
        try await subscriber.first(on: "sondygo/test/command/response") { $0.json["status"] as? String == "done" }
        try await endCleanly(gateway, subscriber)
    }

    @Test func theSimulatorHasItsOwnSondeHub() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            [
                "simulate", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--speed", "20",
                "--launch-delay", "2", "--fault", "deaf@40:160",
            ],
            environment: ["SONDYGO_SONDEHUB_ENABLED": "true"])
        try await subscriber.first(on: "sondygo/test/position") { $0.json["source"] as? String == "ble" }
        try await subscriber.first(on: "sondygo/test/position") { $0.json["source"] as? String == "sondehub" }
        // The receiver hears nothing for 8 s at this speed, or longer on a slow machine.
        let back = try await subscriber.first(on: "sondygo/test/event", within: 200) {
            $0.json["previous_state"] as? String == "aprsFlying"
        }
        #expect(back.json["state"] as? String == "liveBLEFlying")
        try await endCleanly(gateway, subscriber)
    }

    @Test func theGatewaySurvivesReceiverFaults() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try startSimulator(
            broker,
            [
                "--speed", "10", "--firmware", "2.30", "--sonde", "M20", "--fault", "garbage@5:20", "--fault",
                "split@5:60",
                "--fault", "drop@30:20",
            ])
        try await subscriber.first(on: "sondygo/test/event") { $0.json["event"] as? String == "receiver_lost" }
        try await eventually("back after the drop") {
            (subscriber.messages(on: "sondygo/test/receiver/state").count { $0.payload == "online" } == 2).orNil
        }
        try await endCleanly(gateway, subscriber)
    }
}
