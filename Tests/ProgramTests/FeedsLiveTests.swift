import Foundation
import TestSupport
import Testing

/// The real program's feeds during changes: the car's source, the configuration, a restart, a kernel without IPv6.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FeedsLiveTests {
    private func waiting(_ broker: Broker, _ environment: [String: String]) throws -> Child {
        try GatewayProgram.start(
            [
                "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                "--receiver-port", "1",
            ], environment: environment.merging(["SONDYGO_GPSD_ENABLED": "false"]) { first, _ in first })
    }

    /// A client of a line feed. It sends `text` and prints `count` lines.
    private func client(_ port: Int, send text: String = "", lines count: Int = 1) throws -> Child {
        let script = """
            import socket, sys
            client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20)
            client.sendall(sys.argv[2].encode())
            stream = client.makefile()
            for _ in range(int(sys.argv[3])):
                print(stream.readline(), end="")
            """
        return try Child("python3", ["-c", script, "\(port)", text, "\(count)"])
    }

    private func isListening(_ port: Int) async throws {
        try await eventually("a listener at \(port)") {
            let child = try client(port, lines: 0)
            return (try await child.exitCode() == 0).orNil
        }
    }

    /// The phone sends its position on the rdz feed, another program on Horus. `chase` names the source.
    @Test func chaseNamesTheFeedOfTheCar() async throws {
        let broker = try await Broker()
        let (rdz, listen) = (Broker.freePort(), Broker.freePort())
        let subscriber = try await Subscriber(port: broker.port, topic: "sondygo/test/chase")
        let gateway = try waiting(
            broker,
            [
                "SONDYGO_FEEDS_RDZ_ENABLED": "true", "SONDYGO_FEEDS_RDZ_PORT": "\(rdz)",
                "SONDYGO_FEEDS_HORUS_ENABLED": "true", "SONDYGO_FEEDS_HORUS_CAR": "null",
                "SONDYGO_FEEDS_HORUS_LISTEN": "127.0.0.1:\(listen)", "SONDYGO_CAR_SOURCES": "horus,rdz",
            ])
        func car(of source: String) async throws -> [String: Any] {
            try await eventually("\(source): \(gateway.text)") {
                let cars = subscriber.messages.compactMap { $0.json["car"] as? [String: Any] }
                return cars.last { $0["source"] as? String == source }
            }
        }
        try await isListening(rdz)
        let phone = try client(
            rdz, send: "{\"lat\": 46.8 , \"lon\": 7.1 , \"course\": 60.0 , \"hdop\": 5.0 }\n", lines: 2)
        #expect(try await phone.exitCode() == 0)
        let first = try await car(of: "rdz")
        #expect(first["latitude"] as? Double == 46.8 && first["accuracy_m"] as? Double == 5)
        // Sends once a second, until the source is preferred.
        let script = """
            import socket, sys, time
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            while True:
                message = b'{"type":"GPS","latitude":46.9,"longitude":7.2,"altitude":450.0,"speed":36.0,"valid":true}'
                sender.sendto(message, ("127.0.0.1", int(sys.argv[1])))
                time.sleep(1)
            """
        let program = try Child("python3", ["-c", script, "\(listen)"])
        let second = try await car(of: "horus")
        #expect(second["latitude"] as? Double == 46.9 && second["speed_mps"] as? Double == 10)
        program.kill(SIGKILL)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let chases = subscriber.messages.map { (topic: "chase", payload: $0.payload ?? "") }
        #expect(try Schemas.violations(chases) == [])
    }

    /// A reload switches the feed off. The position is removed from SondeHub at once, by one upload.
    @Test func switchingOffRemovesTheChaseCar() async throws {
        let broker = try await Broker()
        let server = try await FakeSondeHub()
        for kind in ["site", "area", "track"] { try server.serve(kind, "{}") }
        let subscriber = try await Subscriber(port: broker.port)
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        let write = { (text: String) in try Data(text.utf8).write(to: file) }
        try write("feeds: {chase_car: {enabled: true, callsign: HB9XYZ, seconds: 15}}\n")
        let receiver = try SocketServer()
        let gateway = try GatewayProgram.start(
            ["run", "--config", file.path],
            environment: [
                "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
                "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_PORT": "\(receiver.port)",
                "SONDYGO_CAR_OWNTRACKS": "owntracks/crew/phone", "SONDYGO_SONDEHUB_ENABLED": "true",
                "SONDYGO_SONDEHUB_SITE": "06610", "SONDYGO_SONDEHUB_URL": server.url("good"),
            ])
        try await receiver.accept()
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        let fix = #"{"_type":"location","lat":46.9,"lon":7.1,"acc":5,"tst":\#(Int(Date.now.timeIntervalSince1970))}"#
        let phone = try Child(
            "mosquitto_pub", ["-p", "\(broker.port)", "-t", "owntracks/crew/phone", "-m", fix])
        #expect(try await phone.exitCode() == 0)
        let hear = {
            let frame = "1/RS41/403.500/V4210150/47.38/8.54/900/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
            receiver.write(Array(frame.utf8))
        }
        try await eventually("the car is told: \(gateway.text)", within: 200) {
            hear()
            return (server.uploads.count >= 2).orNil
        }
        #expect(server.uploads.allSatisfy { $0.contains("\"uploader_callsign\":\"HB9XYZ\"") })
        #expect(server.uploads.allSatisfy { !$0.contains("\"uploader_position\":null") })
        let began = try await subscriber.first(on: "sondygo/test/event") { $0.json["event"] as? String == "car_public" }
        #expect((began.json["text"] as? String)?.contains("public") == true)
        #expect(gateway.text.contains("position is public"))

        try write("{}\n")
        gateway.kill(SIGHUP)
        try await eventually("it is taken back: \(gateway.text)") {
            (server.uploads.last?.contains("\"uploader_position\":null") == true).orNil
        }
        try await subscriber.first(on: "sondygo/test/event") { $0.json["event"] as? String == "car_hidden" }
        try await subscriber.first(on: "sondygo/test/bridge/info") { ($0.json["feeds"] as? [String])?.isEmpty == true }
        // No further upload comes in the time that one would take.
        let uploads = server.uploads.count
        let begin = ContinuousClock.now
        try await eventually("what would have been the next one's time") {
            hear()
            return (ContinuousClock.now - begin > .seconds(16)).orNil
        }
        #expect(server.uploads.count == uploads)
        #expect(server.uploads.count { $0.contains("\"uploader_position\":null") } == 1)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// The number of points in the store.
    private func stored(in state: String) async throws -> Int {
        let program = """
            import sqlite3
            store = sqlite3.connect('file:\(state)/simulated.sqlite?mode=ro', uri=True)
            print(store.execute('SELECT count(*) FROM point').fetchone()[0])
            """
        let reader = try Child("python3", ["-c", program])
        _ = try await reader.exitCode()
        return Int(reader.text.trimmingCharacters(in: .newlines)) ?? 0
    }

    /// After a restart the recovery feed knows the last positions and the recorded flights.
    @Test func theRecoveryFeedSurvivesARestart() async throws {
        let broker = try await Broker()
        let port = Broker.freePort()
        let state = try temporaryDirectory().path
        let environment = [
            "SONDYGO_FEEDS_ROCKET_ENABLED": "true", "SONDYGO_FEEDS_ROCKET_PORT": "\(port)",
            "SONDYGO_GATEWAY_STATE_DIRECTORY": state,
        ]
        let subscriber = try await Subscriber(port: broker.port)
        let flying = try GatewayProgram.start(
            ["simulate", "--speed", "10", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)"],
            environment: environment)
        let positions = try await eventually("a flight: \(flying.text)") {
            let found = subscriber.messages(on: "sondygo/test/position")
            return found.count >= 30 ? found : nil
        }
        // A power cut loses the last second, which is ten frames at this speed, and more on a busy machine.
        try await eventually("they are stored") { (try await stored(in: state) >= 30).orNil }
        flying.kill(SIGKILL)
        _ = try await flying.exitCode()
        // The next run takes it for a real flight.
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.moveItem(
                atPath: "\(state)/simulated.sqlite\(suffix)", toPath: "\(state)/gateway.sqlite\(suffix)")
        }
        let again = try waiting(broker, environment)
        try await isListening(port)
        let app = try client(port, send: "{\"cmd\":\"rockets\"}\n{\"cmd\":\"flash_list\"}\n", lines: 8)
        #expect(try await app.exitCode() == 0, "\(app.text)")
        let answers = app.lines.compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
        let rockets = try #require(answers.first { $0["type"] as? String == "rockets" }?["rockets"] as? [[String: Any]])
        let serial = try #require(positions.last?.json["serial"] as? String)
        #expect(rockets.first?["id"] as? Int == 0 && rockets.first?["name"] as? String == serial, "\(app.text)")
        #expect(rockets.first?["age"] as? Int ?? -1 >= 0)
        let latitude = try #require(rockets.first?["lat"] as? Double)
        let longitude = try #require(rockets.first?["lon"] as? Double)
        let published = subscriber.messages(on: "sondygo/test/position").map(\.json)
        #expect(
            published.contains { $0["latitude"] as? Double == latitude && $0["longitude"] as? Double == longitude },
            "\(app.text)")
        let flights = try #require(
            answers.first { $0["type"] as? String == "flash_list" }?["flights"] as? [[String: Any]])
        #expect(flights.first?["slot"] as? Int == 0 && flights.first?["samples"] as? Int ?? 0 >= 20, "\(app.text)")
        // No sonde flies: no satellites and no position.
        let telemetry = try #require(answers.first { $0["type"] as? String == "tel" })
        #expect(telemetry["sats"] as? Int == 0 && telemetry["lat"] == nil)
        again.kill(SIGTERM)
        #expect(try await again.exitCode() == 0)
    }

    /// Each IPv6 socket fails. Servers for all interfaces listen on IPv4.
    @Test func withoutIPv6TheServersListenOnIPv4() async throws {
        let port = Broker.freePort()
        let gateway = try Child(
            "python3",
            [
                Fixtures.url("Tests/Peers/without_ipv6.py").path, GatewayProgram.path, "run", "--config", "/dev/null",
                "--transport", "tcp", "--receiver-port", "1",
            ],
            environment: [
                "SONDYGO_FEEDS_RDZ_ENABLED": "true", "SONDYGO_FEEDS_RDZ_PORT": "\(port)",
                "SONDYGO_FEEDS_RDZ_ADDRESS": "::", "SONDYGO_SONDEHUB_ENABLED": "false", "SONDYGO_MQTT_PORT": "1",
                "SONDYGO_DASHBOARD_ENABLED": "false", "SONDYGO_GPSD_ENABLED": "false",
                "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
            ])
        try await eventually("the feed listens: \(gateway.text)") {
            gateway.text.contains("feed ready address=0.0.0.0").orNil
        }
        let phone = try client(port)
        #expect(try await phone.exitCode() == 0 && phone.text.contains("\"res\": 1"), "\(phone.text)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }
}
