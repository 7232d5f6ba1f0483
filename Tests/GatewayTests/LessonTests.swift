import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The lesson of a flight, with or without a landing.
@Suite struct LessonTests {
    private static func lessons(_ outcome: Script.Outcome) -> [FlightLesson] {
        outcome.entries.compactMap { if case .lesson(_, let lesson) = $0 { lesson } else { nil } }
    }

    private static func lesson(
        burst: Double? = nil, rate: Double? = nil, hours: Double = 0, hasLanded: Bool = false
    ) throws -> FlightLesson {
        let place = Coordinate(latitude: 47, longitude: 8)
        return FlightLesson(
            serial: try #require(SondeSerial(name: "V1", type: .rs41)), sondeType: .rs41,
            at: WallTime(millisecondsSince1970: Script.noon).advanced(by: .seconds(hours * 3600)), launch: place,
            landing: hasLanded ? FlightLesson.Landing(place, altitudeMetres: 500) : nil, burstMetres: burst,
            descentRate: rate)
    }

    /// A seen burst teaches its altitude, and a fall of 8 km teaches the descent rate, even if nobody saw the landing.
    @Test func aFlightThatIsLostTeaches() throws {
        var chased = Chased(altitude: 20_000, prediction: .ownWindsOnly)
        #expect(Self.lessons(chased.go(100, up: 5)).isEmpty)
        let early = Self.lessons(chased.fall(to: 16_000))
        #expect(early.count == 1 && early[0].landing == nil && early[0].descentRate == nil)
        #expect(abs((early[0].burstMetres ?? 0) - 20_500) < 10)
        let late = Self.lessons(chased.fall(to: 9000))
        let last = try #require(late.last)
        #expect(last.landing == nil && last.burstMetres == early[0].burstMetres)
        #expect(abs((last.descentRate ?? 0) - 6) < 0.2)
    }

    /// A fall whose burst nobody heard teaches the rate after 8 km.
    @Test func aFallTeachesTheRate() throws {
        var chased = Chased(altitude: 20_000, prediction: .ownWindsOnly)
        #expect(Self.lessons(chased.fall(to: 12_500, rate: 8)).isEmpty)
        let lesson = try #require(Self.lessons(chased.fall(to: 9000, rate: 8)).last)
        #expect(lesson.burstMetres == nil && abs((lesson.descentRate ?? 0) - 8) < 0.1)
    }

    /// A later lesson of a flight is news only if it teaches more. After the landing no lesson is news.
    @Test func news() throws {
        var book = LessonBook()
        let table: [(FlightLesson, Bool)] = [
            (try Self.lesson(), false), (try Self.lesson(burst: 30_000), true), (try Self.lesson(burst: 30_000), false),
            (try Self.lesson(burst: 30_000, rate: 7), true), (try Self.lesson(burst: 30_000, rate: 7.01), false),
            (try Self.lesson(burst: 30_000, rate: 7.1), true),
            (try Self.lesson(burst: 30_000, rate: 7.1, hasLanded: true), true),
            (try Self.lesson(burst: 30_100, rate: 8, hasLanded: true), false),
            (try Self.lesson(burst: 31_000, hours: 24), true),
        ]
        for (index, (lesson, isNews)) in table.enumerated() {
            #expect(book.add(lesson, by: RunClock()) == isNews, "row \(index)")
        }
        let expected = try #require(book.expectations.first)
        #expect(book.expectations.count == 1 && expected.burstMetres?.value == 30_500)
        #expect(expected.burstMetres?.flights == 2 && expected.burstMetres?.isUsed == false)
        #expect(expected.descentRate == LearnedExpectation.Median(value: 7.1, flights: 1, isUsed: false))
    }

    /// A sonde that was found flies again on the same day, and each flight teaches. A sonde that is heard again after
    /// its landing teaches nothing new. After a restart the beginning of the first flight is unknown.
    @Test(arguments: [false, true]) func twoFlightsOfOneSonde(_ isRestarted: Bool) throws {
        let noon = WallTime(millisecondsSince1970: Script.noon)
        var first = try Self.lesson(burst: 30_000, hasLanded: true)
        first.begunAt = isRestarted ? nil : noon.advanced(by: .seconds(-7200))
        var (clock, moment) = (RunClock(), Script().now)
        moment.wall = noon.advanced(by: .seconds(1))
        clock.follow(moment)
        var book = LessonBook(isRestarted ? [first] : [])
        if !isRestarted { #expect(book.add(first, by: clock) == true) }
        var again = first
        again.begunAt = noon.advanced(by: .seconds(-600))
        again.at = noon.advanced(by: .seconds(20))
        #expect(book.add(again, by: clock) == false)
        var second = try Self.lesson(burst: 31_000, hours: 3)
        second.begunAt = noon.advanced(by: .seconds(3600))
        #expect(book.add(second, by: clock) == true)
        second.landing = first.landing
        second.at = noon.advanced(by: .seconds(4 * 3600))
        for isNews in [true, false] { #expect(book.add(second, by: clock) == isNews) }
        #expect(book.expectations.first?.burstMetres?.flights == 2)
        // The clock is set: the second flight's next lesson is still its own.
        moment.wall = moment.wall.advanced(by: .seconds(7200))
        clock.follow(moment)
        second.begunAt = second.begunAt?.advanced(by: .seconds(7200))
        second.at = second.at.advanced(by: .seconds(7200))
        #expect(book.add(second, by: clock) == false)
    }

    /// A sonde flies twice within two hours, and is carried home in between. Both landings are stored.
    @Test func aSondeThatFliesTwice() throws {
        var chased = Chased(prediction: .ownWindsOnly)
        var outcome = Script.Outcome()
        for top in [2000, 2500] {
            outcome += chased.go(60, north: 0) + chased.go(top / 5, up: 5)
            outcome += chased.fall(to: 500, rate: 6) + chased.go(90, north: 0)
            outcome += chased.go(600, north: -8)
        }
        let lessons = Self.lessons(outcome).filter { $0.landing != nil }
        #expect(lessons.count == 2)
        #expect(lessons.map { ($0.burstMetres ?? 0) > 2700 } == [false, true])
        let winds = outcome.entries.compactMap { if case .winds(let winds) = $0 { winds.begunAt } else { nil } }
        #expect(Set(winds).count == 2)
    }

    /// By command the lessons are forgotten, in the store and in this flight.
    @Test func lessonsAreForgotten() throws {
        var memory = GatewayMemory()
        memory.lessons = try (0..<5).map { number in
            var lesson = try Self.lesson(burst: 25_000, rate: 9, hours: Double(-24 * number))
            lesson.launch = Coordinate(latitude: 47, longitude: 8.54)
            return lesson
        }
        var chased = Chased(prediction: .ownWindsOnly, memory: memory)
        chased.go(70, up: 5)
        #expect(chased.prediction?.forecast.prediction.inputs.descentRate == 9)
        let outcome = chased.script.command("{\"forget\":\"lessons\"}")
        #expect(outcome.answers == ["done!"])
        #expect(outcome.entries.contains(.lessonsForgotten))
        chased.go(5, up: 5)
        #expect(chased.prediction?.forecast.prediction.inputs.descentRate == 6)
    }
}
