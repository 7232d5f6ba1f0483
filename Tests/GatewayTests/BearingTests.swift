import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Bearings of a signal: taken, listed, forgotten, stored, and the place where they cross.
@Suite struct BearingTests {
    static let sonde = Coordinate(latitude: 47.1, longitude: 8.2)
    static let name = "2/RS41/403.500/V4210150/101.5/100/0/4260/0/3.10/o"

    static func hunting(memory: GatewayMemory = GatewayMemory()) -> Script {
        var script = Script(memory: memory)
        script.connect()
        script.frame(name)
        return script
    }

    /// A place at this distance from the sonde, seen from it in this direction.
    static func place(at metres: Double, towards degrees: Double) -> Coordinate {
        let angle = degrees * .pi / 180
        return sonde.moved(east: metres * sin(angle), north: metres * cos(angle))
    }

    /// Takes exact bearings from all around.
    @discardableResult
    static func surround(_ script: inout Script, count: Int = 4) -> Script.Outcome {
        var outcome = Script.Outcome()
        for index in 0..<count {
            let place = place(at: 800, towards: Double(index * 85))
            outcome += script.command(
                "{\"bearing\":{\"bearing_deg\":\(place.bearingDegrees(to: sonde)),"
                    + "\"from\":{\"lat\":\(place.latitude),\"lon\":\(place.longitude)},\"sigma_deg\":10}}")
        }
        return outcome
    }

    static func bearings(_ script: Script) -> BearingsReport? {
        if case .bearings(let report?) = script.newest[.bearings] { report } else { nil }
    }

    private static func landing(_ script: Script) -> LandingReport? {
        if case .landing(let report?) = script.newest[.landing] { report } else { nil }
    }

    // MARK: - The command

    @Test func aheadIsTheCarsCourseAtItsPlace() throws {
        var script = Self.hunting()
        script.fix(course: 123)
        let outcome = script.command("{\"id\":7,\"bearing\":{\"bearing_deg\":\"ahead\"}}")
        #expect(outcome.answers == ["done!"])
        let report = try #require(Self.bearings(script))
        #expect(report.serial?.canonical == nil || report.serial?.canonical == "V4210150")
        #expect(report.bearings.map(\.id) == ["1"] && report.estimate == nil)
        #expect(report.bearings.first?.bearing == Bearing(from: Script.car, degrees: 123))
        let message = try #require(outcome.messages(on: "/bearings").last)
        #expect(message.isRetained && message.qos == 1)
        let entry = try #require((message.object?["bearings"] as? [[String: Any]])?.first)
        #expect(entry["bearing_deg"] as? Double == 123 && entry["sigma_deg"] as? Double == 20)
        #expect(entry["used"] is NSNull)
    }

    @Test(arguments: ["\"ahead\"", "{\"degrees\":90}", "{\"bearing_deg\":\"90\"}", "90"])
    func shortFormsAreUnderstood(_ value: String) {
        var script = Self.hunting()
        script.fix(course: 90)
        #expect(script.command("{\"bearing\":\(value)}").answers == ["done!"])
        #expect(Self.bearings(script)?.bearings.first?.bearing.degrees == 90)
    }

    @Test(arguments: [
        ("{}", "wrong_type"), ("true", "wrong_type"), ("{\"bearing_deg\":361}", "out_of_range"),
        ("{\"bearing_deg\":-1}", "out_of_range"), ("{\"bearing_deg\":\"north\"}", "wrong_type"),
        ("{\"bearing_deg\":5,\"sigma_deg\":0}", "out_of_range"), ("{\"bearing_deg\":5,\"power\":3}", "wrong_type"),
        ("{\"bearing_deg\":5,\"from\":{\"latitude\":91,\"longitude\":0}}", "out_of_range"),
        ("{\"bearing_deg\":5,\"from\":\"here\"}", "out_of_range"), ("{\"forget\":\"x\"}", "wrong_type"),
        ("{\"forget\":\"1\",\"bearing_deg\":5}", "wrong_type"), ("{\"forget\":\"9\"}", "out_of_range"),
    ])
    func wrongInputIsAnswered(_ value: String, _ code: String) {
        var script = Self.hunting()
        script.fix()
        let outcome = script.command("{\"bearing\":\(value)}")
        #expect(outcome.answers == ["rejected:\(code)!"])
        #expect(outcome.commandAnswers.first?.error?.message.isEmpty == false)
        #expect(Self.bearings(script) == nil)
    }

    @Test func withoutACarThePlaceIsNeeded() {
        var script = Self.hunting()
        #expect(script.command("{\"bearing\":90}").answers == ["rejected:unavailable!"])
        script.fix(course: nil)
        #expect(script.command("{\"bearing\":\"ahead\"}").answers == ["rejected:unavailable!"])
        #expect(script.command("{\"bearing\":90}").answers == ["done!"])
    }

    @Test func bearingsAreForgottenOneByOneOrAll() {
        var script = Self.hunting()
        Self.surround(&script)
        #expect(script.command("{\"bearing\":{\"forget\":\"2\"}}").answers == ["done!"])
        #expect(Self.bearings(script)?.bearings.map(\.id) == ["1", "3", "4"])
        #expect(script.command("{\"bearing\":{\"forget\":2}}").answers == ["rejected:out_of_range!"])
        let all = script.command("{\"bearing\":{\"forget\":\"all\"}}")
        #expect(all.answers == ["done!"] && Self.bearings(script) == nil)
        #expect(all.texts(on: "/bearings") == ["{}"] && all.entries.contains(.setting(.bearings, nil)))
    }

    @Test func atMostTwoHundredAreKept() {
        var script = Self.hunting()
        for _ in 0..<205 {
            script.wait(1)
            script.fix()
            script.command("{\"bearing\":90}")
        }
        let report = Self.bearings(script)
        #expect(report?.bearings.count == 200 && report?.bearings.last?.id == "205")
    }

    // MARK: - The estimate

    @Test func bearingsThatCrossAreTheLandingPoint() throws {
        var script = Self.hunting()
        // The gateway has announced no landing point yet.
        let told = Self.surround(&script).told(.firstPrediction)
        #expect(told.count == 1)
        // Nothing lands there: the sonde has said no place.
        guard case .firstPrediction(let said)? = told.first?.announcement else { return }
        #expect(said.isCrossing)
        let estimate = try #require(Self.bearings(script)?.estimate)
        #expect(estimate.coordinate.distanceMetres(to: Self.sonde) < 50 && estimate.count == 4)
        let landing = try #require(Self.landing(script))
        #expect(landing.source == "bearings")
        #expect(landing.coordinate.distanceMetres(to: estimate.coordinate) < 25)
        #expect(landing.point.radius90Metres == estimate.radius90Metres && landing.landingAt == nil)
        script.wait(1)
        let signal = script.frame(Self.name).objects(on: "/signal").first?["estimate"] as? [String: Any]
        #expect(signal?["bearings"] as? Int == 4 && signal?["error_radius_50_m"] is Double)
        script.command("{\"bearing\":{\"forget\":\"all\"}}")
        #expect(Self.landing(script) == nil)
    }

    /// The sonde's own place is better for ten minutes. It comes in the middle of the hunt.
    @Test func aPlaceOfTheSondeIsBetter() throws {
        var script = Self.hunting()
        Self.surround(&script)
        #expect(Self.landing(script)?.source == "bearings")
        script.frame(Script.position())
        #expect(Self.landing(script)?.source != "bearings")
        script.wait(590)
        #expect(Self.landing(script)?.source != "bearings")
        script.wait(20)
        #expect(Self.landing(script)?.source == "bearings")
    }

    @Test func aPlaceSetByHandIsBetter() {
        var script = Self.hunting()
        script.frame(Script.position())
        Self.surround(&script)
        script.wait(700)
        #expect(Self.landing(script)?.source == "bearings")
        script.command("{\"landing_point\":\"47.2,8.2\"}")
        #expect(Self.landing(script)?.source == "manual")
        script.command("{\"landing_point\":null}")
        #expect(Self.landing(script)?.source == "bearings")
    }

    /// The last prediction comes back when the bearings are forgotten.
    @Test func theLastPredictionComesBack() throws {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(1300, up: 5)
        chased.fall(to: 3000)
        chased.script.wait(1500)
        #expect(chased.landing?.source == "last_prediction")
        let guess = try #require(chased.landing?.coordinate)
        Self.surround(&chased.script)
        #expect(chased.landing?.source == "bearings")
        chased.script.command("{\"bearing\":{\"forget\":\"all\"}}")
        #expect(chased.landing?.coordinate == guess && chased.landing?.source == "last_prediction")
    }

    /// No newer point may come once the bearings are taken, so time alone must make the move known.
    @Test func aMoveToTheCrossingIsSaidWhenItHasLasted() throws {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(1300, up: 5)
        chased.fall(to: 3000)
        chased.script.wait(1500)
        #expect(Self.surround(&chased.script).told(.landingMoved).isEmpty)
        let crossing = try #require(chased.landing?.coordinate)
        let moves = chased.script.wait(100).told(.landingMoved)
        #expect(moves.count == 1)
        guard case .landingMoved(let said, _, _)? = moves.first?.announcement else { return }
        #expect(said.place.distanceMetres(to: crossing) < 25)
        #expect(chased.script.wait(600).told(.landingMoved).isEmpty)
        // And back again.
        #expect(chased.script.command("{\"bearing\":{\"forget\":\"all\"}}").told(.landingMoved).isEmpty)
        #expect(chased.script.wait(100).told(.landingMoved).count == 1)
    }

    /// Under trees a sonde is heard, and says no place any more. It is down as if it were silent.
    @Test func aSondeWithoutAPlaceLands() {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(1300, up: 5)
        chased.fall(to: 3000)
        var outcome = Script.Outcome()
        for _ in 0..<1500 {
            outcome += chased.script.wait(1)
            outcome += chased.script.frame(Self.name)
        }
        #expect(outcome.told(.landed).count == 1)
        #expect(chased.landing?.source == "last_prediction")
        let states = outcome.told(.stateChanged).compactMap { report -> TelemetryState.Reason? in
            if case .stateChanged(_, _, let reason) = report.announcement { reason } else { nil }
        }
        #expect(states.last == .noPosition, "\(states)")
        #expect(chased.script.command("{\"request\":\"status\"}").told(.status).count == 1)
    }

    // MARK: - The store

    private static func memory(_ outcome: Script.Outcome) throws -> GatewayMemory {
        var memory = GatewayMemory()
        for case .setting(let setting, let value) in outcome.entries { memory.settings[setting] = value }
        return memory
    }

    /// Bearings of a signal without a name come back after a restart, and belong to the sonde that is then decoded.
    @Test func theyComeBackAfterARestart() throws {
        var script = Script()
        script.connect()
        let outcome = Self.surround(&script)
        var again = Script(memory: try Self.memory(outcome))
        again.connect()
        #expect(Self.bearings(again)?.bearings.count == 4 && Self.bearings(again)?.serial == nil)
        #expect(Self.landing(again)?.source == "bearings")
        for _ in 0..<4 {
            again.wait(1)
            again.frame(Script.position())
        }
        #expect(Self.bearings(again)?.serial?.canonical == "V4210150")
        #expect(Self.bearings(again)?.bearings.map(\.id) == ["1", "2", "3", "4"])
    }

    @Test func damagedBearingsAreLeftOut() {
        var memory = GatewayMemory()
        memory.settings[.bearings] =
            "{\"bearings\":[{\"number\":1},7,{\"at\":1767268800000,\"degrees\":1e9,"
            + "\"errorDegrees\":20,\"number\":2,\"place\":{\"latitude\":47,\"longitude\":8},\"source\":\"command\"}]}"
        let script = Self.hunting(memory: memory)
        #expect(Self.bearings(script) == nil)
    }

    @Test func theClockIsSet() throws {
        var script = Script(isClockSynced: false)
        script.connect()
        Self.surround(&script)
        script.now.wall = script.now.wall.advanced(byMilliseconds: 7_200_000)
        script.now.isClockSynced = true
        let outcome = script.wait(1) + script.frame(Script.searching)
        let first = try #require(Self.bearings(script)?.bearings.first)
        #expect(script.now.wall.duration(since: first.at) < .seconds(10))
        #expect(Self.landing(script)?.source == "bearings")
        let stored: StoredBearings = try #require(try Self.memory(outcome).settings.value(of: .bearings))
        #expect(stored.bearings.elements.map(\.at) == Self.bearings(script)?.bearings.map(\.at))
    }

    /// A computer without a clock restarts in a hunt. The time continues from the last bearing, not from the last point
    /// before it, so the bearings are still the best place.
    @Test func aRestartWithoutAClockContinuesFromTheLastBearing() throws {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let heard = WallTime(millisecondsSince1970: Script.noon - 300_000)
        let taken = WallTime(millisecondsSince1970: Script.noon + 700_000)
        var memory = GatewayMemory(
            flight: RecordedFlight(
                serial: serial, sondeType: .rs41,
                points: [
                    TrackPoint(
                        time: heard, coordinate: Coordinate(latitude: 47.11, longitude: 8.2), altitudeMetres: 900,
                        source: .ble)
                ]),
            lastHeard: [serial: heard])
        let bearings = (0..<4).map { index in
            let place = Self.place(at: 800, towards: Double(index * 85))
            return StoredBearing(
                serial: serial, number: index + 1, place: place, degrees: place.bearingDegrees(to: Self.sonde),
                errorDegrees: 10, source: .command, at: taken)
        }
        memory.settings[.bearings] = StoredBearings(bearings: ReadableList(bearings)).stored
        let script = Script(memory: memory, isClockSynced: false)
        #expect(script.serial == serial.canonical)
        #expect(script.machine.run.began == taken.advanced(byMilliseconds: 1))
        #expect(Self.landing(script)?.source == "bearings")
    }
}
