import GatewayTestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// A landing has the same time wherever it is published. A place that was set by hand has the prediction's time.
@Suite struct LandingTimeTests {
    /// Seconds between frames. The time is that of the touch-down, not of the moment in which it was decided.
    @Test(arguments: [1, 5, 20]) func anObservedLandingHasOneTime(_ spacing: Int) throws {
        var chased = Chased(altitude: 500, prediction: .ownWindsOnly)
        chased.go(1200, up: 5, every: spacing)
        chased.fall(to: 500, rate: 6, every: spacing)
        let touchDown = chased.script.now.wall
        for _ in 0..<3 {
            #expect(chased.go(200, north: 0, every: spacing).told(.burst).isEmpty)
            let landed = try #require(chased.script.flight?.landed)
            let point = try #require(chased.landing?.point)
            #expect(point.landingAt == landed.time && point.coordinate == landed.coordinate)
            #expect(abs(landed.time.seconds(since: touchDown)) <= Double(max(20, 2 * spacing)))
        }
    }

    /// A gap fill that brings another touch-down changes the time everywhere.
    @Test func aFilledGapKeepsOneTime() throws {
        var chased = Chased(altitude: 500, prediction: .off, sondeHub: SondeHubOptions.payerne)
        let asked = chased.go(900, up: 5).tracks.first?.id
        chased.fall(to: 500, rate: 6)
        let touchDown = chased.script.now.wall
        chased.script.wait(12)
        chased.go(100, north: 0)
        let records = (0..<12).map { second in
            var record = chased.record()
            record.time = touchDown.advanced(by: .seconds(second + 1))
            record.coordinate = chased.place.moved(east: 0.3 * Double(second), north: 0)
            return record
        }
        chased.script.answerTrack(asked, records)
        let landed = try #require(chased.script.flight?.landed)
        let point = try #require(chased.landing?.point)
        #expect(point.landingAt == landed.time && point.coordinate == landed.coordinate)
    }

    /// A place set by hand in flight keeps the times and the margin of the prediction in force.
    @Test func aPlaceSetByHandKeepsTheTimes() throws {
        var chased = Chased(altitude: 12_000, prediction: .ownWindsOnly)
        chased.fall(to: 8000, rate: 6)
        let goal = chased.place.moved(east: 3000, north: 0)
        chased.script.fix(at: chased.place)
        let set = chased.script.command(
            "{\"landing_point\":{\"latitude\":\(goal.latitude),\"longitude\":\(goal.longitude)}}")
        let object = try #require(set.objects(on: "/landing").last)
        #expect(object["source"] as? String == "manual")
        #expect((object["landing_in_s"] as? Int ?? 0) > 300)
        #expect(object["landing_at"] is String && (object["landing_error_50_s"] as? Int ?? 0) > 0)
        for _ in 0..<2 {
            let predicted = try #require(chased.prediction?.forecast.prediction.landing.time)
            #expect(chased.landing?.landingAt == predicted)
            #expect(chased.script.chase?.margin != nil)
            let outcome = chased.fall(to: 6000, rate: 6) + chased.script.fix(at: chased.place)
            #expect(outcome.told(.landingMoved).isEmpty, "the place has not moved")
            #expect(chased.landing?.source == "manual")
        }
    }
}
