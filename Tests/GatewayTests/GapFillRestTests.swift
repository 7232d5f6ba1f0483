import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// What an answer from a cache leaves open is asked for again.
@Suite struct GapFillRestTests {
    /// A gap fill with its clock. The sonde sends once a second; second 0 is noon.
    private struct Fetches {
        var fill = GapFill()
        var clocks = StationClocks()
        var calls = Calls()
        var second = 0
        /// The calls that were made: when, and for which duration.
        private(set) var made: [(at: Int, duration: TrackDuration)] = []
        private(set) var isAsking = false
        private var call = CallID(0)

        static func time(_ second: Int) -> WallTime {
            WallTime(millisecondsSince1970: Script.noon + Int64(second) * 1000)
        }

        mutating func step(_ body: (inout GapFill, inout StationClocks, inout Turn) -> Void = { _, _, _ in }) {
            let serial = Script.record("V1").serial
            let now = Moment(
                monotonic: .zero.advanced(by: .seconds(second)), wall: Self.time(second), isClockSynced: true)
            var turn = Turn(at: now, calls: calls)
            body(&fill, &clocks, &turn)
            fill.timePassed(serial, &turn)
            fill.askForWanted(of: serial, newest: nil, &turn)
            calls = turn.calls
            for case .call(let id, .track(_, let duration)) in turn.actions {
                made.append((second, duration))
                (call, isAsking) = (id, true)
            }
        }

        /// The gap lasts from 100 to 160, and SondeHub is asked at 160.
        static var ofAGap: Fetches {
            var fetches = Fetches()
            fetches.second = 160
            fetches.lose(100, 160)
            return fetches
        }

        /// Whether nothing before this second is missing.
        func isKnown(until second: Int) -> Bool {
            fill.known.oldestHole(in: .min..<Self.time(second).wholeSeconds) == nil
        }

        /// The receiver has heard the sonde until `start`, and again at `end`.
        /// - Parameter known: from when on it has heard it; nil if all before is known.
        mutating func lose(_ start: Int, _ end: Int, heardFrom known: Int? = nil) {
            step { fill, _, _ in
                let (start, again) = (Self.time(start).wholeSeconds, Self.time(end).wholeSeconds)
                fill.known.insert((known.map { Self.time($0).wholeSeconds } ?? .min)..<start + 1)
                fill.known.insert(again..<again + 1)
                fill.want(until: Self.time(end))
            }
        }

        /// The live stream delivers a frame.
        mutating func stream(mayMissSome: Bool) {
            let now = Self.time(second)
            step { fill, _, turn in
                fill.streamed(from: now, through: now, mayMissSome: mayMissSome, at: turn.now.monotonic)
            }
        }

        /// Answers with the seconds of a range.
        mutating func answer(_ range: Range<Int>, _ error: OnlineServiceError? = nil) {
            isAsking = false
            let end = Reply(id: call, answer: error.map { .failed($0) } ?? .trackEnd)
            let records = range.map { Script.record("V1", at: Double($0), latitude: 47 + Double($0) * 1e-5) }
            step { fill, clocks, turn in
                fill.collect(records)
                _ = fill.take(end, &turn)
                _ = fill.ended(error, by: &clocks, heard: ReceiverTimes(track: []), &turn)
            }
        }

        /// Lets time pass. Each call is answered at once with a range, or with an error.
        mutating func wait(_ seconds: Int, _ answer: (Int) -> Range<Int>, _ error: OnlineServiceError? = nil) {
            for _ in 0..<seconds {
                second += 1
                step()
                if isAsking { self.answer(answer(second), error) }
            }
        }
    }

    private static let empty: @Sendable (Int) -> Range<Int> = { _ in 0..<0 }
    private static let unreachable = OnlineServiceError(.unreachable, "no network")

    /// Times are in seconds. The gap lasts from 100 to 160, and SondeHub is asked at 160.
    struct Answered: Sendable {
        /// The first answer's seconds, and how old later answers are.
        let first: Range<Int>
        let age: Int
        /// When SondeHub is asked.
        let asked: [Int]
    }

    @Test(arguments: [
        // The answer reaches the gap's end, or passes it.
        Answered(first: 100..<160, age: 0, asked: [160]), Answered(first: 90..<180, age: 0, asked: [160]),
        // The last second before the end is there, or is missing.
        Answered(first: 100..<159, age: 60, asked: [160, 460]),
        // An answer of a minute ago, and of two minutes ago.
        Answered(first: 40..<100, age: 60, asked: [160, 460]), Answered(first: 0..<40, age: 120, asked: [160, 460]),
        // SondeHub does not know the sonde, or no longer hears it.
        Answered(first: 0..<0, age: 1000, asked: [160, 460, 760]),
        Answered(first: 100..<130, age: 1000, asked: [160, 460, 760]),
    ])
    func theRestIsAskedForAgain(_ answered: Answered) {
        var fetches = Fetches.ofAGap
        fetches.answer(answered.first)
        fetches.wait(3600) { max(0, $0 - 1800)..<max(0, $0 - answered.age) }
        #expect(fetches.made.map(\.at) == answered.asked)
    }

    /// Each series of failures has five attempts. After three of them the gap is given up. What came of a track that was
    /// cut does not close the gap.
    @Test(arguments: [0..<0, 0..<160]) func failuresKeepTheGapOpen(_ came: Range<Int>) {
        var fetches = Fetches.ofAGap
        fetches.answer(came, Self.unreachable)
        fetches.wait(7200, { _ in came }, Self.unreachable)
        #expect(fetches.made.count == TrackDownload.mostAttempts * GapFill.mostRounds)
        let first = fetches.made.prefix(TrackDownload.mostAttempts)
        let pause = fetches.made[TrackDownload.mostAttempts].at - (first.last?.at ?? 0)
        #expect(pause >= 300)
    }

    @Test func aFailedSeriesIsMadeGood() {
        var fetches = Fetches.ofAGap
        fetches.answer(0..<0, Self.unreachable)
        fetches.wait(400, Self.empty, Self.unreachable)
        fetches.wait(3600) { max(0, $0 - 1800)..<($0 - 1) }
        #expect(fetches.made.count == TrackDownload.mostAttempts + 1)
        #expect(fetches.isKnown(until: 161))
    }

    /// When the stream delivers again, the network is back. A limit that SondeHub has set is kept.
    @Test(arguments: [(OnlineServiceError.Code.unreachable, 1), (.timedOut, 1), (.rateLimited, 0)])
    func theNextAttemptComesWithTheNetwork(_ code: OnlineServiceError.Code, _ calls: Int) {
        var fetches = Fetches.ofAGap
        fetches.answer(0..<0, OnlineServiceError(code, "no answer"))
        fetches.second += 3
        fetches.stream(mayMissSome: true)
        #expect(fetches.made.count == 1 + calls)
    }

    /// The sign-in page of a Wi-Fi answers with a redirect or a refusal. After it the gap is filled.
    @Test(arguments: [OnlineServiceError.Code.refused, .redirect, .tooLarge])
    func aRefusalLeavesTheGapOpen(_ code: OnlineServiceError.Code) {
        var fetches = Fetches.ofAGap
        fetches.answer(0..<0, OnlineServiceError(code, "not here"))
        fetches.wait(3600, Self.empty)
        #expect(fetches.made.map(\.at) == [160, 460, 760])
        fetches.second = 5000
        fetches.lose(4900, 5000)
        fetches.answer(0..<0, OnlineServiceError(code, "not here"))
        fetches.wait(3600) { max(0, $0 - 1800)..<($0 - 1) }
        #expect(fetches.made.map(\.at).suffix(2) == [5000, 5300])
    }

    /// The clock of a box without a battery is set again and again by SondeHub's answers. A small step measures no gap
    /// anew, and a large one not twice in 5 min.
    @Test(arguments: [(Int64(-3500), 1), (3500, 1), (600_000, 2)])
    func aClockThatMovesAsksForNothingTwice(_ milliseconds: Int64, _ calls: Int) {
        var fetches = Fetches.ofAGap
        for number in 0..<50 {
            fetches.second += 4
            let change = number.isMultiple(of: 2) ? milliseconds : -milliseconds
            fetches.step { fill, _, _ in fill.clockSet(ClockStep(byMilliseconds: change, since: Fetches.time(0))) }
        }
        #expect(fetches.made.count == calls)
    }

    /// The clock is set by more than the length of the hole that is being fetched: the hole moves as a whole.
    @Test(arguments: [Int64(20_000), -20_000]) func aShortHoleMovesWithTheClock(_ change: Int64) {
        var fetches = Fetches()
        fetches.second = 105
        fetches.lose(100, 105)
        fetches.step { fill, _, _ in fill.clockSet(ClockStep(byMilliseconds: change, since: Fetches.time(0))) }
        fetches.answer(60..<130)
        #expect(fetches.made.count == 1 && fetches.isKnown(until: 130))
    }

    /// The gateway comes back to the sonde while the rest of a gap waits: one call fetches the rest and what was missed.
    @Test func whatFallsDueTogetherIsOneCall() {
        var fetches = Fetches.ofAGap
        fetches.answer(40..<130)
        fetches.wait(40, Self.empty)
        fetches.step { fill, _, turn in fill.leave(&turn) }
        fetches.second += 100
        fetches.step { fill, _, _ in fill.comeBack() }
        fetches.wait(600) { max(0, $0 - 1800)..<$0 }
        #expect(fetches.made.map(\.at) == [160, 460] && fetches.isKnown(until: 458))
    }

    /// The stream is lost every 40 s. The first loss is fetched at once, the others with one call in 5 min.
    @Test func laterLossesAreFetchedTogether() {
        var fetches = Fetches()
        fetches.fill.known.insert(.min..<Fetches.time(0).wholeSeconds)
        for _ in 0..<30 {
            fetches.stream(mayMissSome: false)
            fetches.wait(20) { max(0, $0 - 1800)..<max(0, $0 - 119) }
            fetches.stream(mayMissSome: true)
            if fetches.isAsking { fetches.answer(0..<max(0, fetches.second - 119)) }
            fetches.wait(20) { max(0, $0 - 1800)..<max(0, $0 - 119) }
        }
        let times = fetches.made.map(\.at)
        #expect(times.first == 20 && times.count <= 5)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 300 }, "\(times)")
        fetches.wait(3600) { max(0, $0 - 1800)..<max(0, $0 - 119) }
        #expect(fetches.made.count <= 7)
    }

    /// A gap of the receiver is fetched at once, although an older rest is open. The rest keeps its time.
    @Test func aNewGapDoesNotWait() {
        var fetches = Fetches.ofAGap
        fetches.answer(40..<130)
        fetches.wait(100, Self.empty)
        fetches.lose(200, 260, heardFrom: 160)
        #expect(fetches.made.map(\.duration) == [.minute, .minute])
        fetches.answer(200..<260)
        fetches.wait(600) { max(0, $0 - 1800)..<($0 - 1) }
        #expect(fetches.made.map(\.at) == [160, 260, 460])
    }

    /// A track ends when SondeHub answers. If the answer is late, its track begins after the gap's beginning.
    @Test func aLateAnswerDoesNotCloseTheGap() {
        var fetches = Fetches()
        fetches.second = 158
        fetches.lose(100, 158)
        #expect(fetches.made.map(\.duration) == [.minute])
        fetches.second = 178
        fetches.answer(118..<177)
        fetches.wait(600) { max(0, $0 - 1800)..<($0 - 1) }
        #expect(fetches.made.map(\.at) == [158, 478] && fetches.made.last?.duration == .halfHour)
    }
}
