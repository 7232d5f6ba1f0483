import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The parameters learned from earlier flights.
@Suite struct LearnedParametersTests {
    private static let launch = Coordinate(latitude: 46.8, longitude: 6.9)

    /// - Parameter north: kilometres north of the launch above.
    private static func lesson(
        _ number: Int = 0, type: SondeType = .rs41, north: Double = 0, isLaunchKnown: Bool = true,
        rate: Double? = 7, burst: Double? = 33_000, ground: Double = 600
    ) -> FlightLesson {
        let place = launch.moved(east: 0, north: north * 1000)
        guard let serial = SondeSerial(name: "T\(number)", type: .rs41) else { preconditionFailure("a valid serial") }
        return FlightLesson(
            serial: serial, sondeType: type,
            at: WallTime(millisecondsSince1970: Script.noon - Int64(number) * 86_400_000),
            launch: isLaunchKnown ? place : nil, landing: FlightLesson.Landing(place, altitudeMetres: ground),
            burstMetres: burst, descentRate: rate)
    }

    /// A lesson -> the expected descent rate of an RS41 from this launch.
    @Test(
        arguments: [
            ([], nil), ([(5, .rs41, 0), (6, .rs41, 0), (6, .rs41, 0), (6, .rs41, 0)], nil),
            ([(5, .rs41, 0), (6, .rs41, 0), (9, .rs41, 0), (6, .rs41, 0), (6, .rs41, 0)], 6),
            ([(5, .rs41, 0), (6, .rs41, 49), (9, .rs41, -49), (6, .rs41, 0), (6, .rs41, 0)], 6),
            ([(5, .rs41, 0), (6, .rs41, 51), (9, .rs41, 0), (6, .rs41, 0), (6, .rs41, 0)], nil),
            ([(5, .rs41, 0), (6, .m20, 0), (9, .rs41, 0), (6, .rs41, 0), (6, .rs41, 0)], nil),
            ([(5, .rs41, 0), (6, .rs41, 0), (1, .m20, 0), (7, .rs41, 0), (9, .rs41, 0), (7, .rs41, 0)], 7),
        ] as [([(Double, SondeType, Double)], Double?)])
    func medians(_ flights: [(Double, SondeType, Double)], _ rate: Double?) {
        let book = LessonBook(
            flights.enumerated().map {
                Self.lesson($0, type: $1.1, north: $1.2, rate: $1.0, burst: $1.0 * 5000)
            })
        #expect(book.descentRate(of: .rs41, from: Self.launch) == rate)
        let bursts = book.bursts(of: .rs41, from: Self.launch)
        #expect((bursts.isEmpty ? nil : bursts.median) == rate.map { $0 * 5000 })
        #expect(book.descentRate(of: nil, from: Self.launch) == nil)
        #expect(book.descentRate(of: .rs41, from: nil) == nil)
    }

    /// The balloon's altitude -> the expected burst: the median of those above it. Three low bursts say nothing to a
    /// balloon that has passed them.
    @Test(
        arguments: [
            (0, 31_000), (18_500, 33_000), (31_500, 33_000), (33_500, 34_000), (34_000, 35_500), (34_500, 36_000),
        ] as [(Double, Double)])
    func theBurstIsConditional(_ metres: Double, _ expected: Double) {
        let bursts = [18_000.0, 18_500, 19_000, 31_000, 33_000, 33_000, 34_000]
        let book = LessonBook(bursts.enumerated().map { Self.lesson($0, burst: $1) })
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: Script.noon), coordinate: Self.launch, altitudeMetres: 500,
            source: .ble)
        let learned = LearnedParameters(book, for: nil, .rs41, from: point, at: point, by: RunClock())
        #expect(learned.burstMetres(above: metres) == expected)
    }

    /// Where at least two flights began, sondes start. A place with one may be where a sonde was first heard.
    @Test func launchPlaces() {
        let book = LessonBook([0, 1.5, 30, 80, 80.2].enumerated().map { Self.lesson($0, north: $1) })
        #expect(book.launchPlaces.count == 2)
        #expect(
            book.launchPlaces.allSatisfy { place in
                let kilometres = place.distanceMetres(to: Self.launch) / 1000
                return kilometres < 2 || (79...81).contains(kilometres)
            })
        #expect(book.hasLanding(of: SondeSerial(name: "T3", type: .rs41)))
        #expect(!book.hasLanding(of: SondeSerial(name: "T9", type: .rs41)) && !book.hasLanding(of: nil))
    }

    /// Only the last 20 lessons of this type and launch are used. Lessons without a rate don't count.
    @Test func theLastTwenty() {
        var lessons = (0..<20).map { Self.lesson($0, rate: 8) } + (20..<50).map { Self.lesson($0, rate: 5) }
        #expect(LessonBook(lessons).descentRate(of: .rs41, from: Self.launch) == 8)
        for index in 0..<18 { lessons[index].descentRate = nil }
        #expect(LessonBook(lessons).descentRate(of: .rs41, from: Self.launch) == 5)
        let nowhere = (0..<9).map { Self.lesson($0, isLaunchKnown: false) }
        #expect(LessonBook(nowhere).descentRate(of: .rs41, from: Self.launch) == nil)
    }

    // MARK: - Through the machine

    private static func memory(_ lessons: [FlightLesson]) -> GatewayMemory {
        var memory = GatewayMemory()
        memory.lessons = lessons
        return memory
    }

    private static func inputs(
        _ lessons: [FlightLesson], altitude: Double = 500, ground: Double? = nil, carMetres: Double? = nil
    ) throws -> LandingPrediction.Inputs {
        var options = PredictionOptions.ownWindsOnly
        options.groundAltitudeMetres = ground
        var chased = Chased(altitude: altitude, prediction: options, memory: memory(lessons))
        chased.latitude = launch.latitude
        if let carMetres { chased.script.fix(at: launch, altitude: carMetres) }
        chased.go(70, up: 5)
        return try #require(chased.prediction).forecast.prediction.inputs
    }

    /// A flight launched nearby uses the learned rate and burst altitude; another one uses the configured values.
    @Test func theNextFlightUsesTheParameters() throws {
        let here = Coordinate(latitude: launchLatitude, longitude: 8.54)
        let lessons = (0..<5).map { number -> FlightLesson in
            var lesson = Self.lesson(number, rate: 8, burst: 25_000)
            lesson.launch = here
            return lesson
        }
        let taught = try Self.inputs(lessons)
        #expect(taught.descentRate == 8 && taught.burstAltitudeMetres == 25_000)
        let alone = try Self.inputs(Array(lessons.dropLast()))
        #expect(alone.descentRate == 6 && alone.burstAltitudeMetres == 33_000)
        // Most receivers hear a sonde only when it is high.
        let high = try Self.inputs(lessons, altitude: 4000)
        #expect(high.descentRate == 8 && high.burstAltitudeMetres == 25_000)
    }

    /// The store opens after the first frames. Its lessons are used at once, and none is used after they are deleted.
    @Test func lessonsThatComeLate() throws {
        var lessons = (0..<5).map { Self.lesson($0, rate: 8, burst: 25_000, ground: 410) }
        for index in lessons.indices { lessons[index].launch = Coordinate(latitude: launchLatitude, longitude: 8.54) }
        lessons[0].landing?.coordinate = Coordinate(latitude: launchLatitude, longitude: 8.54)
        var chased = Chased(prediction: .ownWindsOnly)
        chased.latitude = launchLatitude
        chased.go(70, up: 5)
        let inputs = { (chased: Chased) in chased.prediction?.forecast.prediction.inputs }
        #expect(inputs(chased)?.descentRate == 6)
        chased.script.run(.recalled(Self.memory(lessons)))
        let taught = try #require(inputs(chased))
        #expect(taught.descentRate == 8 && taught.burstAltitudeMetres == 25_000)
        #expect(taught.groundMetres == 410 && taught.groundOrigin == .landing)
        chased.script.command("{\"forget\":\"lessons\"}")
        #expect(inputs(chased)?.descentRate == 6)
    }

    /// The flight's own lessons say nothing to itself; an earlier flight of the same sonde does.
    @Test func aFlightDoesNotTeachItself() {
        let noon = WallTime(millisecondsSince1970: Script.noon)
        let point = TrackPoint(time: noon, coordinate: Self.launch, altitudeMetres: 500, source: .ble)
        let book = LessonBook((0..<5).map { Self.lesson($0, rate: 7) })
        let own = LearnedParameters(
            book, for: SondeSerial(name: "T0", type: .rs41), .rs41, from: point, at: point, by: RunClock())
        #expect(own.descentRate == nil)
        let again = LearnedParameters(
            book, for: SondeSerial(name: "T1", type: .rs41), .rs41, from: point, at: point, by: RunClock())
        #expect(again.descentRate == 7)
    }

    private var launchLatitude: Double { Self.launch.latitude }

    /// When the gap's points show where the flight began, the lessons are looked up again.
    @Test func theLaunchIsLearntLater() throws {
        let here = Coordinate(latitude: launchLatitude, longitude: 8.54)
        let lessons = (0..<5).map { number -> FlightLesson in
            var lesson = Self.lesson(number, rate: 8, burst: 25_000)
            lesson.launch = here.moved(east: 0, north: -60_000)
            return lesson
        }
        var options = PredictionOptions()
        options.asksTawhiri = false
        var chased = Chased(
            altitude: 4000, prediction: options, sondeHub: SondeHubOptions.payerne, memory: Self.memory(lessons))
        chased.latitude = launchLatitude
        let begin = chased.go(70, up: 5)
        #expect(chased.prediction?.forecast.prediction.inputs.descentRate == 6)
        let track = (1...60).map { step -> SondeHubRecord in
            var record = chased.record(at: -100 - Double(step) * 10)
            record.altitudeMetres = 4000 - Double(step) * 55
            record.coordinate = record.coordinate.moved(east: 0, north: -1000 * Double(step))
            return record
        }
        chased.script.answerTrack(begin.tracks.first?.id, track)
        chased.go(5, up: 5)
        #expect(chased.prediction?.forecast.prediction.inputs.descentRate == 8)
    }

    /// The ground's altitude: the configured one, else that of the newest landing within 50 km, else the car's, else
    /// the launch's.
    @Test func ground() throws {
        let near = Coordinate(latitude: launchLatitude, longitude: 8.54)
        func landed(_ metres: Double, north: Double, daysAgo: Int) -> FlightLesson {
            var lesson = Self.lesson(daysAgo, ground: metres)
            lesson.landing?.coordinate = near.moved(east: 0, north: north * 1000)
            return lesson
        }
        let lessons = [
            landed(300, north: 60, daysAgo: 1), landed(410, north: 40, daysAgo: 2), landed(420, north: 1, daysAgo: 3),
        ]
        // The ground is never above the lowest point heard.
        #expect(try Self.inputs(lessons, ground: 200).groundMetres == 200)
        #expect(try Self.inputs(lessons, ground: 900).groundMetres == 505)
        #expect(try Self.inputs(lessons, carMetres: 350).groundMetres == 410)
        #expect(try Self.inputs([lessons[0]], carMetres: 350).groundMetres == 350)
        #expect(try Self.inputs([lessons[0]]).groundMetres == 505)
        // The first altitude, 8 km, is not the ground.
        #expect(try Self.inputs([], altitude: 8000).groundMetres == 0)
    }

    /// The ground comes from landings near the sonde, not near its launch.
    @Test func theGroundBelow() throws {
        let start = Coordinate(latitude: launchLatitude, longitude: 8.54)
        let lessons = [0.0, 100].map { north -> FlightLesson in
            var lesson = Self.lesson(Int(north), ground: 400 - north)
            lesson.landing?.coordinate = start.moved(east: 0, north: north * 1000)
            return lesson
        }
        var chased = Chased(prediction: .ownWindsOnly, memory: Self.memory(lessons))
        chased.latitude = launchLatitude
        chased.go(70, up: 5)
        #expect(chased.prediction?.forecast.prediction.inputs.groundMetres == 400)
        chased.go(800, up: 5, north: 100, every: 4)
        #expect(chased.prediction?.forecast.prediction.inputs.groundMetres == 300)
    }

    /// A landing teaches the next sonde without a restart.
    @Test func learntWithoutARestart() throws {
        var chased = Chased(altitude: 3000, prediction: .ownWindsOnly)
        chased.fall(to: 700, rate: 8)
        #expect(chased.go(60, north: 0).told(.landed).count == 1)
        for _ in 0..<4 {
            chased.script.wait(1)
            chased.script.frame(
                Script.position("V9", frequency: "404.000", latitude: "47.1", altitude: 2000))
        }
        #expect(chased.script.serial == "V9")
        var next = Chased("V9", altitude: 2000, prediction: .ownWindsOnly)
        next.script = chased.script
        next.latitude = 47.1
        next.go(70, up: 5)
        let ground = try #require(next.prediction?.forecast.prediction.inputs.groundMetres)
        #expect(abs(ground - 700) < 20)
    }
}
