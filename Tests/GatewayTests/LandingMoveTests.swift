import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// When the landing point, and a move of it, is announced.
@Suite struct LandingMoveTests {
    /// A landing `metres` north of 47 N 8 E, 6000 s from now.
    private static func forecast(_ metres: Double, for flight: Flight, at now: Moment) -> Forecast {
        let online = Chased.prediction(from: Coordinate(latitude: 47, longitude: 8), metres, at: now.wall)
        let inputs = LandingPrediction.Inputs(
            descentRate: 6, descentRateOrigin: "prior", descentGrowth: 0, groundMetres: 0, windLayers: 0)
        var forecast = Forecast(
            online, method: .tawhiri, isBeforeBurst: false, for: flight, inputs: inputs,
            measuredShare: 1, radius: RadiusFormula(isBigParachute: true), at: now)
        forecast.prediction.radius = .init(metres50: 0, metres90: 0)
        return forecast
    }

    /// A flight at 9 km that SondeHub's stations hear.
    private static func flying() -> (Flight, Facts) {
        var (flight, facts) = (Flight(), Facts())
        _ = flight.insert(FlightPath(altitude: 9000).newest)
        facts.state = .aprsFlying
        return (flight, facts)
    }

    /// The age of a prediction that comes late, seconds -> the sentence.
    @Test(
        arguments: [
            (5000.0, "Lands in 17 minutes."),
            (5990, "Lands in less than a minute."), (6090, "First landing prediction."),
        ]) func theFirstPrediction(_ seconds: Double, _ expected: String)
    {
        let (flight, facts) = Self.flying()
        var now = Script().now
        let forecast = Self.forecast(20_000, for: flight, at: now)
        now.monotonic = now.monotonic.advanced(by: .seconds(seconds))
        var turn = Turn(at: now, calls: Calls())
        var book = LandingBook()
        book.follow(facts, flight: flight, forecast: forecast, &turn)
        #expect(Script.Outcome(actions: turn.actions).told(.firstPrediction).map(\.english) == [expected])
    }

    /// Where no car is known, the first sentence waits for the town, but not for ever: seconds until the town is found ->
    /// whether the sentence waited for it.
    @Test(arguments: [(4.0, true), (60, false)]) func theFirstPredictionWaitsForItsTown(
        _ seconds: Double, _ hasTown: Bool
    ) {
        let (flight, facts) = Self.flying()
        let begin = Script().now
        let forecast = Self.forecast(20_000, for: flight, at: begin)
        let town = NamedPlace(name: "Grenchen", coordinate: forecast.prediction.landing.coordinate, people: 16_000)
        var book = LandingBook()
        var said: [String] = []
        for second in 0...20 {
            var now = begin
            now.monotonic = now.monotonic.advanced(by: .seconds(second))
            var turn = Turn(at: now, calls: Calls())
            turn.looksUpTowns = true
            if Double(second) >= seconds { turn.towns = TownsAround([town]) }
            book.follow(facts, flight: flight, forecast: forecast, &turn)
            let told = Script.Outcome(actions: turn.actions).told(.firstPrediction).map(\.english)
            if !told.isEmpty { #expect(second == (hasTown ? 4 : 10)) }
            // The book wakes the machine while it waits, and not after that.
            #expect((book.deadline == nil) == !(said + told).isEmpty)
            said += told
        }
        #expect(said.count == 1 && said[0].contains("Grenchen") == hasTown, "\(said)")
    }

    /// The predictions' distances, metres, five minutes apart -> the distances of the announced moves, and the length of
    /// the history. A move that has lasted is said, measured from the first point.
    @Test(
        arguments: [
            ([20_000, 20_020], [], 1), ([20_000, 20_030], [], 2), ([20_000, 20_290, 20_010], [], 3),
            ([20_000, 20_310], [], 2), ([20_000, 20_200, 20_400, 20_500], [500], 4),
            ([20_000, 19_000, 19_200], [800], 3),
        ] as [([Double], [Double], Int)])
    func moves(_ metres: [Double], _ moved: [Double], _ remembered: Int) throws {
        var book = LandingBook()
        let (flight, flying) = Self.flying()
        var facts = flying
        var announced: [Double] = []
        var stored = 0
        var now = Script().now
        for distance in metres {
            now.monotonic = now.monotonic.advanced(by: .seconds(300))
            var turn = Turn(at: now, calls: Calls())
            facts.sonde.names = SondeNames(SondeSerial(name: "V1", type: .rs41))
            let forecast = Self.forecast(distance, for: flight, at: now)
            book.follow(facts, flight: flight, forecast: forecast, &turn)
            for action in turn.actions {
                if case .record(.landingPoint) = action { stored += 1 }
                if case .report(.announcement(let report)) = action,
                    case .landingMoved(_, let metres, let degrees) = report.announcement
                {
                    announced.append(metres.rounded())
                    #expect(min(degrees, abs(degrees - 180), 360 - degrees) < 1)
                }
            }
        }
        #expect(announced.elementsEqual(moved) { abs($0 - $1) < 3 }, "\(announced)")
        #expect(book.history(by: RunClock()).count == remembered)
        #expect(stored == remembered)
        #expect(book.movedMetres.map { abs($0 - (moved.last ?? 0)) < 3 } ?? moved.isEmpty)
    }

    /// A prediction a second that drifts by 30 m each time, for two hours -> a point a minute or at each quarter of the
    /// radius, thinned evenly, with the first and the last.
    @Test func theWayOfThePredictionIsKept() throws {
        var book = LandingBook()
        let (flight, flying) = Self.flying()
        var facts = flying
        var (stored, most) = (0, 0)
        var now = Script().now
        let start = now.wall
        for second in 0..<7200 {
            (now.monotonic, now.wall) = (
                now.monotonic.advanced(by: .seconds(1)), now.wall.advanced(by: .seconds(1))
            )
            var turn = Turn(at: now, calls: Calls())
            var forecast = Self.forecast(20_000 + 30 * Double(second % 400), for: flight, at: now)
            forecast.prediction.radius = .init(metres50: 2000, metres90: 5000)
            facts.sonde.names = SondeNames(SondeSerial(name: "V1", type: .rs41))
            book.follow(facts, flight: flight, forecast: forecast, &turn)
            stored += turn.actions.count { if case .record(.landingPoint) = $0 { true } else { false } }
            most = max(most, book.history(by: RunClock()).count)
        }
        #expect(most <= LandingBook.limit && book.history(by: RunClock()).count > LandingBook.limit / 3)
        #expect((120...1500).contains(stored), "\(stored)")
        let times = book.history(by: RunClock()).map { $0.time.duration(since: start).inSeconds }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 <= 600 }, "\(times)")
        #expect(try #require(times.first) < 600 && (try #require(times.last)) > 7100)
    }

    /// A move is published and said when it has lasted for five minutes. It is measured from the first point.
    @Test func aNewLandingPointIsAnnounced() throws {
        var chased = LandingBookTests.floating()
        #expect(chased.script.announcements.last?.event == .firstPrediction)
        let sentence = "The landing point has moved 100 kilometres north."
        #expect(LandingBookTests.answered(&chased, 120_000).told(.landingMoved).isEmpty)
        var later = Script.Outcome()
        for _ in 1...5 { later += LandingBookTests.answered(&chased, 120_000) }
        #expect(later.told(.landingMoved).map(\.english) == [sentence])
        #expect(later.spoken(.landingMoved).count == 1)
        for _ in 1...6 { #expect(LandingBookTests.answered(&chased, 120_000).told(.landingMoved).isEmpty) }
    }

    /// A prediction often comes back. Such a move is no event.
    @Test func aMoveThatComesBackIsNoEvent() {
        var chased = LandingBookTests.floating()
        var outcome = Script.Outcome()
        for _ in 1...3 {
            for _ in 1...4 { outcome += LandingBookTests.answered(&chased, 120_000) }
            for _ in 1...4 { outcome += LandingBookTests.answered(&chased, 20_000) }
        }
        #expect(outcome.told(.landingMoved).isEmpty)
    }

    /// A move within the 50 % radius is no event. Several such moves together are one, measured from the point of the last
    /// sentence.
    @Test func movesAreSaidByTheirRadius() throws {
        var chased = LandingBookTests.floating()
        let radius = try #require(chased.prediction?.forecast.prediction.radius.metres50)
        let step = (radius * 0.4).rounded()
        #expect(step > 300)
        var reports: [AnnouncementReport] = []
        for count in 1...9 {
            reports += LandingBookTests.answered(&chased, 20_000 + Double(count) * step).told(.landingMoved)
        }
        let moves = reports.compactMap { report -> Double? in
            if case .landingMoved(_, let metres, _) = report.announcement { metres / step } else { nil }
        }
        #expect(reports.map(\.speak) == [true])
        #expect(moves.map { ($0 * 10).rounded() / 10 } == [8])
    }

    /// At the burst and after a command, other sentences come before the move's. The gateway announces that move once.
    @Test func aMoveThatWaitsToBeSaidIsToldOnce() {
        var chased = Chased(prediction: .ownWindsOnly)
        chased.go(500, up: 5)
        var outcome = chased.fall(to: 2400)
        outcome += chased.script.command("{\"landing_point\":{\"latitude\":47.2,\"longitude\":8.2}}")
        outcome += chased.fall(to: 2300)
        let places = outcome.told(.landingMoved).compactMap { report -> Coordinate? in
            if case .landingMoved(let landing, _, _) = report.announcement { landing.place } else { nil }
        }
        #expect(places.count >= 1 && Set(places).count == places.count)
        #expect(outcome.spoken(.landingMoved).count >= 1)
    }

    /// The burst tells where the sonde lands now, so the same place is not told again as a move.
    @Test func theBurstTellsTheMove() throws {
        var chased = Chased(prediction: .ownWindsOnly)
        let first = try #require(chased.go(500, up: 5).told(.firstPrediction).first)
        let outcome = chased.fall(to: 1500)
        guard case .firstPrediction(let expected) = first.announcement,
            case .burst(_, let landing?)? = outcome.told(.burst).last?.announcement
        else {
            Issue.record("no prediction")
            return
        }
        #expect(expected.place.distanceMetres(to: landing.place) > 5000)
        #expect(outcome.told(.landingMoved).isEmpty)
    }
}
