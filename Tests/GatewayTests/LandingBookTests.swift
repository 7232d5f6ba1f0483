import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The landing point and its source.
@Suite struct LandingBookTests {
    /// After a minute Tawhiri answers with a landing point `metres` north of the launch.
    static func answered(_ chased: inout Chased, _ metres: Double) -> Script.Outcome {
        guard let question = chased.go(60, up: 3, north: 20, every: 2).questions.first else { return Script.Outcome() }
        return chased.answer(question, metres: metres - (question.query.launch.latitude - 47) * 111_195)
    }

    /// A flight that Tawhiri predicts to land 20 km north of its launch.
    static func floating() -> Chased {
        var chased = Chased(altitude: 3000, prediction: .onlineOnly)
        let begin = chased.go(9, up: 3, north: 0)
        _ = chased.answer(begin.questions.first, metres: 20_000)
        return chased
    }

    /// A landing point that was set by command stays until it is taken back.
    @Test func manual() throws {
        var chased = Self.floating()
        let place = Coordinate(latitude: 47.2, longitude: 8.2)
        let set = chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        #expect(chased.landing?.source == "manual")
        #expect(chased.landing?.coordinate == place)
        let time = chased.script.now.wall.millisecondsSince1970
        let stored =
            #"{"places":[{"at":\#(time),"isHidden":false,"place":{"latitude":47.2,"longitude":8.2},"#
            + #""serial":"V4210150"}]}"#
        #expect(set.entries.contains(.setting(.landingPoint, stored)))
        _ = Self.answered(&chased, 50_000)
        #expect(chased.landing?.coordinate == place)
        #expect(chased.prediction != nil)
        let back = chased.script.command("{\"landing_point\":null}")
        #expect(back.entries.contains(.setting(.landingPoint, nil)))
        #expect(chased.landing?.source == "predicted")
        #expect(chased.landing?.coordinate != place)
    }

    /// A manual point is removed while nobody hears the sonde. The earlier point counts again, and the store never gets
    /// the manual one.
    @Test func clearingAManualPlaceInSilenceRestoresTheOld() throws {
        var chased = Self.floating()
        chased.script.wait(60)
        #expect(chased.script.state == .noTelemetry)
        let before = try #require(chased.landing)
        var outcome = chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        #expect(chased.landing?.source == "manual")
        outcome += chased.script.command("{\"landing_point\":null}")
        #expect(chased.landing?.source == before.source && chased.landing?.coordinate == before.coordinate)
        let places = outcome.entries.compactMap {
            if case .landingPoint(_, let place) = $0 { place.coordinate } else { nil }
        }
        #expect(!places.contains { $0.latitude == 47.2 }, "\(places)")
    }

    /// A manual point remains while another sonde is followed for a while.
    @Test func manualAcrossAHunt() {
        var script = Script(sondeHub: SondeHubOptions.payerne, prediction: .onlineOnly)
        script.run(.linkFailed(TransportError(.notFound, "no adapter")))
        script.answerPoll([Script.record("V1"), Script.record("V2", at: -5)])
        #expect(script.serial == "V1")
        let source = { (script: Script) -> String? in
            if case .landing(let report?) = script.newest[.landing] { report.source } else { nil }
        }
        script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        #expect(source(script) == "manual")
        script.command("{\"hunt\":\"V2\"}")
        #expect(script.serial == "V2")
        #expect(source(script) == nil)
        script.command("{\"hunt\":\"V1\"}")
        #expect(script.serial == "V1")
        #expect(source(script) == "manual")
    }

    /// An observed landing hides a manual point.
    @Test func observedHidesManual() throws {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly)
        chased.fall(to: 1000, rate: 8)
        chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        chased.fall(to: 500, rate: 8)
        let landed = chased.go(60, north: 0)
        #expect(landed.told(.landed).count == 1)
        #expect(chased.landing?.source == "observed")
        #expect(chased.landing.map { $0.coordinate.distanceMetres(to: chased.place) < 30 } ?? false)
        #expect(chased.landing?.landingAt != nil)
        #expect(chased.landing?.point.radius90Metres == nil && chased.landing?.point.method == nil)
        let refused = chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        #expect(refused.answers == ["rejected:unavailable!"])
        #expect(chased.landing?.source == "observed")
        let places = landed.entries.compactMap { if case .setting(.landingPoint, let text) = $0 { text } else { nil } }
        #expect(places.count == 1 && places.first?.contains(#""isHidden":true"#) ?? false)
        // After another sonde, the landed one is followed again. The place that was set by hand stays hidden.
        for name in ["V9", "V4210150"] {
            for _ in 0..<3 {
                chased.script.wait(1)
                chased.script.frame(
                    Script.position(
                        name, frequency: name == "V9" ? "404.000" : "403.500", latitude: "47.1"))
            }
            #expect(chased.script.serial == name)
        }
        #expect(chased.landing?.source != "manual")
    }

    /// A sonde that is lost low above the ground counts as landed a minute after its predicted landing, and not before.
    /// If it is heard again, it flies.
    @Test func lostNearTheGround() throws {
        var chased = Chased(altitude: 4000, prediction: .ownWindsOnly)
        chased.fall(to: 1200, rate: 8)
        let landing = try #require(chased.prediction?.forecast.prediction.landing)
        let predicted = landing.coordinate
        let left = landing.time.duration(since: chased.script.now.wall).inSeconds + 60
        #expect(left > 125)
        chased.script.closeLink(.silent)
        #expect(chased.script.wait(left - 2).told(.landed).isEmpty)
        #expect(chased.script.flight?.phase == PhaseVerdict(.descendingBelow10k, .silentInFlight))
        #expect(chased.script.wait(3).told(.landed).count == 1)
        #expect(chased.landing?.source == "last_prediction")
        #expect(chased.landing.map { $0.coordinate.distanceMetres(to: predicted) < 25 } ?? false)
        chased.script.openLink()
        chased.altitude = 900
        let again = chased.hear()
        #expect(again.told(.landingRevoked).count == 1 && again.told(.airborne).isEmpty)
        #expect(chased.landing?.source == "predicted")
    }

    /// A sonde that is lost at 8 km flies on silently, until it must have been down for a minute.
    @Test func lostHighUp() throws {
        var chased = Chased(altitude: 9500, prediction: .ownWindsOnly)
        chased.fall(to: 8000, rate: 6)
        let landingAt = try #require(chased.prediction?.forecast.prediction.landing.time)
        chased.script.closeLink(.silent)
        chased.script.wait(125)
        let left = landingAt.duration(since: chased.script.now.wall).inSeconds + 60
        #expect(chased.script.wait(left - 2).told(.landed).isEmpty)
        // No other event comes, so the machine's own deadline must wake it.
        #expect(chased.script.wait(3).told(.landed).count == 1)
        #expect(chased.script.flight?.phase == PhaseVerdict(.landed, .sondeHubSilent))
        #expect(chased.landing?.source == "last_prediction")
    }

    /// The clock is set 40 minutes ahead meanwhile. The predicted landing moves with it.
    @Test func aClockChangeInSilenceMovesThePrediction() throws {
        var chased = Chased(altitude: 9500, prediction: .ownWindsOnly, isClockSynced: false)
        chased.fall(to: 8000, rate: 6)
        let before = try #require(chased.prediction?.forecast.prediction.landing.time)
        chased.script.closeLink(.silent)
        chased.script.wait(125)
        chased.script.now.wall = chased.script.now.wall.advanced(by: .seconds(2400))
        chased.script.now.isClockSynced = true
        #expect(chased.script.run(.healthDue(ProcessHealth())).told(.landed).isEmpty)
        let landingAt = before.advanced(by: .seconds(2400))
        let moved = try #require(chased.landing?.landingAt)
        // The clock is read with an error of a millisecond.
        #expect(abs(moved.seconds(since: landingAt)) < 0.01)
        #expect(chased.landing?.history.last.map { $0.time > before } ?? false)
        let left = landingAt.duration(since: chased.script.now.wall).inSeconds + 60
        #expect(left > 300)
        #expect(chased.script.wait(left - 2).told(.landed).isEmpty)
        #expect(chased.script.wait(3).told(.landed).count == 1)
    }

    /// The receiver decodes only the sonde's name, low above the ground. So the sonde is not silent, and it is down when its
    /// landing is past.
    @Test func aSondeHeardByNameOnlyIsDownInTime() {
        var chased = Chased(altitude: 4000, prediction: .ownWindsOnly)
        chased.fall(to: 1200, rate: 8)
        func hearName(for seconds: Int) -> Script.Outcome {
            var outcome = Script.Outcome()
            for _ in 0..<seconds / 5 {
                outcome += chased.script.wait(5)
                outcome += chased.script.frame("2/RS41/403.500/V4210150/117.5/100/0/4274/1/3.10/o")
            }
            return outcome
        }
        #expect(hearName(for: 100).told(.landed).isEmpty)
        #expect(chased.script.flight?.phase.reason != .silentInFlight)
        #expect(hearName(for: 300).told(.landed).count == 1)
    }

    /// After a restart the stored point counts until there is a better one, and the history continues.
    @Test func afterARestart() throws {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        var path = FlightPath(altitude: 1500, longitude: 8.54)
        path.go(300, up: 5, north: 10)
        let noon = WallTime(millisecondsSince1970: Script.noon)
        let shift = noon.duration(since: path.now) - .seconds(20)
        let points = path.points.map { point in
            var point = point
            point.time = point.time.advanced(by: shift)
            return point
        }
        let place = Coordinate(latitude: 47.5, longitude: 8.6)
        let memory = GatewayMemory(
            flight: RecordedFlight(
                serial: serial, sondeType: .rs41, points: points,
                landingPoints: [EarlierLandingPoint(coordinate: place, time: noon.advanced(by: .seconds(-30)))]))
        var chased = Chased(altitude: 3000, prediction: .onlineOnly, memory: memory)
        #expect(chased.landing?.source == "stored")
        #expect(chased.landing?.coordinate == place)
        #expect(chased.landing?.point.at.wall == noon.advanced(by: .seconds(-30)))
        #expect(
            chased.script.now.monotonic.duration(since: chased.landing?.point.at.monotonic ?? .zero) >= .seconds(30))
        chased.latitude = path.place.latitude
        let asked = chased.go(2, up: 5, north: 10).questions
        let answer = chased.answer(asked.first)
        #expect(answer.told(.firstPrediction).isEmpty && answer.told(.landingMoved).isEmpty)
        #expect(chased.landing?.source == "predicted")
        #expect(chased.landing?.history.map(\.coordinate).first == place)
        #expect(chased.landing?.history.count == 2)

        // A point that was set by hand is manual again, unless it belongs to another sonde.
        for (name, source) in [("V4210150", "manual"), ("V9", "stored")] {
            var memory = memory
            memory.settings[.landingPoint] = "\(name) 47.25 8.5"
            let again = Chased(prediction: .onlineOnly, memory: memory)
            #expect(again.landing?.source == source)
            #expect(again.landing?.coordinate.latitude == (source == "manual" ? 47.25 : 47.5))
        }
    }

    @Test(arguments: [
        "", "V1", "V1 47", "V1 91 8", "V1 47 8 x", "V1 47 8 9 x", "V1 x 8", "V1 nan 8", " 47 8", "landed",
        "V1 47 landed",
    ])
    func damagedPlaces(_ text: String) {
        #expect(StoredPlace(earlier: text) == nil)
    }

    /// A name may contain blanks. An earlier version stored no time.
    @Test(
        arguments: [
            ("V4210150", "V4210150 47.1 8.2", nil, false),
            ("AB CD", "AB CD 47.1 8.2 1767268800000", 1_767_268_800_000, false),
            ("AB landed", "AB LANDED 47.1 8.2 1767268800000 landed", 1_767_268_800_000, true),
            ("V1", "V1 47.1 8.2 landed", nil, true),
        ] as [(String, String, Int64?, Bool)])
    func placesOfAnEarlierVersion(_ name: String, _ text: String, _ time: Int64?, _ isHidden: Bool) throws {
        let place = try #require(StoredPlace(earlier: text))
        #expect(place.serial == SondeSerial(name: name, type: .other("")))
        #expect(place.place == Coordinate(latitude: 47.1, longitude: 8.2))
        #expect(place.at?.millisecondsSince1970 == time && place.isHidden == isHidden)
    }

    /// A place belongs to one sonde only.
    @Test func anotherSonde() {
        var chased = Self.floating()
        #expect(chased.landing != nil)
        var outcome = Script.Outcome()
        for _ in 0..<3 {
            outcome += chased.script.wait(1)
            outcome += chased.script.frame(
                Script.position("V9", frequency: "404.000", latitude: "48.0", altitude: 9000))
        }
        #expect(chased.script.serial == "V9")
        #expect(outcome.objects(on: "/landing").last?.isEmpty ?? false)
        #expect(outcome.objects(on: "/prediction").last?.isEmpty ?? false)
    }

    /// The sonde is launched again after its landing. The new flight has no landing point of the old one.
    @Test func aNewFlight() throws {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly)
        chased.fall(to: 500, rate: 8)
        chased.go(60, north: 0)
        #expect(chased.landing?.source == "observed")
        chased.go(20, north: 0)
        #expect(chased.landing?.score != nil)
        var outcome = Script.Outcome()
        for _ in 0..<30 where outcome.told(.airborne).isEmpty { outcome += chased.go(10, up: 5) }
        let airborne = try #require(outcome.told(.airborne).first)
        #expect(outcome.entries.contains { if case .newFlight = $0 { true } else { false } })
        #expect(chased.landing?.source != "observed" && chased.landing?.score == nil)
        outcome = chased.go(60, up: 5)
        #expect(chased.landing?.source == "predicted")
        #expect(chased.landing?.history.allSatisfy { $0.time >= airborne.at.wall } ?? false)
    }

    /// A new flight removes the place that was set by hand for the flight before, also if another sonde was followed
    /// meanwhile. The place of another sonde stays.
    @Test(arguments: ["V4210150", "V9"]) func aNewFlightForgetsThePlaceSetByHand(_ owner: String) throws {
        var memory = GatewayMemory()
        memory.settings[.landingPoint] = "\(owner) 47.25 8.5"
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly, memory: memory)
        let landed = chased.fall(to: 500, rate: 8) + chased.go(80, north: 0)
        var outcome = Script.Outcome()
        for _ in 0..<30 where outcome.told(.airborne).isEmpty { outcome += chased.go(10, up: 5) }
        #expect((landed + outcome).entries.contains(.setting(.landingPoint, nil)) == (owner == "V4210150"))
        for name in ["V9", "V4210150"] {
            for _ in 0..<3 {
                chased.script.wait(1)
                let frequency = name == "V9" ? "404.000" : "403.500"
                chased.script.frame(
                    Script.position(name, frequency: frequency, latitude: "47.1", altitude: 2000))
            }
            #expect(chased.script.serial == name)
            #expect((chased.landing?.source == "manual") == (name == "V9" && owner == "V9"))
        }
    }
}
