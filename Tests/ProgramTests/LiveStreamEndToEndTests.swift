import FlightMath
import Foundation
import TestSupport
import Testing

/// The real program with SondeHub's live stream.
@Suite(.timeLimit(.minutes(60)), .serialized) struct LiveStreamEndToEndTests {
    /// A flight that a SondeHub with a cache and a live stream shows.
    private struct Sky {
        let broker: Broker
        let peer: StreamPeer
        let sondeHub: FakeSondeHub
        let subscriber: Subscriber
        let flight: Child

        /// - Parameters:
        ///   - seconds: how long the sonde sends.
        ///   - cache: how old SondeHub's answers to polls get, seconds.
        init(seconds: Int, cache: Int) async throws {
            broker = try await Broker()
            peer = try await StreamPeer(broker: broker.port)
            sondeHub = try await FakeSondeHub()
            subscriber = try await Subscriber(port: broker.port)
            let flight = try Child(
                "python3",
                [
                    Fixtures.url("Tests/TestSupport/liveflight.py").path, sondeHub.directory.path, "\(broker.port)",
                    "\(seconds)", "\(cache)",
                ])
            self.flight = flight
            try await eventually("the flight: \(flight.text)") { flight.text.contains("flying").orNil }
        }

        func gateway(_ id: String, stream: String, more: [String: String] = [:]) throws -> Child {
            let settings = [
                "SONDYGO_GATEWAY_ID": id, "SONDYGO_SONDEHUB_ENABLED": "true", "SONDYGO_SONDEHUB_SITE": "06610",
                "SONDYGO_SONDEHUB_URL": sondeHub.url(),
                "SONDYGO_SONDEHUB_STREAM": stream, "SONDYGO_PREDICTION_ENABLED": "false",
            ]
            return try GatewayProgram.start(
                [
                    "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                    "--receiver-port", "1",
                ], environment: settings.merging(more) { $1 })
        }

        /// The published positions: the frame's time, and the time until a subscriber had it, seconds.
        func positions(of id: String) throws -> [(time: Double, delay: Double)] {
            try subscriber.messages(on: "sondygo/\(id)/position").map { message in
                let time = try Date(#require(message.json["time"] as? String), strategy: Self.iso)
                return (time.timeIntervalSince1970, (message.arrivedAt ?? 0) - time.timeIntervalSince1970)
            }
        }

        private static let iso = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

        func health(of id: String) throws -> [String: Any] {
            subscriber.messages(on: "sondygo/\(id)/health").last?.json ?? [:]
        }
    }

    /// The delay of a frame to a subscriber, polled against streamed, of one flight in one run. `STREAM_SECONDS` makes
    /// the run longer, then with SondeHub's real cache and the usual interval.
    @Test func aStreamedFrameIsThereSooner() async throws {
        let seconds = ProcessInfo.processInfo.environment["STREAM_SECONDS"].flatMap { Int($0) } ?? 20
        let isLong = seconds > 60
        let sky = try await Sky(seconds: seconds, cache: isLong ? 60 : 8)
        let more = isLong ? [:] : ["SONDYGO_SONDEHUB_POLL_SECONDS": "5"]
        let gateways = [
            try sky.gateway("test", stream: sky.peer.url(), more: more),
            try sky.gateway("polled", stream: "off", more: more),
        ]
        #expect(try await sky.flight.exitCode(within: Double(seconds) + 60) == 0)
        let (streamed, polled) = (try sky.positions(of: "test"), try sky.positions(of: "polled"))
        func quantile(_ share: Double, _ positions: [(time: Double, delay: Double)]) -> Double {
            let sorted = positions.map(\.delay).sorted()
            return sorted.isEmpty ? .infinity : sorted[Int(Double(sorted.count - 1) * share)]
        }
        for (name, positions) in [("streamed", streamed), ("polled", polled)] {
            print(
                name, positions.count, "positions; delay", quantile(0.5, positions), "s, p95", quantile(0.95, positions)
            )
        }
        #expect(streamed.count > seconds / 2 && streamed.count > 2 * polled.count && !polled.isEmpty)
        #expect(quantile(0.5, streamed) < 4 && quantile(0.5, streamed) < quantile(0.5, polled))
        #expect(zip(streamed, streamed.dropFirst()).allSatisfy { $0.time < $1.time })
        for gateway in gateways { gateway.kill(SIGTERM) }
        for gateway in gateways { #expect(try await gateway.exitCode() == 0) }
        let agents = sky.sondeHub.requests
        print("requests", agents.count)
    }

    /// A server that drops the connection every second: nothing is lost that polls would have had, and no time goes back.
    @Test func aStreamThatDropsLosesNothing() async throws {
        let seconds = ProcessInfo.processInfo.environment["STREAM_DROPS_SECONDS"].flatMap { Int($0) } ?? 20
        let sky = try await Sky(seconds: seconds, cache: 8)
        let gateway = try sky.gateway("test", stream: sky.peer.url(seconds > 60 ? "drop/3" : "drop/1"))
        #expect(try await sky.flight.exitCode(within: Double(seconds) + 60) == 0)
        let positions = try sky.positions(of: "test")
        #expect(positions.count >= seconds / 4 && sky.peer.count("open") >= seconds / 8, "\(gateway.text)")
        // Polls have a frame every 15 s.
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0.time < $1.time && $1.time - $0.time < 15 })
        print("dropped", sky.peer.count("open"), "connections;", positions.count, "positions")
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// The network comes and goes every 20 s, for a minute and a half: no time goes back, no point is missing, no memory is
    /// lost. `Tests/network.py` stays in the valley for two hours.
    @Test func aValley() async throws {
        let script = try Child(
            "python3", [Fixtures.url("Tests/network.py").path, "valley", "90"],
            environment: ["GATEWAY": GatewayProgram.path])
        #expect(try await script.exitCode(within: 400) == 0, "\(script.text)")
    }

    /// With `sondehub.enabled: false` no socket leads anywhere but to the broker and the receiver.
    @Test func switchedOffNothingIsSent() async throws {
        let sky = try await Sky(seconds: 3, cache: 1)
        let log = try temporaryDirectory().appendingPathComponent("calls").path
        let receiver = Broker.freePort()
        // -D: the child is the gateway, so that it does not outlive the test.
        let child = try Child(
            "strace",
            [
                "-D", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log, GatewayProgram.path, "run",
                "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(sky.broker.port)", "--transport", "tcp",
                "--receiver-port", "\(receiver)",
            ],
            environment: [
                "SONDYGO_GATEWAY_ID": "test", "SONDYGO_SONDEHUB_ENABLED": "false",
                "SONDYGO_DASHBOARD_ENABLED": "false", "SONDYGO_GPSD_ENABLED": "false",
                "SONDYGO_GATEWAY_STATE_DIRECTORY": try temporaryDirectory().path,
                "SONDYGO_SONDEHUB_SITE": "06610", "SONDYGO_SONDEHUB_URL": sky.sondeHub.url(),
                "SONDYGO_SONDEHUB_STREAM": sky.peer.url(),
                "SONDYGO_SONDEHUB_HUNT": "V1",
            ])
        try await sky.subscriber.first(on: "sondygo/test/state") { $0.json["state"] as? String == "noTelemetry" }
        try publish(port: sky.broker.port, topic: "sondygo/test/command", "{\"id\":1,\"request\":\"health\"}")
        try await sky.subscriber.first(on: "sondygo/test/command/response")
        #expect(try await sky.flight.exitCode() == 0)
        let calls = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        child.kill(SIGTERM)
        // Port 0: the system's look-up of a name tries addresses, and sends nothing.
        let allowed = [sky.broker.port, receiver, 0].map { "port=htons(\($0))" }
        let foreign = calls.filter { call in
            call.contains("AF_INET") && !allowed.contains { call.contains($0) }
        }
        #expect(calls.contains { $0.contains(allowed[0]) }, "the trace shows the broker")
        #expect(foreign == [])
        #expect(sky.sondeHub.requests == [] && sky.peer.events == [])
    }
}
