import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// One question to a network service: when the next call may be made, and which answers are taken.
@Suite struct ErrandTests {
    private typealias Crews = Errand<[CrewPosition]>

    /// An errand, its clock and its calls.
    private struct Bench {
        var errand: Crews
        var calls = Calls()
        var now = MonotonicTime.zero

        init(_ retry: RetryPauses = .constant(.zero), replacesCall: Bool = false) {
            errand = Crews(retry: retry, replacesCall: replacesCall)
        }

        @discardableResult
        mutating func turn<Result>(_ body: (inout Crews, inout Turn) -> Result) -> (Result, [GatewayAction]) {
            let moment = Moment(monotonic: now, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
            var turn = Turn(at: moment, calls: calls)
            let result = body(&errand, &turn)
            calls = turn.calls
            return (result, turn.actions)
        }

        mutating func ask() -> CallID? {
            for case .call(let id, _) in turn({ $0.ask(.crews(near: []), &$1) }).1 { return id }
            return nil
        }

        /// - Returns: whether the errand has taken the answer, and whether it was a failure.
        mutating func answer(_ id: CallID?, _ answer: Answer) -> (isTaken: Bool, isFailure: Bool) {
            guard let id else { return (false, false) }
            let result = turn { errand, turn in
                turn.receive(Reply(id: id, answer: answer)) ? errand.take(Reply(id: id, answer: answer), &turn) : nil
            }.0
            guard let result else { return (false, false) }
            if case .failure = result { return (true, true) }
            return (true, false)
        }

        /// Seconds until the next call may be made; nil while one is out.
        func wait(every seconds: Double) -> Double? {
            errand.dueAt(every: .seconds(seconds)).map { max(0, $0.duration(since: now).inSeconds) }
        }

        mutating func pass(_ seconds: Double) { now = now.advanced(by: .seconds(seconds)) }
    }

    private static func failure(_ retryAfter: Double? = nil) -> Answer {
        .failed(OnlineServiceError(.unreachable, "nobody is there", retryAfter: retryAfter.map { .seconds($0) }))
    }

    @Test func theSpacingCountsFromTheCall() {
        var bench = Bench()
        #expect(bench.wait(every: 60) == 0)
        let id = bench.ask()
        #expect(bench.wait(every: 60) == nil, "one call at a time")
        bench.pass(25)
        let answer = bench.answer(id, .crews([]))
        #expect(answer == (true, false) && bench.wait(every: 60) == 35 && bench.errand.count == 1)
    }

    /// A cancelled call is a call: the next one is not sooner.
    @Test func theSpacingSurvivesACancel() {
        var bench = Bench()
        let id = bench.ask()
        bench.pass(5)
        let actions = bench.turn { $0.cancel(&$1) }.1
        #expect(actions == [.cancel(id ?? CallID(0))] && bench.wait(every: 60) == 55)
        #expect(bench.answer(id, .crews([])) == (false, false), "nobody waits for it")
        #expect(bench.turn { $0.cancel(&$1) }.1.isEmpty)
    }

    /// Failures in a row -> the pauses after each, seconds.
    @Test func failuresDoubleThePause() {
        var bench = Bench(RetryPauses(first: .seconds(10), longest: .seconds(60)))
        var pauses: [Double?] = []
        for _ in 0..<5 {
            let id = bench.ask()
            let answer = bench.answer(id, Self.failure())
            #expect(answer == (true, true))
            pauses.append(bench.wait(every: 0))
        }
        #expect(pauses == [10, 20, 40, 60, 60] && bench.errand.failures == 5)
        let id = bench.ask()
        _ = bench.answer(id, .crews([]))
        #expect(bench.wait(every: 0) == 0 && bench.errand.failures == 0)
    }

    /// `Retry-After` outlasts the pause, a hurry and a cancel.
    @Test func theServicesOwnPauseHolds() {
        var bench = Bench(.constant(.seconds(10)))
        let id = bench.ask()
        _ = bench.answer(id, Self.failure(600))
        bench.turn { errand, _ in errand.hurry() }
        bench.turn { errand, _ in errand.beginAnew() }
        #expect(bench.wait(every: 0) == 600 && bench.errand.isPaused(at: bench.now))
        bench.pass(600)
        #expect(bench.wait(every: 0) == 0 && !bench.errand.isPaused(at: bench.now))
    }

    @Test func aHurryForgetsTheSpacingAndThePause() {
        var bench = Bench(.constant(.seconds(100)))
        let id = bench.ask()
        _ = bench.answer(id, Self.failure())
        #expect(bench.wait(every: 30) == 100)
        bench.turn { errand, _ in errand.hurry() }
        #expect(bench.wait(every: 30) == 0)
    }

    @Test func onlyTheOwnAnswerIsTaken() {
        var bench = Bench()
        let first = bench.ask()
        let other = bench.turn { _, turn in turn.call(.sites) }.0
        #expect(bench.answer(other, .crews([])) == (false, false))
        #expect(bench.errand.isOut)
        // An answer of another kind ends the call and brings nothing.
        #expect(bench.answer(first, .sites([])) == (false, false))
        #expect(!bench.errand.isOut)
        #expect(bench.answer(first, .crews([])) == (false, false), "the call has ended")
    }

    /// A new call replaces the one that is out.
    @Test func aCallMayReplaceTheOneThatIsOut() {
        var bench = Bench(replacesCall: true)
        let first = bench.ask()
        bench.pass(20)
        #expect(bench.wait(every: 60) == 40)
        bench.pass(40)
        let second = bench.ask()
        #expect(bench.answer(first, .crews([])) == (false, false))
        #expect(bench.answer(second, .crews([])) == (true, false))
    }

    /// The pieces of a track come before its end.
    @Test func aPieceDoesNotEndACall() {
        var calls = Calls()
        let start = Moment(monotonic: .zero, wall: WallTime(millisecondsSince1970: 0), isClockSynced: true)
        var turn = Turn(at: start, calls: calls)
        var errand = Errand<TrackNews>()
        errand.ask(.sites, &turn)
        calls = turn.calls
        let id = CallID(1)
        for _ in 0..<3 {
            let reply = Reply(id: id, answer: .trackPart(SondeHubAnswer(records: [])))
            #expect(calls.receive(reply) && errand.take(reply, &turn) != nil && errand.isOut)
        }
        let end = Reply(id: id, answer: .trackEnd)
        #expect(calls.receive(end) && errand.take(end, &turn) != nil && !errand.isOut)
        #expect(!calls.receive(end) && errand.take(end, &turn) == nil)
    }
}
