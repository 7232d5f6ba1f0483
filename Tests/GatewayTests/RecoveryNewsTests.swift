import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// However often others report the recovery of a sonde, the crew hears at most one sentence in 5 minutes, and the
/// newest state.
@Suite struct RecoveryNewsTests {
    /// A sonde that SondeHub has seen fall to the ground, and the live stream.
    private struct Bench {
        private var script: Script
        private var stream: CallID?
        /// What the next second answers.
        private var asked: Script.Outcome
        private(set) var said: [String] = []

        init() {
            var options = SondeHubOptions.payerne
            options.streams = true
            script = Script(sondeHub: options)
            script.connect()
            asked = script.answerPoll([Script.record("V1", at: -5, altitude: 4000)])
            asked += script.command(#"{"hunt":"V1"}"#)
            wait(1500)
        }

        /// SondeHub answers each question for records; it has no reports but those of the stream.
        mutating func wait(_ seconds: Int) {
            for _ in 0..<seconds {
                var next = Script.Outcome()
                for opened in asked.streams {
                    stream = opened.id
                    next += script.run(.answered(opened.id, .stream(.opened)))
                }
                for poll in asked.polls { next += script.answer(poll.id, [record]) }
                for case .call(let id, .recoveries) in asked.actions {
                    next += script.run(.answered(id, .recoveries([])))
                }
                asked = next + script.wait(1)
                note(asked)
            }
        }

        /// Somebody has just reported.
        mutating func report(_ state: RecoveryState, by name: String) throws {
            let recovery = Recovery(
                Script.record("V1").serial, state, by: name, at: script.now.wall,
                coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 430)
            let outcome = script.run(.answered(try #require(stream), .stream(.recoveries([recovery]))))
            note(outcome)
            asked += outcome
        }

        private mutating func note(_ outcome: Script.Outcome) {
            said += outcome.told(.recoveryReported).map(\.english)
        }

        private var record: SondeHubRecord {
            let second = script.now.monotonic.duration(since: .zero).inSeconds - 1
            var record = Script.record(
                "V1", at: second, latitude: 47 + min(second, 590) * 1e-4, altitude: max(430, 4000 - 6 * second))
            (record.verticalSpeed, record.horizontalSpeed) = second < 595 ? (-6, 11) : (0, 0)
            return record
        }
    }

    /// A hundred reports in 100 s: the first, and when the pause is over the newest.
    @Test func aFloodIsTwoSentences() throws {
        var bench = Bench()
        for number in 0..<100 {
            try bench.report(number % 2 == 0 ? .recovered : .notFound, by: "STRANGER\(number)")
            bench.wait(1)
        }
        #expect(bench.said == ["STRANGER0 has recovered the sonde."])
        bench.wait(3600)
        #expect(bench.said == ["STRANGER0 has recovered the sonde.", "STRANGER99 has not found the sonde."])
    }

    /// After the pause a report is said at once.
    @Test func aLaterReportIsSaidAtOnce() throws {
        var bench = Bench()
        try bench.report(.planned, by: "HB9ABC")
        bench.wait(300)
        try bench.report(.recovered, by: "HB9ABC")
        #expect(bench.said == ["HB9ABC plans to recover the sonde.", "HB9ABC has recovered the sonde."])
    }

    /// A person reports, takes the report back, and reports again. The last sentence is still true.
    @Test(arguments: [1, 600]) func whatWasSaidLastIsNotSaidAgain(_ pause: Int) throws {
        var bench = Bench()
        try bench.report(.recovered, by: "HB9ABC")
        if pause < 300 {
            bench.wait(pause)
            try bench.report(.notFound, by: "HB9ABC")
        }
        bench.wait(pause)
        try bench.report(.recovered, by: "HB9ABC")
        bench.wait(3600)
        #expect(bench.said == ["HB9ABC has recovered the sonde."])
        // Another person's report is news, also of the same state.
        try bench.report(.recovered, by: "HB9DEF")
        #expect(bench.said.last == "HB9DEF has recovered the sonde.")
    }

    /// The ledger of an earlier run knows what was said, and what is older.
    @Test func theLedgerKnowsWhatWasSaidLast() throws {
        func report(_ state: RecoveryState, _ second: Int64) -> Recovery {
            Recovery(
                Script.record("V1").serial, state, by: "A B", at: WallTime(millisecondsSince1970: second * 1000),
                coordinate: nil, altitudeMetres: 430)
        }
        var ledger = RecoveryLedger()
        #expect(ledger.isNews(report(.recovered, 10)) && !ledger.repeats(report(.recovered, 10)))
        ledger.tell(report(.planned, 5))
        ledger.tell(report(.recovered, 10))
        let stored = try #require(ledger.stored?.stored)
        let next = RecoveryLedger(
            try #require(StoredRecoveries(stored: stored)),
            at: Moment(monotonic: .zero, wall: .init(millisecondsSince1970: 0), isClockSynced: true))
        #expect(!next.isNews(report(.recovered, 10)) && !next.isNews(report(.notFound, 9)))
        #expect(next.isNews(report(.notFound, 11)) && next.isNews(report(.recovered, 11)))
        #expect(next.repeats(report(.recovered, 11)) && !next.repeats(report(.notFound, 11)))
    }
}
