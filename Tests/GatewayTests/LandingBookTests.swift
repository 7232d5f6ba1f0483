import Foundation
import GatewayTestSupport
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The landing point: its source, its history, and when a move is announced.
@Suite struct LandingBookTests {
    /// After a minute Tawhiri answers with a landing point `metres` north of the launch.
    private static func answered(_ chased: inout Chased, _ metres: Double) -> Script.Outcome {
        guard let question = chased.go(60, up: 3, north: 20, every: 2).questions.first else { return Script.Outcome() }
        return chased.answer(question, metres: metres - (question.query.launch.latitude - 47) * 111_195)
    }

    /// A flight that Tawhiri predicts to land 20 km north of its launch.
    private static func floating() -> Chased {
        var chased = Chased(altitude: 3000, prediction: .onlineOnly)
        let begin = chased.go(9, up: 3, north: 0)
        _ = chased.answer(begin.questions.first, metres: 20_000)
        return chased
    }

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

    /// The age of a prediction that comes late, seconds -> the sentence.
    @Test(
        arguments: [
            (5000.0, "Lands in 17 minutes."),
            (5990, "Lands in less than a minute."), (6090, "First landing prediction."),
        ]) func theFirstPrediction(_ seconds: Double, _ expected: String)
    {
        var flight = Flight()
        _ = flight.insert(FlightPath(altitude: 9000).newest)
        var facts = Facts()
        facts.state = .aprsFlying
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
        var flight = Flight()
        _ = flight.insert(FlightPath(altitude: 9000).newest)
        var facts = Facts()
        facts.state = .aprsFlying
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
        var flight = Flight()
        _ = flight.insert(FlightPath(altitude: 9000).newest)
        var facts = Facts()
        facts.state = .aprsFlying
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
        var flight = Flight()
        _ = flight.insert(FlightPath(altitude: 9000).newest)
        var facts = Facts()
        facts.state = .aprsFlying
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
        var chased = Self.floating()
        #expect(chased.script.announcements.last?.event == .firstPrediction)
        let sentence = "The landing point has moved 100 kilometres north."
        #expect(Self.answered(&chased, 120_000).told(.landingMoved).isEmpty)
        var later = Script.Outcome()
        for _ in 1...5 { later += Self.answered(&chased, 120_000) }
        #expect(later.told(.landingMoved).map(\.english) == [sentence])
        #expect(later.spoken(.landingMoved).count == 1)
        for _ in 1...6 { #expect(Self.answered(&chased, 120_000).told(.landingMoved).isEmpty) }
    }

    /// A prediction often comes back. Such a move is no event.
    @Test func aMoveThatComesBackIsNoEvent() {
        var chased = Self.floating()
        var outcome = Script.Outcome()
        for _ in 1...3 {
            for _ in 1...4 { outcome += Self.answered(&chased, 120_000) }
            for _ in 1...4 { outcome += Self.answered(&chased, 20_000) }
        }
        #expect(outcome.told(.landingMoved).isEmpty)
    }

    /// A move within the 50 % radius is no event. Several such moves together are one, measured from the point of the last
    /// sentence.
    @Test func movesAreSaidByTheirRadius() throws {
        var chased = Self.floating()
        let radius = try #require(chased.prediction?.forecast.prediction.radius.metres50)
        let step = (radius * 0.4).rounded()
        #expect(step > 300)
        var reports: [AnnouncementReport] = []
        for count in 1...9 { reports += Self.answered(&chased, 20_000 + Double(count) * step).told(.landingMoved) }
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
