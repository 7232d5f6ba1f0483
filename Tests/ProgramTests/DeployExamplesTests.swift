import Foundation
import TestSupport
import Testing

/// The broker configurations in `deploy/mosquitto`, with only addresses and certificates replaced.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeployExamplesTests {
    private let folder: URL

    init() throws { folder = try temporaryDirectory() }

    private func path(_ file: String) -> String { folder.appendingPathComponent(file).path }

    /// Copies a file of `deploy/mosquitto` with replacements.
    /// - Returns: its text, without comments.
    private func example(_ name: String, _ replacements: KeyValuePairs<String, String> = [:]) throws -> String {
        var text = try String(contentsOf: Fixtures.url("deploy/mosquitto/\(name)"), encoding: .utf8)
        for (old, new) in replacements {
            #expect(text.contains(old), "\(name) has no \(old)")
            text = text.replacingOccurrences(of: old, with: new)
        }
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        return text
    }

    private func allow(_ users: [String: String], _ file: String) async throws {
        try Data().write(to: folder.appendingPathComponent(file))
        for (user, password) in users {
            let tool = try Child("mosquitto_passwd", ["-b", path(file), user, password])
            #expect(try await tool.exitCode() == 0)
        }
    }

    /// The car's broker. Its own listener replaces the tests' usual one.
    private func carBroker(more: String = "") async throws -> Broker {
        try await allow(
            ["sondygo2mqtt": "g", "crew": "c", "dashboard": "d", "homeassistant": "h"], "users")
        _ = try example("sondygo2mqtt.acl")
        let text = try example(
            "sondygo2mqtt.conf",
            [
                "listener 1883": "", "/etc/mosquitto/sondygo2mqtt.users": path("users"),
                "/etc/mosquitto/sondygo2mqtt.acl": path("sondygo2mqtt.acl"), "set_tcp_nodelay true": "",
            ])
        return try await Broker(listener: text + more, directory: folder)
    }

    /// - Parameter version: in a fleet `3.1.1`, as deploy/doc/fleet.md says.
    private func startGateway(_ broker: Broker, version: String = "auto") throws -> Child {
        try Data("g".utf8).write(to: folder.appendingPathComponent("mqtt_password"))
        return try GatewayProgram.start(
            ["run"],
            environment: [
                "SONDYGO_GATEWAY_ID": "car1", "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
                "SONDYGO_MQTT_USERNAME": "sondygo2mqtt", "SONDYGO_MQTT_PASSWORD_FILE": path("mqtt_password"),
                "SONDYGO_MQTT_PROTOCOL": version, "SONDYGO_RECEIVER_TRANSPORT": "simulator",
            ])
    }

    /// On MQTT 3.1.1 only the broker can keep huge messages from the gateway.
    @Test(arguments: ["sondygo2mqtt.conf", "bridge-central.conf"])
    func brokersLimitTheSizeOfMessages(_ name: String) throws {
        let lines = try example(name).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.filter { $0.hasPrefix("message_size_limit") } == ["message_size_limit 65536"])
    }

    /// Only named users can command. The broker drops a dashboard's command and refuses a stranger's login.
    @Test func onlyNamedUsersCommand() async throws {
        let broker = try await carBroker()
        let gateway = try startGateway(broker)
        let dashboard = try await Subscriber(port: broker.port, login: ("dashboard", "d"))
        try await dashboard.first(on: "sondygo/car1/receiver/state") { $0.payload == "online" }
        let command = "sondygo/car1/command"
        let answers = { dashboard.messages(on: "sondygo/car1/command/response").map { $0.json["id"] as? String } }
        try publish(
            port: broker.port, topic: command, #"{"mute":true,"id":"d"}"#, more: ["-u", "dashboard", "-P", "d"])
        try publish(port: broker.port, topic: command, #"{"mute":true,"id":"stranger"}"#)
        for (user, password) in [("crew", "c"), ("homeassistant", "h")] {
            try publish(
                port: broker.port, topic: command, #"{"mute":true,"id":"\#(user)"}"#,
                more: ["-u", user, "-P", password])
            try await eventually("the answer to \(user)") { answers().contains(user).orNil }
        }
        #expect(Set(answers()) == ["crew", "homeassistant"])
        let request = try Child(
            "mosquitto_rr",
            [
                "-V", "5", "-p", "\(broker.port)", "-u", "crew", "-P", "c", "-t", command, "-e", "reply/crew", "-m",
                #"{"mute":false}"#, "-W", "5",
            ])
        #expect(try await request.exitCode() == 0, "\(request.text)")
        // Home Assistant gets the gateway's discovery message.
        let assistant = try await Subscriber(port: broker.port, topic: "homeassistant/#", login: ("homeassistant", "h"))
        try await assistant.first(on: "homeassistant/device/sondygoXcar1/config")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// A fleet's broker gets the car's messages and commands the car. Messages of the time without a line come later. A
    /// car can't write another car's topics.
    @Test func aCarsBrokerIsBridgedToItsFleet() async throws {
        let (fleetListener, secure) = try await self.fleetListener()
        let fleetFolder = try temporaryDirectory()
        let fleet = try await Broker(listener: fleetListener, directory: fleetFolder)
        let bridge = try example(
            "bridge-car.conf",
            [
                "fleet.example:8883": "localhost:\(secure)", "/etc/ssl/certs/ca-certificates.crt": path("ca.crt"),
                "the-password-of-car1": "1", "restart_timeout 5 60": "restart_timeout 1 2",
            ])
        let broker = try await carBroker(more: "\n" + bridge)
        let control = try await Subscriber(port: fleet.port, login: ("control", "t"))
        let gateway = try startGateway(broker, version: "3.1.1")
        // The bridge tries every second or two, and its TLS is slow beside others.
        let position = try await control.first(on: "sondygo/car1/position", within: 200) {
            $0.json["serial"] is String
        }
        try await control.first(on: "sondygo/car1/bridge/state") { $0.payload == "online" }
        let answers = {
            control.messages(on: "sondygo/car1/command/response").filter { $0.json["id"] as? String == "f" }
        }
        try publish(
            port: fleet.port, topic: "sondygo/car1/command", #"{"mute":true,"id":"f"}"#,
            more: ["-u", "control", "-P", "t"])
        try await eventually("confirmed") { answers().first { $0.json["status"] as? String == "confirmed" } }
        // The command comes once: the bridge does not send it back.
        #expect(answers().count { $0.json["status"] as? String == "accepted" } == 1)
        try publish(
            port: fleet.port, topic: "sondygo/car1/command", #"{"mute":true,"id":"f2"}"#,
            more: ["-u", "car2", "-P", "2"])
        try await control.first(on: "sondygo/car1/position") {
            $0.json["time"] as? String != position.json["time"] as? String
        }
        #expect(!control.messages.contains { $0.payload?.contains("f2") == true })
        gateway.kill(SIGKILL)
        try await control.first(on: "sondygo/car1/bridge/state") { $0.payload == "offline" }

        // The line is down for a while; the car's broker stands still until somebody listens at the other end.
        let dashboard = try await Subscriber(port: broker.port, login: ("dashboard", "d"))
        try await fleet.stop()
        let next = try startGateway(broker, version: "3.1.1")
        let times = { (subscriber: Subscriber) in
            Set(subscriber.messages(on: "sondygo/car1/position").compactMap { $0.json["time"] as? String })
        }
        // The retained position is of the time before: the fleet has had it.
        let live = { () -> Set<String> in
            let positions = dashboard.messages(on: "sondygo/car1/position").filter { $0.retain == 0 }
            return Set(positions.compactMap { $0.json["time"] as? String })
        }
        try await eventually("positions while the line is down") { (live().count >= 4).orNil }
        broker.kill(SIGSTOP)
        let missed = live()
        let fleetAgain = try await Broker(port: fleet.port, listener: fleetListener, directory: fleetFolder)
        let again = try await Subscriber(port: fleetAgain.port, login: ("control", "t"))
        broker.kill(SIGCONT)
        try await eventually("what was missed: \(missed.sorted())") { missed.isSubset(of: times(again)).orNil }
        next.kill(SIGTERM)
        #expect(try await next.exitCode() == 0)
    }

    /// A car's box that loses its power, or its line, is offline at the fleet's broker, although its gateway could not say
    /// so: the bridge's will does.
    @Test func aCutBridgeShowsAtTheFleet() async throws {
        let (fleetListener, secure) = try await self.fleetListener()
        let fleet = try await Broker(listener: fleetListener, directory: try temporaryDirectory())
        let bridge = try example(
            "bridge-car.conf",
            [
                "fleet.example:8883": "localhost:\(secure)", "/etc/ssl/certs/ca-certificates.crt": path("ca.crt"),
                "the-password-of-car1": "1", "restart_timeout 5 60": "restart_timeout 1 2",
            ])
        let broker = try await carBroker(more: "\n" + bridge)
        let control = try await Subscriber(port: fleet.port, login: ("control", "t"))
        try await control.first(on: "sondygo/car1/bridge/uplink", within: 200) { $0.payload == "1" }
        broker.kill(SIGKILL)
        try await control.first(on: "sondygo/car1/bridge/uplink") { $0.payload == "0" }
        // Who comes later learns it, too.
        let late = try await Subscriber(port: fleet.port, login: ("control", "t"))
        try await late.first(on: "sondygo/car1/bridge/uplink") { $0.payload == "0" }
    }

    /// The fleet's broker with two listeners: one for the test's own clients, which know no certificates, and one for
    /// bridges, at the port that comes with it.
    private func fleetListener() async throws -> (text: String, secure: Int) {
        try Certificates.make(in: folder)
        try await allow(["car1": "1", "car2": "2", "control": "t"], "fleet.users")
        _ = try example("bridge-central.acl")
        let central = try example(
            "bridge-central.conf",
            [
                "listener 8883": "", "/etc/mosquitto/certs/fleet.crt": path("server.crt"),
                "/etc/mosquitto/certs/fleet.key": path("server.key"),
                "/etc/mosquitto/fleet.users": path("fleet.users"),
                "/etc/mosquitto/bridge-central.acl": path("bridge-central.acl"), "set_tcp_nodelay true": "",
            ])
        let secure = Broker.freePort()
        let logins = central.split(separator: "\n").filter { $0.hasPrefix("cert") || $0.hasPrefix("key") }
        let rest = central.split(separator: "\n").filter { !logins.contains($0) }
        let text =
            rest.joined(separator: "\n") + "\nlistener \(secure) 127.0.0.1\n" + logins.joined(separator: "\n") + "\n"
        return (text, secure)
    }
}
