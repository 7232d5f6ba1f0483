import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// The times of the polls of SondeHub, and their questions.
@Suite struct SondeHubPollTests {
    /// A poll, its clock and its calls.
    private struct Bench {
        var poll: SondeHubPoll
        var calls = Calls()
        var now = MonotonicTime.zero
        private var call: CallID?
        var site: String? = "06610"

        init(_ options: SondeHubOptions = SondeHubOptions.payerne, isOn: Bool = true) {
            poll = SondeHubPoll(options)
            if isOn { poll.setOn(true, at: now) }
        }

        /// - Returns: the question of the poll that is due; nil if none is due.
        mutating func ask(around place: Coordinate? = nil, hunted: SondeSerial? = nil) -> SondeHubQuery? {
            let moment = Moment(monotonic: now, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
            var turn = Turn(at: moment, calls: calls)
            poll.begin(SondeHubPoll.Aims(site: site, place: place, hunted: hunted), &turn)
            calls = turn.calls
            let poll = Script.Outcome(actions: turn.actions).polls.first
            call = poll?.id ?? call
            return poll?.query
        }

        /// Answers the poll with the age of the newest usable frame; nil for none.
        mutating func answer(_ age: Double?, canAskArea: Bool = false, isHunting: Bool = false) {
            take(.sondes(SondeHubAnswer(records: [])))
            poll.succeeded(
                newest: age.map { .seconds($0) }, canAskArea: canAskArea, isHunting: isHunting, at: now)
        }

        mutating func fail(_ error: OnlineServiceError) {
            take(.failed(error))
            poll.failed(at: now)
        }

        /// The call that is out has this answer.
        mutating func take(_ answer: Answer) {
            guard let call else { return }
            let moment = Moment(monotonic: now, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
            var turn = Turn(at: moment, calls: calls)
            _ = poll.take(Reply(id: call, answer: answer), &turn)
        }

        /// Seconds until the next poll is due.
        var wait: Double? { poll.dueAt.map { $0.duration(since: now).inSeconds } }

        mutating func passToNext() { now = poll.dueAt ?? now }
    }

    private static let place = Coordinate(latitude: 47, longitude: 8)

    /// Age of the newest frame -> seconds to the next poll, within ± 10 %.
    @Test(
        arguments: [
            (0, 15), (119, 15), (120, 15), (121, 300), (1800, 300), (1801, 900), (90_000, 900), (nil, 300),
        ] as [(Double?, Double)])
    func interval(_ age: Double?, _ interval: Double) throws {
        var bench = Bench()
        #expect(bench.wait == 0)
        #expect(bench.ask() == .site("06610"))
        #expect(bench.ask() == nil, "one at a time")
        bench.now = bench.now.advanced(by: .seconds(0.7))
        bench.answer(age)
        #expect(bench.poll.interval == .seconds(interval))
        #expect(abs(try #require(bench.wait) - interval) <= interval * 0.1001)
    }

    /// Age of the newest usable frame, of a test on the ground -> seconds to the next poll.
    @Test(
        arguments: [
            (nil, 3, 15), (nil, 121, 300), (nil, 9000, 300), (9000, 3, 15), (9000, 200, 300), (3, 9000, 15),
        ] as [(Double?, Double, Double)])
    func aTestOnTheGroundCountsForTheInterval(_ age: Double?, _ test: Double, _ interval: Double) throws {
        var bench = Bench()
        _ = bench.ask()
        bench.take(.sondes(SondeHubAnswer(records: [])))
        bench.poll.succeeded(
            newest: age.map { .seconds($0) }, groundTest: .seconds(test), canAskArea: false, isHunting: false,
            at: bench.now)
        #expect(abs(try #require(bench.wait) - interval) <= interval * 0.1001)
    }

    @Test func jitterSpreads() {
        let waits = (0..<200).compactMap { index in
            var bench = Bench()
            _ = bench.ask()
            bench.now = MonotonicTime(nanoseconds: Int64(index) * 7_919_000)
            bench.answer(0)
            return bench.wait
        }
        #expect(waits.count == 200)
        #expect((waits.min() ?? 0) >= 13.499 && (waits.min() ?? 0) < 13.8)
        #expect((waits.max() ?? 0) <= 16.5 && (waits.max() ?? 0) > 16.2)
    }

    @Test func offMeansNoCallAtAll() {
        var bench = Bench(.off)
        #expect(bench.poll.dueAt == nil)
        bench.now = bench.now.advanced(by: .seconds(9999))
        #expect(bench.ask() == nil)
        #expect(bench.poll.errand.count == 0)
    }

    @Test func turnedOnItAsksAtOnce() {
        var bench = Bench()
        _ = bench.ask()
        bench.answer(90_000)
        bench.poll.setOn(false, at: bench.now)
        #expect(bench.poll.dueAt == nil)
        bench.now = bench.now.advanced(by: .seconds(2))
        bench.poll.setOn(true, at: bench.now)
        #expect(bench.wait == 0)
    }

    @Test func theAreaIsAskedWhenTheSiteKnowsNone() {
        var bench = Bench()
        #expect(bench.ask(around: Self.place) == .site("06610"))
        bench.answer(nil, canAskArea: true)
        #expect(bench.ask(around: Self.place) == .area(Self.place, radiusMetres: 400_000))
        bench.answer(10, canAskArea: true)
        bench.passToNext()
        #expect(bench.ask(around: Self.place) == .area(Self.place, radiusMetres: 400_000), "who answers is asked on")
        bench.answer(nil, canAskArea: true)
        bench.passToNext()
        #expect(bench.ask(around: Self.place) == .site("06610"))
    }

    /// If neither the site nor the area has the hunted sonde, it is asked for by its serial, at most every 30 s. In an
    /// earlier version it never was.
    @Test func aHuntedSondeThatNobodyShowsIsAskedForByItself() throws {
        let hunted = try #require(SondeSerial(name: "V9", type: .rs41))
        var bench = Bench()
        #expect(bench.ask(around: Self.place, hunted: hunted) == .site("06610"))
        bench.answer(nil, canAskArea: true, isHunting: true)
        #expect(bench.ask(around: Self.place, hunted: hunted) == .area(Self.place, radiusMetres: 400_000))
        bench.answer(nil, canAskArea: true, isHunting: true)
        #expect(bench.ask(around: Self.place, hunted: hunted) == .sonde(hunted))
        var asked: [MonotonicTime] = [bench.now]
        // The sonde is found and asked for in the same way again; then it is missing for a while.
        for age in [1, 2, nil, nil, nil, 3] as [Double?] {
            bench.answer(age, canAskArea: true, isHunting: true)
            var query: SondeHubQuery?
            repeat {
                bench.passToNext()
                query = bench.ask(around: Self.place, hunted: hunted)
                if query != .sonde(hunted) { bench.answer(nil, canAskArea: true, isHunting: true) }
            } while query != .sonde(hunted)
            asked.append(bench.now)
        }
        for (earlier, later) in zip(asked, asked.dropFirst()) {
            #expect(later.duration(since: earlier) >= .seconds(27), "30 s less the jitter")
            #expect(later.duration(since: earlier) <= .seconds(70))
        }
    }

    /// The configured site, the place, the hunted sonde -> the questions of four polls without a sonde. A question that
    /// can't be asked is left out.
    @Test(
        arguments: [
            (nil, true, false, "area area area area"), (nil, false, true, "sonde sonde sonde sonde"),
            (nil, true, true, "area sonde area sonde"), ("06610", false, false, "site site site site"),
            ("06610", true, false, "site area site area"), (nil, false, false, ""),
        ] as [(String?, Bool, Bool, String)])
    func whatCanBeAsked(_ site: String?, _ isPlaceKnown: Bool, _ isHunting: Bool, _ questions: String) throws {
        let hunted = isHunting ? SondeSerial(name: "V9", type: .rs41) : nil
        var bench = Bench()
        bench.site = site
        var asked: [String] = []
        for _ in 0..<4 {
            switch bench.ask(around: isPlaceKnown ? Self.place : nil, hunted: hunted) {
            case .site: asked.append("site")
            case .area: asked.append("area")
            case .sonde: asked.append("sonde")
            case .dayAround, nil: continue
            }
            bench.answer(nil, canAskArea: isPlaceKnown, isHunting: isHunting)
            bench.passToNext()
        }
        #expect(asked.joined(separator: " ") == questions)
    }

    /// A newcomer has no site. As soon as somebody says where the receiver is, SondeHub is asked.
    @Test func nothingIsAskedUntilSomebodySaysWhere() {
        var bench = Bench()
        bench.site = nil
        bench.poll.follow(canAsk: false, at: bench.now)
        #expect(bench.poll.dueAt == nil && bench.ask() == nil)
        bench.now = bench.now.advanced(by: .seconds(100))
        bench.poll.follow(canAsk: true, at: bench.now)
        #expect(bench.wait == 0)
        #expect(bench.ask(around: Self.place) == .area(Self.place, radiusMetres: 400_000))
    }

    /// Failures in a row -> the wait; `Retry-After` is honoured.
    @Test func errorsBackOff() throws {
        var bench = Bench()
        for expected in [15.0, 30, 60, 120, 240, 300, 300, 300] {
            #expect(bench.ask() != nil)
            bench.fail(OnlineServiceError(.timedOut, ""))
            #expect(abs(try #require(bench.wait) - expected) <= expected * 0.1001)
            bench.passToNext()
        }
        _ = bench.ask()
        bench.fail(OnlineServiceError(.rateLimited, "", retryAfter: .seconds(900)))
        #expect(bench.wait == 900)
        bench.poll.setOn(false, at: bench.now)
        bench.poll.setOn(true, at: bench.now)
        #expect(bench.wait == 900, "turning it on again is no way round Retry-After")
    }

    /// Gap in seconds -> the requested duration.
    @Test(
        arguments: [
            (0, "15s"), (15, "15s"), (16, "1m"), (61, "30m"), (1801, "1h"), (10_800, "3h"), (10_801, "6h"),
            (90_000, "3d"), (999_999, "3d"),
        ] as [(Double, String)])
    func durationCoversTheGap(_ gap: Double, _ duration: String) {
        #expect(TrackDuration.covering(.seconds(gap)).rawValue == duration)
    }
}
