import FlightMath
import Foundation
import Gateway
import SondeHubClient
import TestSupport
import Testing

/// The real program with the real Tawhiri.
@Suite(.timeLimit(.minutes(10)), .serialized) struct PredictionEndToEndTests {
    private func landing(_ object: Any?) -> Coordinate? {
        let place = (object as? [String: Any])?["landing"] as? [String: Any]
        guard let latitude = place?["latitude"] as? Double, let longitude = place?["longitude"] as? Double else {
            return nil
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func endCleanly(_ gateway: Child, _ subscriber: Subscriber) async throws {
        gateway.kill(SIGTERM)
        #expect(try await gateway.exitCode() == 0)
        let prefix = "sondygo/test/"
        let published = subscriber.messages.filter { $0.topic.hasPrefix(prefix) }
            .map { (topic: String($0.topic.dropFirst(prefix.count)), payload: $0.payload ?? "") }
            .filter { ["prediction", "landing", "event", "health"].contains($0.topic) }
        #expect(try Schemas.violations(published) == [])
    }

    /// Tawhiri predicts a simulated flight, with own winds beside it. Tawhiri dies, and five minutes later own winds
    /// count.
    @Test func ownWindsCountWhenTawhiriDies() async throws {
        let tawhiri = try await Tawhiri()
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            [
                "simulate", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--speed", "30",
                "--launch-delay", "5",
            ], environment: ["SONDYGO_PREDICTION_URL": tawhiri.url])
        let topic = "sondygo/test/prediction"
        let both = try await subscriber.first(on: topic, within: 200) {
            $0.json["method"] as? String == "tawhiri" && ($0.json["own_winds"] as? [String: Any]) != nil
        }
        let inputs = try #require(both.json["inputs"] as? [String: Any])
        #expect((4...6.5).contains(inputs["ascent_rate_mps"] as? Double ?? 0))
        #expect((both.json["path"] as? [Any])?.count ?? 0 > 100)
        #expect((both.json["burst"] as? [String: Any])?["altitude_m"] as? Double ?? 0 > 29_990)
        #expect((both.json["own_winds"] as? [String: Any])?["method"] as? String == "own_winds")
        try await subscriber.first(on: "sondygo/test/landing") {
            $0.json["method"] as? String == "tawhiri" && $0.json["source"] as? String == "predicted"
        }
        try await tawhiri.stop()
        let count = subscriber.messages(on: topic).count
        try await eventually("own winds alone: \(gateway.text)", within: 200) {
            subscriber.messages(on: topic).dropFirst(count)
                .contains { $0.json["method"] as? String == "own_winds" }.orNil
        }
        try publish(port: broker.port, topic: "sondygo/test/command", "{\"id\":1,\"request\":\"health\"}")
        try await eventually("calls and failures in health") { () -> Bool? in
            let counted = subscriber.messages(on: "sondygo/test/health").last?.json["predictions"] as? [String: Any]
            guard let calls = counted?["calls"] as? Int, let failures = counted?["failures"] as? Int else { return nil }
            return (calls > failures && failures >= 1).orNil
        }
        try await endCleanly(gateway, subscriber)
    }

    /// SondeHub has a sonde that climbs in Tawhiri's winds. The two predictions are within a kilometre.
    @Test func tawhiriAndOwnWindsAgree() async throws {
        let tawhiri = try await Tawhiri()
        let flown = try await course(of: tawhiri)
        let sondeHub = try await FakeSondeHub()
        let type = "\"type\":\"RS41\",\"ref_datetime\":\"UTC\""
        let frames = flown.map { point in
            "\"datetime\":\"\(point.time.iso8601)\",\"lat\":\(point.coordinate.latitude),"
                + "\"lon\":\(point.coordinate.longitude),\"alt\":\(point.altitudeMetres),\(type)"
        }
        try sondeHub.serve("site", "{\"V1\":{\(frames.last ?? "")}}")
        let track = zip(flown, frames).map { "\"\($0.time.iso8601)\":{\"serial\":\"V1\",\($1)}" }
        try sondeHub.serve("track", "{\"V1\":{\(track.joined(separator: ","))}}")
        let broker = try await Broker()
        let subscriber = try await Subscriber(port: broker.port)
        let gateway = try GatewayProgram.start(
            [
                "run", "--mqtt-host", "127.0.0.1", "--mqtt-port", "\(broker.port)", "--transport", "tcp",
                "--receiver-port", "1",
            ],
            environment: [
                "SONDYGO_SONDEHUB_ENABLED": "true", "SONDYGO_SONDEHUB_SITE": "06610",
                "SONDYGO_SONDEHUB_URL": sondeHub.url(),
                "SONDYGO_PREDICTION_URL": tawhiri.url, "SONDYGO_PREDICTION_DESCENT_RATE": "5",
                "SONDYGO_PREDICTION_DESCENT_GROWTH": "0", "SONDYGO_FLIGHT_GROUND_ALTITUDE": "430",
            ])
        let found = try await eventually("both predictions: \(gateway.text)", within: 200) { () -> [String: Any]? in
            subscriber.messages(on: "sondygo/test/prediction").map(\.json).last { json in
                let own = json["own_winds"] as? [String: Any]
                let layers = (own?["inputs"] as? [String: Any])?["layers"] as? Int ?? 0
                // The question comes after the gap was filled.
                let rate = (json["inputs"] as? [String: Any])?["ascent_rate_mps"] as? Double
                return json["method"] as? String == "tawhiri" && layers > 100 && abs((rate ?? 0) - 5) < 0.1
            }
        }
        let (theirs, own) = try (
            #require(landing(found)), #require(landing(found["own_winds"]))
        )
        #expect(theirs.distanceMetres(to: own) < 1000, "\(theirs.distanceMetres(to: own)) m")
        #expect(try #require(flown.last).coordinate.distanceMetres(to: theirs) > 5000)
        try await endCleanly(gateway, subscriber)
    }

    /// Tawhiri's prediction of a flight up to 29 km, moved so that it ends now.
    private func course(of tawhiri: Tawhiri) async throws -> [OnlinePrediction.Point] {
        var configuration = SondeHubClient.Configuration(url: "http://127.0.0.1", userAgent: "sondygo2mqtt/test")
        configuration.tawhiriURL = tawhiri.url
        let client = try SondeHubClient(configuration)
        let now = WallTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
        let whole = try await client.prediction(
            for: TawhiriQuery(
                launch: Coordinate(latitude: 46.82, longitude: 6.94), launchAltitudeMetres: 491, launchAt: now,
                ascentRate: 5, burstAltitudeMetres: 30_000, descentRate: 5))
        await client.close()
        let rising = whole.path.prefix { $0.altitudeMetres < 29_000 }
        let late = try #require(rising.last).time.duration(since: now)
        return rising.map { point in
            OnlinePrediction.Point(
                time: point.time.advanced(by: .zero - late), coordinate: point.coordinate,
                altitudeMetres: point.altitudeMetres)
        }
    }
}
