import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The error of the predictions is computed, stored, published and said.
@Suite struct LandingScoreTests {
    private static let landing = TrackPoint(
        time: FlightPath.time(10_000), coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500,
        source: .ble)

    /// A prediction that was made `minutes` before the landing, with an error of `metres`.
    private static func prediction(
        _ minutes: Double, off metres: Double, by method: PredictionMethod = .ownWinds
    ) -> StoredPrediction {
        StoredPrediction(
            method: method, at: landing.time.advanced(by: .seconds(-minutes * 60)), isDescending: true,
            minutesToGo: minutes, kilometresToGo: minutes / 2,
            landing: landing.coordinate.moved(east: metres, north: 0), radius90: 1000)
    }

    /// For each method and time the newest prediction counts that is at most five minutes older. A prediction made on
    /// the ground does not count.
    @Test func errors() throws {
        let score = LandingScore(
            [
                .ownWinds: [
                    Self.prediction(31, off: 3000), Self.prediction(15.1, off: 1500), Self.prediction(4.9, off: 500),
                    Self.prediction(0.1, off: 100), Self.prediction(0, off: 1),
                ],
                .tawhiri: [Self.prediction(36, off: 9000, by: .tawhiri), Self.prediction(19, off: 1200, by: .tawhiri)],
            ], landing: Self.landing)
        let own = try #require(score.errors[.ownWinds])
        let found = [own.at30Minutes, own.at15Minutes, own.last].map { $0 ?? 0 }
        #expect(zip(found, [3000.0, 1500, 100]).allSatisfy { abs($0 - $1) < $1 / 200 }, "\(found)")
        #expect(own.at5Minutes == nil)
        let tawhiri = try #require(score.errors[.tawhiri])
        #expect(tawhiri.at30Minutes == nil && tawhiri.last == nil)
        #expect(abs((tawhiri.at15Minutes ?? 0) - 1200) < 6)
        #expect(score.errors[.sondehub] == nil)
    }

    /// The sentence names the error of the predictions that were in force, not the best ones.
    @Test func sentences() {
        let own = [Self.prediction(16, off: 3400), Self.prediction(1, off: 210)]
        let tawhiri = [Self.prediction(16, off: 1200, by: .tawhiri)]
        let all: [PredictionMethod: [StoredPrediction]] = [.ownWinds: own, .tawhiri: tawhiri]
        let text = { (inForce: [StoredPrediction]) in
            Announcement.scored(LandingScore(all, inForce: inForce, landing: Self.landing)).english
        }
        #expect(text(own) == "The prediction was 3.4 kilometres off 15 minutes before landing.")
        #expect(text(tawhiri) == "The prediction was 1.2 kilometres off 15 minutes before landing.")
        #expect(text([own[1]]) == "The last prediction was 210 metres off.")
        #expect(text([]) == "The prediction was 1.2 kilometres off 15 minutes before landing.")
        let none = LandingScore([:], landing: Self.landing)
        #expect(Announcement.scored(none).english == "No prediction could be judged.")
    }

    /// A fall from 8 km. The store gets each published prediction, but none of the many between them. The lesson and
    /// the score follow the landing once. The score is shown after the landing, and not said.
    @Test func throughTheMachine() throws {
        var options = PredictionOptions.ownWindsOnly
        options.groundAltitudeMetres = 500
        var chased = Chased(altitude: 8000, prediction: options)
        let fall = chased.fall(to: 500, rate: 6)
        let stored = fall.entries.compactMap { if case .prediction(_, let made) = $0 { made } else { nil } }
        let published = fall.objects(on: "/prediction").compactMap {
            ($0["computed_at"] as? String).flatMap { WallTime(iso8601: $0) }
        }
        #expect(published.count > 120)
        #expect(stored.count == published.count)
        #expect(zip(stored, published).allSatisfy { $0.at == $1 || $0.at == $1.advanced(by: .seconds(1)) })
        #expect(stored.allSatisfy { $0.method == .ownWinds && $0.minutesToGo > 0 && $0.radius90 > 0 })
        #expect(stored.last?.isDescending == true)
        let landed = chased.go(70, north: 0)
        #expect(landed.told(.landed).count == 1)
        #expect(landed.told(.scored).count == 1)
        let order = landed.reports.compactMap { report -> EventName? in
            if case .announcement(let told) = report { told.announcement.event } else { nil }
        }
        #expect(order.firstIndex(of: .landed) ?? 9 < order.firstIndex(of: .scored) ?? 0)
        #expect(landed.told(.scored).first?.speak == false)
        let lessons = landed.entries.compactMap { if case .lesson(_, let lesson) = $0 { lesson } else { nil } }
        #expect(lessons.count == 1)
        #expect(lessons.first?.landing?.coordinate == chased.landing?.coordinate)
        let object = try #require(landed.objects(on: "/landing").last)
        let score = try #require((object["score"] as? [String: Any])?["own_winds"] as? [String: Any])
        #expect(Set(score.keys) == ["now_m", "min_5_m", "min_15_m", "min_30_m"])
        #expect((score["now_m"] as? Double ?? .infinity) < 150)
        #expect((score["min_5_m"] as? Double ?? .infinity) < 1500)
        #expect(chased.go(100, north: 0).told(.scored).isEmpty)
    }

    /// A damaged store may contain any number.
    @Test(arguments: [1e30, -1e30, .greatestFiniteMagnitude]) func minutesOfAnySize(_ minutes: Double) throws {
        var prediction = Self.prediction(5, off: 0)
        prediction.minutesToGo = minutes
        var scores = LandingScores()
        scores.join([prediction], by: RunClock())
        #expect(scores.newest(by: RunClock()).map { LandingExpectation($0).at } != nil)
    }

    /// A gateway without predictions also learns from a landing, and only once: another sonde is heard, and then the
    /// landed one again.
    @Test func aLessonWithoutAPrediction() throws {
        var chased = Chased(altitude: 6000, prediction: .off)
        chased.fall(to: 500, rate: 8)
        var landed = chased.go(60, north: 0)
        #expect(landed.told(.landed).count == 1)
        let place = chased.script.flight?.landed?.coordinate
        for name in ["V9", "V4210150"] {
            for _ in 0..<3 {
                landed += chased.script.wait(1)
                landed += chased.script.frame(
                    Script.position(
                        name, frequency: name == "V9" ? "404.000" : "403.500", latitude: "47.1"))
            }
        }
        let lessons = landed.entries.compactMap { if case .lesson(_, let lesson) = $0 { lesson } else { nil } }
        #expect(lessons.map(\.landing?.coordinate) == [place] && place != nil)
    }

    /// When the gateway starts, nobody hears the sonde any more. It has landed if it can be down, or if its predicted
    /// landing is past. The own winds give the landing point.
    @Test(
        arguments: [
            (1200.0, 300.0, false, true), (1200, 150, false, false), (4000, 1800, true, true),
            (4000, 1800, false, true), (4000, 330, false, false),
        ])
    func aStartAfterTheLanding(_ lowest: Double, _ seconds: Double, _ isPredicted: Bool, _ hasLanded: Bool) throws {
        var before = Chased(altitude: 8000, prediction: .ownWindsOnly)
        let entries = before.fall(to: lowest, rate: 6).entries
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        var flight = RecordedFlight(serial: serial, sondeType: .rs41, points: [])
        for entry in entries {
            if case .points(_, _, let points) = entry { flight.points += points }
            if case .prediction(_, let made) = entry, isPredicted { flight.predictions.append(made) }
        }
        var script = Script(prediction: .ownWindsOnly)
        script.now = before.script.now
        script.advance(seconds)
        script.run(.started(GatewayMemory(flight: flight)))
        script.wait(30)
        #expect((script.flight?.phase.phase == .landed) == hasLanded)
        guard hasLanded, case .landing(let landing?) = script.newest[.landing] else {
            #expect(!hasLanded)
            return
        }
        #expect(landing.source == "last_prediction" && landing.point.method == .ownWinds)
        #expect(script.machine.sondeHub.hunted.lastHeard == serial)
        // A sonde that only SondeHub has heard is not hunted.
        for index in flight.points.indices { flight.points[index].source = .sondehub }
        var other = Script(prediction: .ownWindsOnly)
        other.now = script.now
        other.run(.started(GatewayMemory(flight: flight)))
        #expect(other.serial == "V4210150" && other.machine.sondeHub.hunted.lastHeard == nil)
    }

    /// After a restart in flight, the earlier predictions are scored, too. After a restart that follows the landing,
    /// the score is not announced again.
    @Test(arguments: [false, true]) func afterARestart(_ hasLanded: Bool) throws {
        var before = Chased(altitude: 8000, prediction: .ownWindsOnly)
        var entries = before.fall(to: hasLanded ? 500 : 1000, rate: 6).entries
        if hasLanded { entries += before.go(60, north: 0).entries }
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let points = entries.flatMap { entry -> [TrackPoint] in
            if case .points(_, _, let points) = entry { points } else { [] }
        }
        let made = entries.compactMap { if case .prediction(_, let made) = $0 { made } else { nil } }
        let memory = GatewayMemory(
            flight: RecordedFlight(serial: serial, sondeType: .rs41, points: points, predictions: made))
        var script = Script(prediction: .ownWindsOnly)
        script.now = before.script.now
        script.advance(20)
        script.run(.started(memory))
        script.connect()
        before.script = script
        if !hasLanded { before.fall(to: 500, rate: 6) }
        let landed = before.go(70, north: 0)
        #expect(landed.told(.scored).count == (hasLanded ? 0 : 1))
        #expect(landed.entries.contains { if case .lesson = $0 { true } else { false } } == !hasLanded)
        #expect(before.landing?.score?.errors[.ownWinds]?.at5Minutes != nil)
    }
}
