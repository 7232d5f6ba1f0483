import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The heights of the ground around the landing point: asked for, used, and refused.
@Suite struct GroundTests {
    private static var options: PredictionOptions {
        var options = PredictionOptions.ownWindsOnly
        options.usesTerrain = true
        return options
    }

    private static func asked(_ outcome: Script.Outcome) -> [(id: CallID, place: Coordinate)] {
        outcome.actions.compactMap { if case .call(let id, .terrain(let place)) = $0 { (id, place) } else { nil } }
    }

    private static func patch(around place: Coordinate, metres: Int16) -> TerrainPatch? {
        TerrainPatch(
            southWest: Coordinate(latitude: place.latitude - 0.1, longitude: place.longitude - 0.1),
            stepDegrees: 0.01, columns: 21, heights: Array(repeating: metres, count: 21 * 21))
    }

    /// The heights are asked for once, at the landing point, and the prediction uses the answer.
    @Test func theGroundIsAskedFor() throws {
        var chased = Chased(altitude: 9000, prediction: Self.options)
        let first = chased.fall(to: 7000)
        let call = try #require(Self.asked(first).last)
        let landing = try #require(chased.prediction).forecast.prediction.landing.coordinate
        #expect(call.place.distanceMetres(to: landing) < 20_000)
        let answer = TerrainAnswer(patch: Self.patch(around: landing, metres: 450))
        chased.script.run(.answered(call.id, .terrain(answer)))
        let outcome = chased.fall(to: 5000)
        #expect(Self.asked(outcome).isEmpty)
        let inputs = try #require(chased.prediction).forecast.prediction.inputs
        #expect(inputs.groundOrigin == .terrain && abs(inputs.groundMetres - 450) < 0.001)
        let object = try #require(outcome.objects(on: "/prediction").last?["inputs"] as? [String: Any])
        #expect(object["ground_origin"] as? String == "terrain" && object["ground_altitude_m"] as? Double == 450)
    }

    /// If the answer has no heights, they are asked for again after a minute. The log names a refused file once.
    @Test func noHeights() throws {
        var chased = Chased(altitude: 9000, prediction: Self.options)
        let call = try #require(Self.asked(chased.go(30, up: 5)).last)
        let answer = TerrainAnswer(problems: ["N47E008.hgt has 3 bytes"])
        let outcome = chased.script.run(.answered(call.id, .terrain(answer)))
        let warnings = outcome.notes.filter { $0.level == .warning }
        #expect(warnings.flatMap(\.facts).map(\.value) == ["N47E008.hgt has 3 bytes"])
        #expect(Self.asked(chased.go(20, up: 5)).isEmpty)
        let again = Self.asked(chased.go(60, up: 5))
        #expect(again.count == 1)
        for call in again { #expect(chased.script.run(.answered(call.id, .terrain(answer))).notes.isEmpty) }
        #expect(chased.prediction?.forecast.prediction.inputs.groundOrigin == .lowest)
    }

    /// No heights are asked for if the ground is configured, or while no sonde flies.
    @Test func nothingIsAskedInVain() {
        var options = Self.options
        options.groundAltitudeMetres = 500
        var chased = Chased(altitude: 9000, prediction: options)
        #expect(Self.asked(chased.go(90, up: 5)).isEmpty)
        #expect(chased.prediction?.forecast.prediction.inputs.groundOrigin == .config)
        var script = Script()
        script.connect()
        #expect(Self.asked(script.wait(90)).isEmpty)
    }

    /// The first known altitude counts: configured, terrain, forecast, landing, car, launch site.
    @Test func theOrder() throws {
        let place = Coordinate(latitude: 47, longitude: 8)
        var terrain = LandingTerrain()
        var turn = Turn(at: Script().now, calls: Calls())
        terrain.follow(place, &turn)
        let known = TerrainAnswer(patch: Self.patch(around: place, metres: 300))
        _ = terrain.answered(Reply(id: CallID(1), answer: .terrain(known)), &turn)
        var options = PredictionOptions()
        let far = Coordinate(latitude: 50, longitude: 8)
        func ground(
            _ place: Coordinate?, _ learned: Double?, forecast: Double? = nil, car: Double?, site: Double? = nil
        ) -> String {
            let ground = terrain.ground(
                options, at: place, forecastMetres: forecast, learned: learned, carMetres: car, siteMetres: site)
            return ground.map { "\($0.origin.rawValue) \(Int($0.metres.rounded()))" } ?? "none"
        }
        #expect(ground(place, 200, car: 100) == "terrain 300")
        #expect(ground(place, 200, forecast: 280, car: 100) == "terrain 300")
        #expect(ground(far, 200, forecast: 280, car: 100) == "forecast 280")
        #expect(ground(far, 200, car: 100) == "landing 200")
        #expect(ground(nil, nil, car: 100, site: 491) == "car 100")
        #expect(ground(far, nil, car: nil, site: 491) == "site 491")
        #expect(ground(far, nil, car: nil) == "none")
        options.groundAltitudeMetres = 400
        #expect(ground(place, 200, car: 100) == "config 400")
    }

    /// The online answer ends on its service's height model. The own prediction takes that ground, and keeps it when the
    /// answer no longer counts.
    @Test func aForecastEndsOnTheGround() throws {
        var chased = Chased(altitude: 1383, prediction: PredictionOptions())
        let asked = chased.go(90, up: 5, north: 40).questions
        #expect(chased.prediction?.forecast.prediction.inputs.groundOrigin == .lowest)
        _ = chased.answer(asked.last)
        let end = try #require(chased.prediction).forecast.prediction.landing.altitudeMetres
        for _ in 0..<6 {
            for question in chased.go(60, up: 5, north: 40).questions {
                chased.script.run(.answered(question.id, .failed(OnlineServiceError(.timedOut, "late"))))
            }
        }
        let prediction = try #require(chased.prediction)
        #expect(prediction.method == .ownWinds)
        let inputs = prediction.forecast.prediction.inputs
        #expect(inputs.groundOrigin == .forecast && abs(inputs.groundMetres - end) < 1)
    }

    /// Without anything better the altitude of the nearest launch site within 50 km counts, not the 1383 m at which the
    /// sonde was first heard.
    @Test(arguments: [(0.2, "site", 491.0), (0.6, "lowest", 1388)])
    func theSiteIsTheGround(_ degreesAway: Double, _ origin: String, _ metres: Double) throws {
        var sondeHub = SondeHubOptions.payerne
        sondeHub.place = Coordinate(latitude: 47, longitude: 8.5)
        var chased = Chased(altitude: 1383, prediction: .ownWindsOnly, sondeHub: sondeHub)
        let call = try #require(chased.script.siteCalls.last)
        let sites = [(degreesAway, 491.0), (degreesAway + 0.1, 1200)].map { away, metres in
            LaunchSite(
                "\(metres)", name: "Payerne", coordinate: Coordinate(latitude: 47 + away, longitude: 8.54),
                altitudeMetres: metres, times: ["0:23:00"].compactMap(LaunchSite.Time.init))
        }
        chased.script.run(.answered(call, .sites(sites)))
        chased.go(90, up: 5)
        let inputs = try #require(chased.prediction).forecast.prediction.inputs
        #expect(inputs.groundOrigin.rawValue == origin && inputs.groundMetres == metres)
    }
}

extension Script {
    fileprivate var siteCalls: [CallID] {
        begin.actions.compactMap { if case .call(let id, .sites) = $0 { id } else { nil } }
    }
}
