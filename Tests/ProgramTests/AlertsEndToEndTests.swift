import Foundation
import GatewayReports
import TestSupport
import Testing

/// Alerts of the real program in a simulated flight, to HTTP servers on loopback.
@Suite(.timeLimit(.minutes(10))) struct AlertsEndToEndTests {
    /// Alerts go to servers that are fine, away or slow, or that redirect. Each event of the chase comes once, in the
    /// language that is set. The server that was away gets all events after a restart. The hour's count of alerts holds
    /// across the restart.
    @Test func eachAlertComesOnceInTheChosenLanguage() async throws {
        let broker = try await Broker()
        let server = try await ScriptedServer()
        let away = Broker.freePort()
        let subscriber = try await Subscriber(port: broker.port, topic: "sondygo/test/event")
        let targets = ["slow", "redirect", "closed", "good"].map { server.url($0) } + ["http://127.0.0.1:\(away)/good"]
        let file = try configuration(targets, onceAnHour: "\(server.url("good"))/few")
        let receiver = try SocketServer()
        let state = try temporaryDirectory()
        let start = {
            try GatewayProgram.start(
                ["run", "--config", file.path],
                environment: [
                    "SONDYGO_MQTT_HOST": "127.0.0.1", "SONDYGO_MQTT_PORT": "\(broker.port)",
                    "SONDYGO_RECEIVER_TRANSPORT": "tcp", "SONDYGO_RECEIVER_PORT": "\(receiver.port)",
                    "SONDYGO_GATEWAY_STATE_DIRECTORY": state.path, "SONDYGO_GPSD_ENABLED": "false",
                ])
        }
        var gateway = try start()
        try await receiver.accept()
        try await fly(receiver) { self.said(subscriber, "burst") != nil }
        let found = try #require(said(subscriber, "sonde_changed"))
        let burst = try #require(said(subscriber, "burst"))
        #expect(burst.contains("Scoppio"), "\(burst)")
        let waiting = {
            (try? String(contentsOf: state.appendingPathComponent("alerts.json"), encoding: .utf8)) ?? ""
        }
        let bodies = { (path: String) in server.requests.filter { $0.path == path }.map(\.body) }
        try await eventually("three have theirs: \(server.text) \(waiting()) \(gateway.text)") {
            // A request that the stop interrupts would be made again, so the test waits until none is under way.
            (["/good", "/redirect", "/good/few"].map { bodies($0).count } == [2, 2, 1]).orNil
        }
        #expect(bodies("/good") == [found, burst] && bodies("/redirect") == [found, burst], "\(server.requests)")
        #expect(bodies("/good/few") == [found], "\(server.requests)")
        #expect(Set(bodies("/slow")).isSubset(of: [found, burst]))
        #expect(gateway.text.contains("more alerts than max_per_hour"))
        try await eventually("the file has what waits") {
            waiting().contains("came").orNil
        }
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        // The server that was away is back.
        let back = try await ScriptedServer(port: away)
        receiver.forgetWaiting()
        gateway = try start()
        try await receiver.accept()
        try await eventually("it has both, once: \(gateway.text)") { (back.requests.count == 2).orNil }
        #expect(back.requests.map(\.body) == [found, burst])
        // Another sonde: one alert more, and none for the target whose hour is full.
        try await fly(receiver, serial: "V4210151") { bodies("/good").count == 3 && back.requests.count == 3 }
        #expect(bodies("/good").last?.contains("V4210151") == true)
        #expect(bodies("/good/few") == [found], "\(server.requests)")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    private func configuration(_ targets: [String], onceAnHour: String) throws -> URL {
        let events = "[sonde_changed, burst]"
        let text =
            "announce: {language: it}\nalerts:\n"
            + targets.map { "  - {url: \"\($0)\", events: \(events)}\n" }.joined()
            + "  - {url: \"\(onceAnHour)\", events: \(events), max_per_hour: 1}\n"
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        return file
    }

    private func said(_ subscriber: Subscriber, _ event: String) -> String? {
        subscriber.messages.first { $0.json["event"] as? String == event }?.json["text"] as? String
    }

    /// A flight with a frame a second: it climbs for 65 s, then falls.
    private func fly(
        _ receiver: SocketServer, serial: String = "V4210150", until isDone: () -> Bool
    ) async throws {
        let begin = ContinuousClock.now
        var second = 0
        try await eventually("the end of the flight", within: 120) {
            guard ContinuousClock.now - begin >= .seconds(second) else { return isDone().orNil }
            let altitude = second < 65 ? 9000 + 20 * second : 10_300 - 40 * (second - 65)
            let frame =
                "1/RS41/403.500/\(serial)/47.38/8.54/\(altitude)/10/\(second < 65 ? 20 : -40)/117.5/100/0/0/0/4274/0/0/0/0/3.10/o\r\n"
            receiver.write(Array(frame.utf8))
            second += 1
            return isDone().orNil
        }
    }
}
