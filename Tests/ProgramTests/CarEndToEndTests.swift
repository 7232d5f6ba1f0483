import Foundation
import TestSupport
import Testing

/// The real program with a real gpsd, a real mosquitto, and a phone's messages.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CarEndToEndTests {
    private static let chase = "sondygo/test/chase"

    private func start(_ broker: Broker, _ environment: [String: String]) throws -> Child {
        try GatewayProgram.start(
            [
                "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                "--receiver-port", "1",
            ], environment: environment)
    }

    private func car(_ message: Subscriber.Message?) -> [String: Any]? { message?.json["car"] as? [String: Any] }

    /// Waits until the newest message has, or no longer has, a position of the car.
    @discardableResult
    private func wait(
        _ what: String, _ subscriber: Subscriber, within seconds: Double = usualDeadline, for isKnown: Bool,
        since count: Int = 0
    ) async throws -> [String: Any] {
        try await eventually(what, within: seconds) {
            let messages = subscriber.messages(on: Self.chase)
            guard messages.count > count, let last = messages.last else { return nil }
            let car = car(last)
            return (car != nil) == isKnown ? car ?? [:] : nil
        }
    }

    /// The receiver is unplugged, gpsd restarted and stopped. Without a fix the car is null after ten seconds, and
    /// never old.
    @Test func aRealGPSDGivesTheCarsPosition() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let receiver = try GPSReceiver(latitude: 47.1, longitude: 8.2, seconds: 12)
        let gateway = try start(broker, ["SONDYGO_GPSD_PORT": "\(receiver.port)"])
        try await wait("gpsd's fix: \(gateway.text)", subscriber, within: 200, for: true)
        // The first reports hold only the position.
        let car = try await eventually("speed and course: \(gateway.text)") {
            let car = self.car(subscriber.messages(on: Self.chase).last)
            return abs((car?["speed_mps"] as? Double ?? 0) - 13.89) < 0.01 ? car : nil
        }
        #expect(car["source"] as? String == "gpsd")
        #expect(abs((car["latitude"] as? Double ?? 0) - 47.1) < 1e-5)
        #expect(abs((car["longitude"] as? Double ?? 0) - 8.2) < 1e-5)
        #expect(car["course_deg"] as? Double == 90 && car["course_held"] as? Bool == false)

        // The log ends, as if the receiver were unplugged: gpsd runs and is silent.
        var count = subscriber.messages(on: Self.chase).count
        try await wait("no car without a receiver", subscriber, within: 200, for: false, since: count)

        receiver.stop()
        count = subscriber.messages(on: Self.chase).count
        try receiver.start(seconds: 600)
        try await wait("gpsd is back: \(gateway.text)", subscriber, within: 200, for: true, since: count)
        let doctor = try Child(
            GatewayProgram.path, ["doctor", "--config", "/dev/null"],
            environment: [
                "SONDYGO_GPSD_PORT": "\(receiver.port)", "SONDYGO_SONDEHUB_ENABLED": "false",
                "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
            ])
        _ = try await doctor.exitCode()
        #expect(doctor.lines.contains { $0.hasPrefix("ok     gpsd ") && $0.contains("knows where the car is") })

        count = subscriber.messages(on: Self.chase).count
        receiver.stop()
        try await wait("no car without gpsd", subscriber, for: false, since: count)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let chases = subscriber.messages(on: Self.chase)
        #expect(chases.compactMap { self.car($0)?["age_ms"] as? Int }.allSatisfy { $0 < 10_000 })
        #expect(try Schemas.violations(chases.map { (topic: "chase", payload: $0.payload ?? "") }) == [])
    }

    /// The gateway ignores garbage from gpsd, and reconnects when gpsd is silent.
    @Test func oddAnswersOfGPSDAreIgnored() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let server = try SocketServer()
        let gateway = try start(broker, ["SONDYGO_GPSD_HOST": "127.0.0.1", "SONDYGO_GPSD_PORT": "\(server.port)"])
        try await server.accept()
        try await eventually("?WATCH") { server.read().contains("?WATCH=").orNil }
        server.write([UInt8](repeating: UInt8(ascii: "{"), count: 1_000_000) + [UInt8(ascii: "\n")])
        server.write([UInt8](repeating: 0, count: 70_000))
        let old = "{\"class\":\"TPV\",\"mode\":3,\"time\":\"1970-01-01T00:00:00.000Z\",\"lat\":1,\"lon\":1}\n"
        server.write(
            Array("\n\(old){\"class\":\"TPV\",\"mode\":3,\"lat\":null,\"lon\":null}\n{\"class\":\"TPV\",\"la".utf8))
        server.hangUp()
        try await server.accept()
        let formatter = ISO8601DateFormatter()
        let modes = [3, 1, 3, 0, 2, 1]
        var count = 0
        // If the clock is not synchronised, the fix of 1970 counts until later ones have come for a second.
        try await eventually("a fix all the same: \(gateway.text)") {
            let time = formatter.string(from: Date())
            let mode = modes[count % modes.count]
            count += 1
            server.write(
                Array("{\"class\":\"TPV\",\"mode\":\(mode),\"time\":\"\(time)\",\"lat\":47,\"lon\":8}\n".utf8))
            return (self.car(subscriber.messages(on: Self.chase).last)?["latitude"] as? Double == 47).orNil
        }
        // After ten seconds of silence the gateway connects again.
        let began = ContinuousClock.now
        try await server.accept()
        #expect(ContinuousClock.now - began > .seconds(8))
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// The gateway logs it once.
    @Test func aGPSDThatHangsUpIsAskedLessOften() async throws {
        let broker = try await Broker()
        let server = try SocketServer()
        let gateway = try start(broker, ["SONDYGO_GPSD_HOST": "127.0.0.1", "SONDYGO_GPSD_PORT": "\(server.port)"])
        var times: [ContinuousClock.Instant] = []
        for _ in 0..<4 {
            try await server.accept()
            times.append(.now)
            try await eventually("?WATCH") { server.read().contains("?WATCH=").orNil }
            server.write(Array("{\"class\":\"DEVICES\",\"devices\":[]}\n".utf8))
            server.hangUp()
        }
        // The least pauses are 0, 0.5, 0.75 and 1.125 seconds.
        #expect(times[3] - times[0] > .seconds(2))
        #expect(gateway.text.components(separatedBy: "gpsd lost").count == 2, "\(gateway.text)")
    }

    /// A Stratux by GDL 90, and a GPS receiver at a cable, which comes first once it is steady.
    @Test func otherReceiversGiveTheCarsPosition() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let terminal = try PseudoTerminal()
        let port = Broker.freePort()
        let gateway = try start(
            broker,
            [
                "SONDYGO_GPSD_ENABLED": "false", "SONDYGO_CAR_NMEA": "\(terminal.path):4800",
                "SONDYGO_CAR_GDL90": "\(port)",
            ])
        let datagram = Array(try Data(contentsOf: Fixtures.url("Fixtures/feeds/in/stratux.datagram")))
        let stratux = DatagramPeer(to: port)
        let found = try await eventually("the Stratux: \(gateway.text)", within: 200) {
            stratux.send(datagram)
            let car = self.car(subscriber.messages(on: Self.chase).last)
            // The first report comes before its altitude.
            return (car?["altitude_m"] as? Double).map { _ in car ?? [:] }
        }
        #expect(found["source"] as? String == "gdl90" && found["accuracy_m"] as? Double == 10)
        #expect(abs((found["latitude"] as? Double ?? 0) - 46.82) < 1e-4)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let car = try await eventually("the receiver: \(gateway.text)", within: 200) { () -> [String: Any]? in
            let now = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: Date())
            let clock = String(format: "%02d%02d%02d.00", now.hour ?? 0, now.minute ?? 0, now.second ?? 0)
            let date = String(format: "%02d%02d%02d", now.day ?? 0, now.month ?? 0, (now.year ?? 0) % 100)
            terminal.write(
                Array(
                    (Self.sentence("GNGGA,\(clock),4649.2,N,00656.4,E,1,12,0.8,430.0,M,47.0,M,,")
                        + Self.sentence("GNRMC,\(clock),A,4649.2,N,00656.4,E,27.0,90.0,\(date),,,A")).utf8))
            let car = self.car(subscriber.messages(on: Self.chase).last)
            return car?["source"] as? String == "nmea" ? car : nil
        }
        #expect(car["course_deg"] as? Double == 90 && car["altitude_m"] as? Double == 430)
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let chases = subscriber.messages(on: Self.chase)
        #expect(try Schemas.violations(chases.map { (topic: "chase", payload: $0.payload ?? "") }) == [])
    }

    private static func sentence(_ body: String) -> String {
        "$\(body)*" + String(format: "%02X", body.utf8.reduce(0) { $0 ^ $1 }) + "\r\n"
    }

    @Test func aPhoneGivesTheCarsPosition() async throws {
        let broker = try await Broker()
        let topic = "owntracks/crew/phone1"
        let location = { (age: Int) in
            "{\"_type\":\"location\",\"lat\":47.2,\"lon\":8.3,\"acc\":9,\"vel\":50,\"cog\":10,"
                + "\"tst\":\(Int(Date().timeIntervalSince1970) - age),\"tid\":\"p1\"}"
        }
        // A retained message of yesterday.
        try publish(port: broker.port, topic: topic, location(86_400), more: ["-r"])
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try start(
            broker, ["SONDYGO_CAR_OWNTRACKS": topic, "SONDYGO_GPSD_ENABLED": "false"])
        try await subscriber.first(on: "sondygo/test/bridge/state") { $0.payload == "online" }
        try publish(port: broker.port, topic: topic, String(repeating: "x", count: 60_000))
        try publish(port: broker.port, topic: topic, "{\"_type\":\"transition\",\"lat\":1,\"lon\":1}")
        // The app publishes retained messages.
        try publish(port: broker.port, topic: topic, location(1), more: ["-r"])
        let car = try await wait("the phone: \(gateway.text)", subscriber, for: true)
        #expect(car["source"] as? String == "owntracks" && car["latitude"] as? Double == 47.2)
        let times = subscriber.messages(on: Self.chase).compactMap { self.car($0)?["time"] as? String }
        #expect(Set(times).count == 1, "\(times)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// A simulated car chases a simulated sonde.
    @Test func aSimulatedChaseReportsDistances() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start([
            "simulate", "--car", "--speed", "30", "--launch-delay", "2", "--burst", "6000", "--mqtt-host", "127.0.0.1",
            "--mqtt-port", "\(broker.port)",
        ])
        try await eventually("the car comes nearer: \(gateway.text)", within: 200) { () -> Bool? in
            let distances = subscriber.messages(on: Self.chase).compactMap {
                ($0.json["landing"] as? [String: Any])?["distance_m"] as? Double
            }
            guard let first = distances.first, let last = distances.last else { return nil }
            return (last < first - 1000).orNil
        }
        let route = subscriber.messages(on: Self.chase).last?.json["route"] as? [String: Any]
        #expect(route?["method"] as? String == "straight_line")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// SondeHub never gets a simulated car.
    @Test func aSimulatedCarIsNotShared() async throws {
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let server = try await FakeSondeHub()
        for (kind, text) in [("site", "{}"), ("area", "{}"), ("track", "{}"), ("prediction", "[]")] {
            try server.serve(kind, text)
        }
        let gateway = try GatewayProgram.start(
            [
                "simulate", "--car", "--speed", "10", "--launch-delay", "1", "--mqtt-host", "127.0.0.1", "--mqtt-port",
                "\(broker.port)",
            ],
            environment: [
                "SONDYGO_SONDEHUB_ENABLED": "true", "SONDYGO_SONDEHUB_SITE": "06610",
                "SONDYGO_SONDEHUB_URL": server.url(),
                "SONDYGO_FEEDS_CHASE_CAR_ENABLED": "true", "SONDYGO_FEEDS_CHASE_CAR_CALLSIGN": "HB9XYZ",
            ])
        try await eventually("the car and the sonde: \(gateway.text)") {
            (subscriber.messages(on: Self.chase).count { !($0.json["sonde"] is NSNull) && self.car($0) != nil } > 10)
                .orNil
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        #expect(server.uploads == [])
        #expect(!gateway.text.contains("public"))
    }
}
