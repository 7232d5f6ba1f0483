import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A sonde that nobody heard coming down, and one that was never heard before.
@Suite struct HeardAgainTests {
    /// A sonde that was lost at 1050 m 25 minutes ago, and the outcome with the entries for the store.
    private func lost() -> (Chased, Script.Outcome) {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        var outcome = chased.go(1300, up: 5)
        outcome += chased.fall(to: 1050, rate: 6)
        chased.script.closeLink()
        outcome += chased.script.wait(1500)
        #expect(outcome.told(.landed).map(\.announcement.reason) == ["sondehub_silent"])
        chased.script.openLink()
        return (chased, outcome)
    }

    /// The memory in the store after these entries.
    private func memory(_ chased: Chased, _ outcome: Script.Outcome) throws -> GatewayMemory {
        let serial = try #require(SondeSerial(name: chased.serial, type: .rs41))
        var flight = RecordedFlight(serial: serial, sondeType: .rs41, points: [])
        var settings: [StoredSetting: String] = [:]
        for entry in outcome.entries {
            switch entry {
            case .points(_, _, let points): flight.points += points
            case .landingPoint(_, let point): flight.landingPoints.append(point)
            case .prediction(_, let prediction): flight.predictions.append(prediction)
            case .setting(let setting, let value): settings[setting] = value
            case .clockSet, .lesson, .lessonsForgotten, .winds, .newFlight, .forgotten, .recovery, .carPoint, .sample,
                .receiver:
                break
            }
        }
        return GatewayMemory(
            flight: flight, lastHeard: [serial: flight.points.last?.time ?? chased.script.now.wall], settings: settings)
    }

    private func landings(_ outcome: Script.Outcome) -> [FlightLesson] {
        outcome.entries.compactMap {
            if case .lesson(_, let lesson?) = $0, lesson.landing != nil { lesson } else { nil }
        }
    }

    @Test func aCarThatStops() throws {
        var (chased, outcome) = lost()
        let guess = try #require(chased.landing?.point)
        #expect(guess.source == .lastPrediction)
        let points = chased.script.flight?.trackPoints
        (chased.latitude, chased.altitude) = (guess.coordinate.latitude + 5000 / 111_195, 480)
        var heard = chased.go(180, north: 0)
        #expect(heard.told(.moved).count == 1 && heard.told(.moved)[0].speak)
        #expect(heard.told(.trackTruncated).map(\.announcement.reason) == ["blackout"])
        heard += chased.go(300, north: 15) + chased.go(300, north: 0)
        #expect(heard.told(.moved).count == 1 && heard.told(.landed).isEmpty && heard.told(.scored).isEmpty)
        #expect(heard.told(.airborne).isEmpty && landings(heard).isEmpty)
        let after = try #require(chased.landing)
        #expect(after.point.source == .lastPrediction && after.point.coordinate == guess.coordinate)
        #expect(after.score == nil)
        #expect(chased.script.flight?.hasMoved == true && chased.script.flight?.trackPoints == points)
        #expect(chased.script.flight?.phase == PhaseVerdict(.landed, .sondeHubSilent))
        #expect(chased.script.state == .liveBLELanded && heard.positions.count == 780)
        // The points are stored, and the next run comes to the same conclusion without an announcement.
        outcome += heard
        let stored = try memory(chased, outcome)
        #expect(stored.flight?.points.count == (points ?? 0) + 780)
        var script = Script(prediction: .ownWindsOnly, memory: nil)
        script.now = chased.script.now
        script.connect()
        let resumed = script.run(.recalled(stored)) + script.wait(5)
        #expect(resumed.told(.moved).isEmpty && resumed.told(.landed).isEmpty && resumed.told(.scored).isEmpty)
        #expect(script.flight?.trackPoints == points && script.flight?.hasMoved == true)
        #expect(landings(resumed).isEmpty)
    }

    /// The sonde is lost 450 m above the ground, and heard again after some minutes in a car that then stops. That is no
    /// landing, however short the silence was.
    @Test(arguments: [3, 6, 12, 19]) func aCarSoonAfterTheLoss(_ minutes: Double) throws {
        var options = PredictionOptions.ownWindsOnly
        options.groundAltitudeMetres = 480
        var chased = Chased(altitude: 500, prediction: options)
        chased.go(1300, up: 5)
        chased.fall(to: 950, rate: 6)
        chased.script.closeLink()
        #expect(chased.script.wait(minutes * 60).told(.landed).map(\.announcement.reason) == ["sondehub_silent"])
        chased.script.openLink()
        let guess = try #require(chased.landing?.point)
        (chased.latitude, chased.altitude) = (guess.coordinate.latitude + 2900 / 111_195, 480)
        let heard = chased.go(60, north: 14.4) + chased.go(200, north: 0)
        #expect(heard.told(.moved).count == 1 && heard.told(.landed).isEmpty && heard.told(.scored).isEmpty)
        #expect(heard.told(.airborne).isEmpty && heard.told(.landingRevoked).isEmpty && landings(heard).isEmpty)
        #expect(chased.landing?.point.source == .lastPrediction && chased.landing?.point.coordinate == guess.coordinate)
    }

    /// One frame of the sonde at rest near the predicted place gives the exact place. It does not fly again.
    @Test func oneFrameFromTheGround() throws {
        var (chased, _) = lost()
        let guess = try #require(chased.landing?.point)
        (chased.latitude, chased.altitude) = (guess.coordinate.latitude + 300 / 111_195, 480)
        let heard = chased.go(1, north: 0) + chased.script.wait(300)
        #expect(heard.told(.landed).map(\.announcement.reason) == ["vector_test"])
        #expect(heard.told(.airborne).isEmpty && heard.told(.landingRevoked).isEmpty && heard.told(.moved).isEmpty)
        let point = try #require(chased.landing?.point)
        #expect(point.source == .observed && point.coordinate.distanceMetres(to: chased.place) < 5)
        #expect(point.landingAt == guess.landingAt && point.isTimeEstimate)
    }

    @Test func carriedWithoutAStop() throws {
        var (chased, _) = lost()
        let guess = try #require(chased.landing?.point)
        (chased.latitude, chased.altitude) = (guess.coordinate.latitude + 5000 / 111_195, 480)
        let first = chased.go(15, north: 15)
        #expect(first.told(.moved).count == 1)
        let heard = chased.go(900, north: 15)
        #expect(heard.told(.moved).isEmpty && heard.told(.landed).isEmpty && landings(first + heard).isEmpty)
        #expect(chased.landing?.point.coordinate == guess.coordinate)
    }

    /// A sonde that is heard again at rest nearby has landed at the predicted time, and is scored.
    @Test func landedNearby() throws {
        var (chased, outcome) = lost()
        let guess = try #require(chased.landing?.point)
        (chased.latitude, chased.altitude) = (guess.coordinate.latitude + 300 / 111_195, 480)
        let heard = chased.go(90, north: 0)
        let told = try #require(heard.told(.landed).first)
        #expect(heard.told(.landed).count == 1 && told.speak && told.announcement.reason == "vector_test")
        let event = try #require(heard.objects(on: "/event").first { $0["event"] as? String == "landed" })
        #expect(event["time_is_estimate"] as? Bool == true)
        let object = try #require(heard.objects(on: "/landing").last)
        #expect(object["source"] as? String == "observed" && object["time_is_estimate"] as? Bool == true)
        let point = try #require(chased.landing?.point)
        #expect(point.coordinate.distanceMetres(to: chased.place) < 5)
        #expect(point.landingAt == guess.landingAt && chased.script.flight?.landed?.time == guess.landingAt)
        #expect(heard.told(.moved).isEmpty && heard.told(.scored).count == 1 && landings(heard).count == 1)
        #expect(chased.landing?.score != nil)
        // The next run concludes the same, whether its memory comes before or after the first frames.
        outcome += heard
        let stored = try memory(chased, outcome)
        for isLate in [false, true] {
            var script = Script(prediction: .ownWindsOnly, memory: nil)
            script.now = chased.script.now
            script.connect()
            var frames = Script.Outcome()
            let frame = Script.position(latitude: "\(chased.place.latitude)", altitude: 480)
            if isLate { for _ in 0..<5 { frames += script.wait(1) + script.frame(frame) } }
            frames += script.run(.recalled(stored))
            for _ in 0..<30 { frames += script.wait(1) + script.frame(frame) }
            #expect(frames.told(.landed).isEmpty && frames.told(.moved).isEmpty && frames.told(.scored).isEmpty)
            #expect(script.flight?.phase.reason == .vectorTest)
            guard case .landing(let report?) = script.newest[.landing] else { continue }
            #expect(report.point.source == .observed && report.point.isTimeEstimate && report.score != nil)
        }
    }

    /// The memory comes after the first frames, in a car far away or near the place.
    @Test(arguments: [5000.0, 300]) func aLateMemory(_ metres: Double) throws {
        let (chased, outcome) = lost()
        let stored = try memory(chased, outcome)
        let guess = try #require(chased.landing?.point.coordinate)
        var script = Script(prediction: .ownWindsOnly, memory: nil)
        script.now = chased.script.now
        script.connect()
        let frame = Script.position(latitude: "\(guess.latitude + metres / 111_195)", altitude: 480)
        var first = Script.Outcome()
        for _ in 0..<70 { first += script.wait(1) + script.frame(frame) }
        #expect(first.told(.landed).map(\.announcement.reason) == ["heard_on_ground"])
        var then = script.run(.recalled(stored))
        for _ in 0..<60 { then += script.wait(1) + script.frame(frame) }
        guard case .landing(let report?) = script.newest[.landing] else {
            Issue.record("no landing point")
            return
        }
        if metres > 1000 {
            #expect(then.told(.moved).count == 1 && then.told(.landed).isEmpty && landings(then).isEmpty)
            #expect([.stored, .lastPrediction].contains(report.point.source) && report.score == nil)
            #expect(report.point.coordinate.distanceMetres(to: guess) < 30)
        } else {
            #expect(then.told(.moved).isEmpty)
            #expect(report.point.source == .observed && report.point.isTimeEstimate && report.point.landingAt != nil)
        }
    }

    /// The sonde lands later than predicted, and is heard again while it falls through 2500 m. The gateway takes the
    /// landing by silence back before it publishes the state, whether the receiver or SondeHub hears the sonde.
    @Test(arguments: [true, false]) func stillFalling(_ byReceiver: Bool) throws {
        var chased = Chased(
            altitude: 9000, prediction: .ownWindsOnly, sondeHub: byReceiver ? .off : SondeHubOptions.payerne)
        let begun = chased.fall(to: 3000, rate: 8)
        chased.script.answer(begun.polls.first?.id, [])
        let left = try #require(chased.prediction?.forecast.prediction.landing.time)
            .duration(since: chased.script.now.wall).inSeconds
        let last = chased.record()
        chased.script.closeLink(.silent)
        var silent = Script.Outcome()
        for _ in 0..<Int(left + 70) {
            let step = chased.script.wait(1)
            silent += step
            for poll in step.polls { silent += chased.script.answer(poll.id, [last]) }
        }
        #expect(silent.told(.landed).map(\.announcement.reason) == ["sondehub_silent"])
        chased.altitude = 2500
        var heard = Script.Outcome()
        if byReceiver {
            chased.script.openLink()
            heard = chased.go(5, up: -4)
        } else {
            heard = chased.goOnSondeHub(330, up: -4)
        }
        #expect(heard.told(.landingRevoked).count == 1 && heard.told(.airborne).isEmpty)
        let states = heard.told(.stateChanged).compactMap { report -> TelemetryState? in
            if case .stateChanged(let state, _, _) = report.announcement { state } else { nil }
        }
        #expect(states == [byReceiver ? .liveBLEFlying : .aprsFlying])
        #expect(heard.spoken.first?.announcement.event == .landingRevoked)
        #expect(chased.script.flight?.phase.phase == .descendingBelow10k)
    }

    // MARK: - First heard at rest

    /// The gateway starts late, without a network, beside a sonde that lies in a field. It reports the landing and the
    /// way there.
    @Test func inAField() throws {
        var chased = Chased(altitude: 480, prediction: .ownWindsOnly)
        chased.script.fix(at: Coordinate(latitude: 47, longitude: 8.5))
        var outcome = Script.Outcome()
        for _ in 0..<70 {
            chased.script.fix(at: Coordinate(latitude: 47, longitude: 8.5))
            outcome += chased.go(1, north: 0)
        }
        let told = try #require(outcome.told(.landed).first)
        #expect(outcome.told(.landed).count == 1 && told.speak)
        #expect(told.text == "The sonde is on the ground, 3 kilometres ahead.")
        let event = try #require(outcome.objects(on: "/event").last { $0["event"] as? String == "landed" })
        #expect(event["reason"] as? String == "heard_on_ground" && event["time"] is NSNull)
        #expect(chased.script.flight?.phase == PhaseVerdict(.landed, .heardOnGround))
        #expect(chased.script.state == .liveBLELanded)
        let landing = try #require(outcome.objects(on: "/landing").last)
        #expect(landing["source"] as? String == "observed" && landing["time_is_estimate"] as? Bool == true)
        #expect(landing["landing_at"] is NSNull && landing["landing_in_s"] is NSNull)
        let flight = try #require(outcome.objects(on: "/flight").last?["landed"] as? [String: Any])
        #expect(flight["time"] is NSNull)
        #expect(chased.script.chase?.trip != nil && chased.script.chase?.margin == nil)
        #expect(outcome.told(.scored).isEmpty && landings(outcome).isEmpty)
        // The sonde climbs, so this was a launch.
        let climb = chased.go(120, up: 5, north: 3)
        #expect(climb.told(.airborne).count == 1)
        #expect(chased.script.flight?.phase.phase == .ascending && chased.landing?.source != "observed")
    }

    /// A sonde on a known launch pad has not landed. The configuration knows the pad, or the stored sites, which may be
    /// recalled late.
    @Test(arguments: ["configured", "stored", "late"]) func onThePad(_ source: String) {
        let pad = Coordinate(latitude: 47.01, longitude: 8.54)
        var book = LaunchBook()
        book.sites = [LaunchSite("1", name: "Pad", coordinate: pad, altitudeMetres: 480, times: [])]
        let memory = GatewayMemory(settings: [.launchSites: book.stored ?? ""])
        var options = PredictionOptions.ownWindsOnly
        if source == "configured" { options.launchSites = [pad] }
        var chased = Chased(
            altitude: 480, prediction: options, memory: source == "stored" ? memory : GatewayMemory())
        var outcome = chased.go(90, north: 0)
        #expect(outcome.told(.landed).count == (source == "late" ? 1 : 0))
        if source == "late" { outcome += chased.script.run(.recalled(memory)) }
        outcome += chased.go(300, north: 0)
        #expect(outcome.told(.landed).count == (source == "late" ? 1 : 0) && outcome.told(.airborne).isEmpty)
        #expect(chased.script.flight?.phase == PhaseVerdict(.unknown, .onGround))
        #expect(chased.landing == nil)
    }
}
