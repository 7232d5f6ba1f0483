import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The events that are spoken, their words, and the silenced events.
@Suite struct SpeechTests {
    private func said(_ outcome: Script.Outcome) -> [AnnouncementReport] {
        outcome.reports.compactMap { if case .announcement(let report) = $0 { report } else { nil } }
    }

    /// Each distance is spoken once, even if the car drives back and forth there.
    @Test func distances() {
        var script = Script.toGoal()
        var texts: [String] = []
        for metres in stride(from: 0.0, through: 9990, by: 30) {
            let wobble = metres.truncatingRemainder(dividingBy: 60) == 0 ? 20.0 : 0
            let outcome = script.fix(at: Script.car.moved(east: metres - wobble, north: 0)) + script.wait(1)
            texts += said(outcome).filter { $0.announcement.event == .distance }.map(\.english)
        }
        #expect(
            texts == [
                "5 kilometres to go, straight ahead.", "2 kilometres to go, straight ahead.",
                "1 kilometre to go, straight ahead.", "500 metres to go, straight ahead.",
                "200 metres to go, straight ahead.",
            ])
        // The car drives away and comes back, at a possible speed.
        script.wait(130)
        script.fix(at: Script.car)
        script.wait(130)
        let again = script.fix(at: Script.goal.moved(east: -1500, north: 0), course: 180)
        #expect(said(again).map(\.english) == ["1.5 kilometres to go, to the left."])
    }

    /// The place -> the direction in the sentence; the car's course is east.
    @Test(
        arguments: [
            (3400.0, 0.0, "3.4 kilometres ahead"), (2404, 2404, "3.4 kilometres ahead, half left"),
            (2404, -2404, "3.4 kilometres ahead, half right"), (0, 350, "350 metres to the left"),
            (-2404, -2404, "3.4 kilometres behind, half right"), (-12_000, 10, "12 kilometres behind"),
        ])
    func places(_ east: Double, _ north: Double, _ words: String) {
        var car = CarPosition(
            source: .gpsd, coordinate: Script.car, courseDegrees: 90, time: WallTime(millisecondsSince1970: 0),
            heardAt: .zero)
        let place = Script.car.moved(east: east, north: north)
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: 0), coordinate: place, altitudeMetres: 400, source: .ble)
        let sentence = { Language.english.phrasebook.sentence(for: .landed(point), from: car) }
        #expect(sentence() == "The sonde has landed \(words).")
        car.courseDegrees = nil
        #expect(sentence().contains(" to the "))
        #expect(Announcement.landed(point).english == "The sonde has landed.")
    }

    /// Silenced events are still published.
    @Test func quiet() {
        var script = Script.toGoal(ChaseOptions(quiet: [.distance]))
        script.fix()
        script.wait(70)
        let outcome = script.fix(at: Script.car.moved(east: 6000, north: 0))
        #expect(said(outcome).map(\.announcement.event) == [.distance])
        #expect(said(outcome).map(\.speak) == [false])
        #expect(outcome.objects(on: "/event").map { $0["speak"] as? Bool } == [false])
    }

    /// A SIGHUP silences an event at once.
    @Test func quietTakesEffectAtOnce() {
        var script = Script.toGoal()
        let settings = [InfoReport.Setting(key: "announce.quiet", value: "distance")]
        func told(_ metres: Double) -> [Bool] {
            script.wait(70)
            return said(script.fix(at: Script.car.moved(east: metres, north: 0))).map(\.speak)
        }
        script.fix()
        #expect(told(5500) == [true])
        let changed = script.run(.chaseChanged(ChaseOptions(quiet: [.distance]), settings))
        let info = changed.objects(on: "/bridge/info").last?["configuration"] as? [String: String]
        #expect(info == ["announce.quiet": "distance"])
        #expect(told(8500) == [false])
        script.run(.chaseChanged(ChaseOptions(), []))
        #expect(told(9200) == [true])
    }

    private func followed(_ facts: [Facts]) -> [String] {
        var milestones = Milestones()
        return facts.flatMap { facts -> [String] in
            var turn = Turn(at: Script().now, calls: Calls())
            milestones.follow(facts, &turn)
            return turn.actions.compactMap {
                if case .report(.announcement(let report)) = $0 { report.english } else { nil }
            }
        }
    }

    /// The arrival is announced when the margin's sign changes by at least half a minute.
    @Test func arrival() {
        let now = Script().now
        let facts = [600.0, 40, 10, -20, -31, -200, -10, 29, 120].map { margin -> Facts in
            var facts = Facts()
            facts.road.trip = Trip(
                straightFrom: Script.car, to: Script.goal, by: .car, because: .noServer, detour: 1, at: now.wall)
            facts.sonde.landing = LandingPoint(
                coordinate: Script.goal, source: .predicted, at: now,
                landingAt: facts.road.trip?.arrivalAt.advanced(by: .seconds(margin)))
            return facts
        }
        #expect(
            followed(facts) == [
                "In a straight line you would arrive 3 minutes after the landing.",
                "In a straight line you would arrive 2 minutes before the landing.",
            ])
    }

    private static func facts(_ metres: Double, _ radius: Double?, margin: Double? = nil) -> Facts {
        let now = Script().now
        var facts = Facts()
        let car = Script.goal.moved(east: -metres, north: 0)
        facts.road.car = CarPosition(
            source: .gpsd, coordinate: car, courseDegrees: 90, time: now.wall, heardAt: .zero)
        facts.sonde.landing = LandingPoint(
            coordinate: Script.goal, source: radius == nil ? .observed : .predicted, at: now, radius50Metres: radius)
        guard let margin else { return facts }
        let trip = Trip(straightFrom: car, to: Script.goal, by: .car, because: .noServer, detour: 1, at: now.wall)
        facts.road.trip = trip
        facts.sonde.landing?.landingAt = trip.arrivalAt.advanced(by: .seconds(margin))
        return facts
    }

    /// No distance is said that is smaller than the place's radius, and none when the place becomes known: the landing has
    /// a sentence of its own.
    @Test func distancesToAnUnsurePlace() {
        let way: [(Double, Double?)] = [
            (6000, 3000), (4900, 3000), (1900, 3000), (1900, 800), (150, 800), (150, 100), (150, nil), (6100, nil),
            (980, nil),
        ]
        #expect(
            followed(way.map { Self.facts($0, $1) }) == [
                "5 kilometres to go.", "2 kilometres to go.", "150 metres to go.", "1 kilometre to go.",
            ])
    }

    /// While the place is too unsure to drive there, nobody knows who comes first.
    @Test(arguments: [(2000.0, 1), (20_000, 0)]) func arrivalAtAnUnsurePlace(_ radius: Double, _ count: Int) {
        let facts = [900.0, -900].map { Self.facts(30_000, radius, margin: $0) }
        #expect(followed(facts).count { $0.contains("15 minutes after") } == count)
    }

    /// Failures of the route server do not change the announced arrival.
    @Test func arrivalByRoadAlone() throws {
        let now = Script().now
        let line = try #require(RouteLine([Script.car, Script.goal]))
        let route = RoadRoute(distanceMetres: 9000, duration: .seconds(3000), line: line, endGapMetres: 0)
        let byRoad = Trip(route, by: .osrm, .car, gaps: Trip.Gaps(start: 0, end: 0), at: now.wall)
        let trips = [
            byRoad,
            Trip(
                straightFrom: Script.car, to: Script.goal, by: .car, because: .failed(.refused), detour: 1, at: now.wall
            ),
            Trip(
                straightFrom: Script.car, to: Script.goal, by: .car, because: .noRoad(.noRoute), detour: 1, at: now.wall
            ),
            byRoad,
            Trip(straightFrom: Script.car, to: Script.goal, by: .car, because: .waiting, detour: 1, at: now.wall),
            byRoad,
        ]
        let facts = trips.map { trip -> Facts in
            var facts = Facts()
            facts.road.trip = trip
            facts.sonde.landing = LandingPoint(
                coordinate: Script.goal, source: .predicted, at: now, landingAt: now.wall.advanced(by: .seconds(1200)))
            return facts
        }
        #expect(followed(facts) == [])
    }

    @Test func noRoadNear() throws {
        let line = try #require(RouteLine([Script.car, Script.goal]))
        let facts = [1000.0, 3400, 3500, 100, 2500].map { gap -> Facts in
            var facts = Facts()
            let route = RoadRoute(distanceMetres: 9000, duration: .seconds(600), line: line, endGapMetres: gap)
            facts.road.trip = Trip(route, by: .osrm, .car, gaps: Trip.Gaps(start: 0, end: gap), at: Script().now.wall)
            facts.sonde.landing = LandingPoint(coordinate: Script.goal, source: .manual, at: Script().now)
            return facts
        }
        #expect(
            followed(facts) == [
                "No road near the landing point: the last one ends 3.4 kilometres away.",
                "No road near the landing point: the last one ends 2.5 kilometres away.",
            ])
    }

    @Test func belowTenKilometres() {
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: 0), coordinate: Script.car, altitudeMetres: 9990, source: .ble)
        let phases: [FlightPhase] = [
            .ascending, .descendingBelow10k, .descendingAbove10k, .unknown, .descendingBelow10k, .descendingBelow10k,
            .landed,
        ]
        let facts = phases.map { phase -> Facts in
            var facts = Facts()
            facts.sonde.phase = PhaseVerdict(phase, nil)
            facts.sonde.newestPoint = point
            return facts
        }
        #expect(followed(facts) == ["The sonde is below 10 kilometres."])
    }
}
