import Feeds
import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The real program with all feeds on, and an independent client for each.
@Suite(.timeLimit(.minutes(10)), .serialized) struct FeedsEndToEndTests {
    /// A whole flight with burst and landing. Each program gets the published numbers.
    @Test func eachFeedShowsThePublishedFlight() async throws {
        let broker = try await Broker()
        let ports = (0..<5).map { _ in Broker.freePort() }
        let (rdz, horus, gdl90, rocket, car) = (ports[0], ports[1], ports[2], ports[3], ports[4])
        let friends = try await Subscriber(port: broker.port, topic: "owntracks/#")
        let health = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            [
                "simulate", "--car", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--speed", "12",
                "--burst",
                "2500",
                "--launch-delay", "5",
            ],
            environment: [
                "SONDYGO_FEEDS_RDZ_ENABLED": "true", "SONDYGO_FEEDS_RDZ_PORT": "\(rdz)",
                "SONDYGO_FEEDS_HORUS_ENABLED": "true", "SONDYGO_FEEDS_HORUS_TARGETS": "127.0.0.1:\(horus)",
                "SONDYGO_FEEDS_HORUS_CAR": "127.0.0.1:\(car)",
                "SONDYGO_FEEDS_GDL90_ENABLED": "true",
                "SONDYGO_FEEDS_GDL90_TARGETS": "127.0.0.1:\(gdl90)", "SONDYGO_FEEDS_GDL90_DISCOVER": "false",
                "SONDYGO_FEEDS_ROCKET_ENABLED": "true", "SONDYGO_FEEDS_ROCKET_PORT": "\(rocket)",
                "SONDYGO_FEEDS_OWNTRACKS_ENABLED": "true",
            ])
        let clients = try Child(
            "python3",
            [
                Fixtures.url("Tests/Peers/feed_clients.py").path, "70", "\(broker.port)", "\(rdz)", "\(horus)",
                "\(gdl90)", "\(rocket)", "\(car)",
            ])
        #expect(try await clients.exitCode(within: 200) == 0, "\(clients.text) \(gateway.text)")
        #expect(clients.lines.last == "the same", "\(clients.text)")
        #expect(clients.lines.contains("climbing and falling True"), "\(clients.text)")
        // Friends on a phone.
        let sonde = try await friends.first(on: "owntracks/sonde/test")
        #expect(sonde.json["_type"] as? String == "location")
        try await friends.first(on: "owntracks/sonde/test/info")
        try await friends.first(on: "owntracks/sonde/test-landing")
        // The gateway's report about itself.
        let info = try await health.first(on: "sondygo/test/bridge/info")
        #expect(info.json["feeds"] as? [String] == ["rdz", "horus", "gdl90", "rocket", "owntracks"])
        let counted = try await health.first(on: "sondygo/test/health", within: 200) { message in
            let feeds = message.json["feeds"] as? [String: [String: Int]]
            return feeds?["rdz"]?["messages"] ?? 0 > 20 && feeds?["owntracks"]?["messages"] ?? 0 > 0
        }
        #expect(
            try Schemas.violations([
                (topic: "health", payload: counted.payload ?? ""), (topic: "bridge/info", payload: info.payload ?? ""),
            ]) == [])
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
    }

    /// `doctor` has a line for each feed that is on, and none for the others.
    @Test func doctorListsTheFeedsThatAreOn() throws {
        var configuration = Configuration()
        #expect(configuration.feeds.all.filter(\.isEnabled).map(\.finding).isEmpty)
        configuration.feeds.rdz.isEnabled = true
        configuration.feeds.horus.isEnabled = true
        configuration.feeds.gdl90.isEnabled = true
        configuration.feeds.rocket.isEnabled = true
        configuration.feeds.ownTracks.isEnabled = true
        configuration.feeds.chaseCar = .init(isEnabled: true, callSign: "HB9XYZ")
        let taken = try SocketServer()
        configuration.feeds.rocket.port = taken.port
        configuration.feeds.rdz.port = Broker.freePort()
        let findings = configuration.feeds.all.filter(\.isEnabled).map(\.finding)
        #expect(findings.map(\.subject) == ["rdz", "horus", "gdl90", "rocket", "owntracks", "chase car"])
        #expect(findings[0].text.contains("is free"))
        #expect(findings[3].verdict == .note && findings[3].text.contains("already in use"))
        #expect(findings[5].text.contains("public on SondeHub, as HB9XYZ_chase"))
    }
}
