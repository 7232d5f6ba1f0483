import Foundation
import TestSupport
import Testing

/// Faults in a car: power cuts at any moment, a full disk, a broker that accepts nothing or refuses.
@Suite(.timeLimit(.minutes(10))) struct FaultsEndToEndTests {
    /// `KILLS=100 Tests/one.sh killedAtRandomInstants` for a longer look.
    private static let kills = ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 12

    /// Kills also during the start. Frames older than a second are not lost, no frame is published twice, and the store
    /// stays whole.
    @Test func killedAtRandomInstants() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        var random = SeededRandom.ofThisRun
        for kill in 1...Self.kills {
            if kill % 4 == 0 {
                let life = Duration.milliseconds(Int.random(in: 0...400, using: &random))
                bench.gateway = try await killed(after: life, bench)
            }
            try await bench.feed(Int.random(in: 0...400, using: &random))
            try await bench.killGateway()
            try await bench.startGateway()
        }
        try await bench.feed(50)
        try await bench.verify()
        try await bench.end()
        let resumed = bench.messages.filter { $0.json["event"] as? String == "flight_resumed" }
        // A run that ends before its first frame resumes nothing.
        #expect(resumed.count >= Self.kills / 2)
        let times = bench.messages.filter { $0.topic.hasSuffix("/position") }.compactMap { $0.json["time"] as? String }
        let seconds = Set(times.map { $0.prefix(19) }).count
        let stored = try #require(Int(try await bench.query("SELECT count(*) FROM point")))
        // Each run may lose its last second.
        #expect(stored >= seconds - 2 * Self.kills && stored > 0, "\(stored) of \(seconds)")
        #expect(try await bench.query("PRAGMA integrity_check") == "ok")
    }

    /// One second after a single frame its point is on disk, and also its message if the broker does not respond. The
    /// limit holds with a slack of three on a machine that does nothing else: Tests/run.sh runs this test alone.
    @Test func killedASecondAfterAFrame() async throws {
        let bench = try await FrameBench()
        for kill in 1...max(6, Self.kills / 2) {
            let isStalled = kill % 3 == 0
            if isStalled {
                // A position that waits for room behind the session's first messages is not on disk yet.
                try await bench.waitUntilQuiet()
                bench.broker.kill(SIGSTOP)
            }
            try await bench.feed(1)
            try await Task.sleep(for: .seconds(3))
            bench.gateway.kill(SIGKILL)
            _ = try await bench.gateway.exitCode()
            #expect(try await bench.query("SELECT count(*) FROM point") == "\(kill)")
            if isStalled { #expect(try await bench.newestSpooled() == bench.newestAltitude) }
            bench.broker.kill(SIGCONT)
            bench.server.forgetWaiting()
            try await bench.startGateway()
            try await bench.waitForSession()
        }
        try await bench.end()
        #expect(try await bench.query("PRAGMA integrity_check") == "ok")
    }

    /// A board on a cable whose supply is too weak: it restarts every second, before its first frame ends. It is said
    /// aloud, and nobody says that the sonde is not heard.
    @Test func aBoardThatRestartsIsTold() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let cable = try PseudoTerminal()
        let gateway = try GatewayProgram.start(
            ["run", "--transport", "serial"],
            environment: [
                "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
                "SONDYGO_RECEIVER_DEVICE": cable.path,
            ])
        let boot =
            "1/RS41/404.2Brownout detector was triggered\r\n\r\nets Jun  8 2016 00:22:57\r\n\r\nrst:0xc (SW_CPU)\r\n"
        try await eventually("it is said: \(gateway.text)") {
            cable.write(Array(boot.utf8))
            try await Task.sleep(for: .seconds(1))
            return subscriber.messages(on: "sondygo/test/event").first {
                $0.json["text"] as? String == "The receiver keeps restarting. Check its power supply and its cable."
                    && $0.json["speak"] as? Bool == true
            }
        }
        try await eventually("the log has the reason: \(gateway.text)") {
            cable.write(Array(boot.utf8))
            return gateway.text.contains("the receiver restarts before it sends a frame").orNil
        }
        #expect(gateway.text.contains("the receiver has restarted") && !gateway.text.contains("receiver.baud"))
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// A GPS mouse in the receiver's place: the log says what comes instead of frames.
    @Test func bytesWithoutAFrameAreTold() async throws {
        let broker = try await Broker()
        let server = try SocketServer()
        let gateway = try GatewayProgram.start(
            ["run", "--transport", "tcp", "--receiver-port", "\(server.port)"],
            environment: ["SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)"])
        try await server.accept()
        try await eventually("it is said: \(gateway.text)", within: 90) {
            server.write(Array("$GPRMC,123519,A,4807.038,N,01131.000,E\r\n".utf8))
            return (gateway.text.contains("bytes come, but no frame") && gateway.text.contains("$GPRMC,123519")).orNil
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// Kills the gateway and its successor, which is still starting, and starts a third one.
    private func killed(after life: Duration, _ bench: FrameBench) async throws -> Child {
        try await bench.killGateway()
        let early = try bench.start()
        try await Task.sleep(for: life)
        early.kill(SIGKILL)
        _ = try await early.exitCode()
        bench.server.forgetWaiting()
        let next = try bench.start()
        try await bench.server.accept()
        return next
    }

    /// Recording stops with a report, and live data goes on. When there is room again, the missed data is written.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk"))
    func aFullDiskStopsOnlyRecording() async throws {
        let disk = try await SmallDisk(megabytes: 2)
        let bench = try await FrameBench(state: disk.folder)
        try await bench.feed(300)
        // SQLite may have free pages in its file.
        try await eventually("an event names the full disk") {
            try disk.fill()
            try await bench.feed(50)
            return bench.messages.first { $0.json["event"] as? String == "store_failed" }
        }
        let before = bench.altitudes("position").count
        try await bench.feed(400)
        try await eventually("live data goes on") { (bench.altitudes("position").count >= before + 400).orNil }
        try await bench.killBroker()
        try await bench.feed(400)
        try disk.free()
        try await bench.waitUntilStored()
        try await bench.restartBroker()
        try await bench.feed(50)
        try await bench.verify()
        // The events come after the history.
        let told = try await eventually("both are told") {
            let told = bench.messages.compactMap { $0.json["event"] as? String }.filter { $0.hasPrefix("store_") }
            return told.count < 2 ? nil : told
        }
        #expect(told == ["store_failed", "store_recovered"])
        #expect(try await bench.query("PRAGMA integrity_check") == "ok")
        try await bench.end()
    }

    /// The disk fills during an outage of the broker. The messages on disk are older than those in memory.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk"))
    func aDiskFullDuringAnOutageKeepsTheOrder() async throws {
        let disk = try await SmallDisk(megabytes: 2)
        let bench = try await FrameBench(state: disk.folder)
        try await bench.feed(50)
        try await bench.killBroker()
        try await bench.feed(200)
        try await bench.waitUntilStored()
        try await eventually("no more is stored") {
            try disk.fill()
            try await bench.feed(50)
            let isStored = (try? await bench.waitUntilStored(within: 1)) != nil
            return (!isStored).orNil
        }
        try await bench.restartBroker()
        try await bench.feed(50)
        try await bench.verify()
        try await bench.end()
    }

    /// The oldest messages are dropped, each counted once. The stop keeps its time limit.
    @Test func aFloodDuringAnOutageDropsTheOldest() async throws {
        let bench = try await FrameBench(environment: ["SONDYGO_MQTT_SPOOL_MAX_MESSAGES": "3000"])
        try await bench.feed(20)
        try await bench.killBroker()
        bench.flood(30_000)
        let count = "SELECT count(*) FROM spool"
        try await eventually("the disk is full of messages") { (try await bench.query(count) == "3000").orNil }
        #if DEBUG
            // This debug build writes the last messages 20 times as slowly as a release build.
            try await bench.end(within: 20)
        #else
            try await bench.end(within: 5)
        #endif
        #expect(try await bench.query(count) == "3000")
        // Each frame has an altitude 10 cm above the last one's. Between two positions in the spool none is missing.
        let altitude = "json_extract(CAST(payload AS TEXT), '$.altitude_m')"
        let positions = "FROM spool WHERE topic LIKE '%/position'"
        #expect(
            try await bench.query("SELECT count(*) - round(10 * (max(\(altitude)) - min(\(altitude)))) \(positions)")
                == "1.0")
    }

    /// Another program holds the lock. The stop keeps its time limit.
    @Test func aStopDoesNotWaitForALockedStore() async throws {
        let bench = try await FrameBench()
        try await bench.feed(50)
        try await bench.killBroker()
        let program = """
            import sqlite3, time
            store = sqlite3.connect('\(bench.state.path)/gateway.sqlite', isolation_level=None)
            store.execute('BEGIN IMMEDIATE')
            print('locked', flush=True)
            time.sleep(600)
            """
        let holder = try Child("python3", ["-c", program])
        try await eventually("the store is locked: \(holder.text)") { holder.lines.first }
        try await bench.feed(50)
        try await bench.end(within: 5)
        holder.kill(SIGKILL)
    }

    /// A worn SD card becomes read-only.
    @Test(.enabled(if: geteuid() == 0, "mounts a small disk"))
    func aReadOnlyDiskStopsOnlyRecording() async throws {
        let disk = try await SmallDisk(megabytes: 9)
        let before = try await FrameBench(state: disk.folder)
        try await before.feed(50)
        try await before.verify()
        try await before.end()
        try await disk.makeReadOnly()
        let bench = try await FrameBench(state: disk.folder)
        try await bench.surviveAnEmptyBroker()
        let failures = bench.messages.filter { $0.json["event"] as? String == "store_failed" }
        #expect(failures.count == 1)
        try await bench.end()
    }

    /// The broker reads nothing for a while, and the buffers between are small.
    @Test func aFullSocketLosesNoFrame() async throws {
        let relayed = try await Broker()
        let relay = try Child("python3", [Fixtures.url("Tests/TestSupport/stall.py").path, "\(relayed.port)"])
        let port = try await eventually("the relay's port") { relay.lines.first.flatMap { Int($0) } }
        let bench = try await FrameBench(broker: relayed, environment: ["SONDYGO_MQTT_PORT": "\(port)"])
        try await bench.feed(300)
        relay.kill(SIGUSR1)
        try await bench.feed(1000)
        relay.kill(SIGUSR2)
        try await bench.feed(300)
        try await bench.verify()
        try await bench.end()
    }

    /// The refusal is logged once and the login repeated. No frame is lost. The password appears in no output.
    @Test func aRefusedLoginIsTriedAgain() async throws {
        let folder = try temporaryDirectory()
        let secret = "correct-horse-battery"
        try Data((secret + "\n").utf8).write(to: folder.appendingPathComponent("secret"))
        let users = folder.appendingPathComponent("users").path
        func allow(_ password: String) async throws {
            let tool = try Child("mosquitto_passwd", ["-b", "-c", users, "car", password])
            #expect(try await tool.exitCode() == 0)
        }
        try await allow("something else")
        let broker = try await Broker(listener: "allow_anonymous true\npassword_file \(users)", directory: folder)
        let bench = try await FrameBench(
            broker: broker, isLetIn: false,
            environment: [
                "SONDYGO_MQTT_USERNAME": "car", "SONDYGO_MQTT_PASSWORD_FILE": folder.path + "/secret",
                "SONDYGO_GATEWAY_LOG_LEVEL": "debug",
            ])
        try await bench.feed(1000)
        #expect(bench.altitudes("position").isEmpty)
        try await allow(secret)
        broker.kill(SIGHUP)
        // The login is repeated each 30 seconds. The frames go on, or the gateway would close the silent link.
        try await eventually("the login is tried again", within: 120) {
            try await bench.feed(20, every: .milliseconds(50))
            return bench.subscriber.messages(on: "sondygo/test/bridge/state").first { $0.payload == "online" }
        }
        try await bench.feed(100)
        try await bench.verify()
        let log = bench.gateway.text
        #expect(log.components(separatedBy: "no connection to the broker").count - 1 == 1, "\(log)")
        #expect(log.contains("the broker refuses the login: Not authorized"))
        try await bench.subscriber.first(on: "sondygo/test/health")
        #expect(!log.contains(secret))
        #expect(bench.messages.allSatisfy { !($0.payload ?? "").contains(secret) })
        for file in ["cmdline", "environ"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(bench.gateway.pid)/\(file)"))
            #expect(!String(decoding: data, as: UTF8.self).contains(secret))
        }
        try await bench.end()
    }

    /// If a process makes no core dump, its files in /proc belong to root.
    @Test(.enabled(if: geteuid() == 0, "starts the gateway as another user"), arguments: [true, false])
    func noCoreDumpHoldsThePassword(_ hasPassword: Bool) async throws {
        let folder = try temporaryDirectory()
        try Data("secret".utf8).write(to: folder.appendingPathComponent("mqtt_password"))
        var environment = [
            "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_MQTT_PORT": "1", "SONDYGO_SONDEHUB_ENABLED": "false",
            "SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path,
        ]
        if hasPassword {
            environment["SONDYGO_MQTT_USERNAME"] = "car"
            environment["CREDENTIALS_DIRECTORY"] = folder.path
        }
        let gateway = try Child(
            "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", GatewayProgram.path, "run"],
            environment: environment)
        try await eventually("the gateway runs: \(gateway.text)") {
            gateway.text.contains("starting sondygo2mqtt").orNil
        }
        let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(gateway.pid)/environ")[.ownerAccountID]
        #expect(owner as? Int == (hasPassword ? 0 : 65534))
        gateway.kill(SIGKILL)
    }
}
