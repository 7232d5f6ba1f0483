import FlightMath
import Foundation
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// Our reports of recovery wait for the network and arrive once. Others' reports are announced once.
@Suite struct RecoveryTests {
    private static func options(callSign: String? = "HB9XYZ") -> SondeHubOptions {
        var options = SondeHubOptions.payerne
        options.callSign = callSign
        return options
    }

    /// A sonde that SondeHub shows 400 m above the sea.
    private static func script(callSign: String? = "HB9XYZ", memory: GatewayMemory = GatewayMemory()) -> Script {
        var script = Script(sondeHub: options(callSign: callSign), memory: memory)
        script.brokerConnected()
        script.answerPoll([Script.record("V1", at: -5, altitude: 3000)])
        return script
    }

    private static func reports(_ outcome: Script.Outcome) -> [(id: CallID, recovery: Recovery)] {
        outcome.actions.compactMap {
            if case .call(let id, .reportRecovery(let recovery)) = $0 { (id, recovery) } else { nil }
        }
    }

    private static func questions(_ outcome: Script.Outcome) -> [(id: CallID, query: RecoveryQuery)] {
        outcome.actions.compactMap {
            if case .call(let id, .recoveries(let query)) = $0 { (id, query) } else { nil }
        }
    }

    private static func stored(_ outcome: Script.Outcome) -> String? {
        let texts = outcome.entries.compactMap { entry -> String?? in
            if case .setting(.recoveries, let text) = entry { .some(text) } else { nil }
        }
        return texts.last.flatMap { $0 }
    }

    private static func said(_ outcome: Script.Outcome) -> [String] {
        (outcome.told(.recoveryReported) + outcome.told(.recoveryRejected)).map(\.english)
    }

    private static func report(_ script: Script) -> RecoveryReport? {
        if case .recovery(let report?) = script.newest[.recovery] { report } else { nil }
    }

    private static let recovered = #"{"recovery":{"state":"recovered","note":"in a tree"}}"#
    private static let unreachable = Answer.failed(OnlineServiceError(.unreachable, "no network"))

    private static func others(
        _ script: Script, _ state: RecoveryState, by name: String = "HB9ABC", age: Double = 10, of serial: String = "V1"
    ) -> Recovery {
        Recovery(
            Script.record(serial).serial, state, by: name,
            at: script.now.wall.advanced(by: .seconds(-age)), coordinate: Coordinate(latitude: 47, longitude: 8),
            altitudeMetres: 430)
    }

    // MARK: - Our own reports

    @Test func aReportIsSentAndSaid() throws {
        var script = Self.script()
        let outcome = script.command(Self.recovered)
        #expect(outcome.answers == ["done!"])
        let call = try #require(Self.reports(outcome).first)
        #expect(call.recovery.by == "HB9XYZ" && call.recovery.note == "in a tree")
        #expect(call.recovery.state == .recovered && call.recovery.time == script.now.wall)
        #expect(call.recovery.coordinate == Coordinate(latitude: 47, longitude: 8))
        #expect(Self.report(script)?.isQueued == true)
        let taken = script.run(.answered(call.id, .recoveryTaken))
        #expect(Self.said(taken) == ["SondeHub shows that you have recovered the sonde."])
        let report = try #require(Self.report(script))
        #expect(report.isOwn && !report.isQueued)
        #expect(taken.entries.contains(.recovery(call.recovery.serial, call.recovery)))
        #expect(Self.reports(script.wait(86_400)).isEmpty)
    }

    /// A body of the command -> the error's code.
    @Test(
        arguments: [
            (#"{"recovery":{"state":"planned"}}"#, "out_of_range"),
            (#"{"recovery":{"state":"planned","note":"  "}}"#, "out_of_range"),
            (#"{"recovery":{"state":"eaten"}}"#, "out_of_range"), (#"{"recovery":true}"#, "wrong_type"),
            (#"{"recovery":{"note":"x"}}"#, "wrong_type"), (#"{"recovery":{"state":"recovered","x":1}}"#, "wrong_type"),
            (#"{"recovery":{"state":"recovered","note":7}}"#, "wrong_type"),
            (#"{"recovery":{"state":"recovered","serial":7}}"#, "wrong_type"),
            (#"{"recovery":{"state":"recovered","serial":"V9"}}"#, "no_sonde"), (#"{"recovery":null}"#, "unavailable"),
        ])
    func refused(_ command: String, _ code: String) {
        var script = Self.script()
        let outcome = script.command(command)
        #expect(outcome.answers == ["rejected:\(code)!"])
        #expect(Self.reports(outcome).isEmpty)
    }

    /// Altitude, climb, the record's age, the state -> the answer. SondeHub keeps reports for ever.
    @Test(
        arguments: [
            (5025, -8, 5, "recovered", "rejected:in_the_air!"), (5025, nil, 5, "not_found", "rejected:in_the_air!"),
            (900, 5, 5, "recovered", "rejected:in_the_air!"), (5025, -8, 5, "planned", "done!"),
            // It is silent, or at rest.
            (5025, -8, 200, "recovered", "done!"), (440, 0, 5, "recovered", "done!"),
        ] as [(Double, Double?, Double, String, String)], [true, false])
    func nobodyRecoversASondeInTheAir(
        _ bench: (altitude: Double, climb: Double?, age: Double, state: String, answer: String), _ isFollowed: Bool
    ) {
        var script = Script(sondeHub: Self.options())
        script.brokerConnected()
        var record = Script.record("V1", at: -bench.age, altitude: bench.altitude)
        record.verticalSpeed = bench.climb
        record.horizontalSpeed = bench.climb == 0 ? 0 : 12
        let other = Script.record("V2", at: -1, altitude: 3000)
        script.answerPoll(isFollowed ? [record] : [record, other])
        if !isFollowed { script.command(#"{"hunt":"V2"}"#) }
        let body = #"{"recovery":{"state":""# + bench.state + #"","note":"Anna","serial":"V1"}}"#
        #expect(script.command(body).answers == [bench.answer])
    }

    @Test func withoutACallSignNothingIsSent() {
        var script = Self.script(callSign: nil)
        #expect(script.command(Self.recovered).answers == ["rejected:unavailable!"])
        #expect(Self.reports(script.wait(600)).isEmpty)
    }

    /// The car's distance in metres and its speed in m/s -> whether the report has the car's place.
    @Test(arguments: [(200.0, 0.0, true), (200, 10, false), (400, 0, false)])
    func thePlace(_ metres: Double, _ speed: Double, _ isCars: Bool) throws {
        var script = Self.script()
        let car = Coordinate(latitude: 47, longitude: 8).moved(east: metres, north: 0)
        script.fix(at: car, altitude: 555, speed: speed)
        let call = try #require(Self.reports(script.command(Self.recovered)).first)
        #expect((call.recovery.coordinate == car) == isCars)
        #expect(call.recovery.altitudeMetres == (isCars ? 555 : 3000))
    }

    /// Another sonde of the list is reported with its last known place.
    @Test func anotherSondeOfTheList() throws {
        var script = Script(sondeHub: Self.options())
        script.answerPoll([Script.record("V1", at: -5), Script.record("V2", at: -9, latitude: 48, altitude: 600)])
        let call = try #require(
            Self.reports(script.command(#"{"recovery":{"state":"not_found","serial":"V2"}}"#)).first)
        #expect(call.recovery.serial.canonical == "V2" && call.recovery.coordinate?.latitude == 48)
    }

    /// Without a network the report is tried at growing intervals, and arrives when the network is back. Before a
    /// second try SondeHub is asked whether it has the report.
    @Test func withoutANetworkItWaits() throws {
        var script = Self.script()
        var outcome = script.command(Self.recovered)
        var tries = 0
        for _ in 0..<7200 {
            for call in Self.reports(outcome) {
                tries += 1
                script.run(.answered(call.id, Self.unreachable))
            }
            for question in Self.questions(outcome) { script.run(.answered(question.id, Self.unreachable)) }
            outcome = script.wait(1)
        }
        #expect(tries == 1)
        let calls = script.machine.recoveries.calls
        #expect((10...25).contains(calls))
        var sent: [Recovery] = []
        for _ in 0..<1300 {
            for question in Self.questions(outcome) { outcome += script.run(.answered(question.id, .recoveries([]))) }
            for call in Self.reports(outcome) {
                sent.append(call.recovery)
                outcome += script.run(.answered(call.id, .recoveryTaken))
            }
            outcome = script.wait(1)
        }
        #expect(sent.count == 1)
        #expect(sent.first?.time == WallTime(millisecondsSince1970: Script.noon))
    }

    /// The answer to a report was lost. The report is sent again only if SondeHub does not have it.
    @Test(arguments: [true, false]) func exactlyOnce(_ hasArrived: Bool) throws {
        var script = Self.script()
        let first = try #require(Self.reports(script.command(Self.recovered)).first)
        script.run(.answered(first.id, .failed(OnlineServiceError(.timedOut, "no answer"))))
        let check = try #require(Self.questions(script.wait(40)).first)
        #expect(check.query == .sonde(first.recovery.serial))
        let known = [Self.others(script, .recovered, age: 5000)] + (hasArrived ? [first.recovery] : [])
        let outcome = script.run(.answered(check.id, .recoveries(known)))
        #expect(Self.reports(outcome).count == (hasArrived ? 0 : 1))
        #expect(Self.said(outcome).isEmpty == !hasArrived)
        if let again = Self.reports(outcome).first { script.run(.answered(again.id, .recoveryTaken)) }
        #expect(script.announcements.filter { $0.event == .recoveryReported }.count == 1)
    }

    /// The gateway restarts at each stage of a report.
    @Test(arguments: ["waiting", "failed", "sending", "sent"]) func overARestart(_ moment: String) throws {
        var script = Self.script()
        var outcome = script.command(Self.recovered)
        let call = try #require(Self.reports(outcome).first)
        if moment == "failed" { outcome += script.run(.answered(call.id, Self.unreachable)) }
        if moment == "sent" { outcome += script.run(.answered(call.id, .recoveryTaken)) }
        var memory = GatewayMemory()
        memory.settings[.recoveries] = Self.stored(outcome)
        var next = Script(sondeHub: Self.options(), memory: memory)
        var after = next.begin + next.wait(1)
        #expect(Self.reports(after).isEmpty)
        guard moment != "sent" else { return #expect(Self.questions(after).isEmpty) }
        let check = try #require(Self.questions(after).first)
        after = next.run(.answered(check.id, .recoveries([])))
        #expect(Self.reports(after).map(\.recovery) == [call.recovery])
    }

    /// A report of this run and one of the last run, whose memory comes late.
    @Test func aLateMemoryJoins() throws {
        var script = Self.script()
        let stored = Self.stored(script.command(Self.recovered))
        var late = Script(sondeHub: Self.options(), memory: nil)
        late.answerPoll([Script.record("V2", at: -5)])
        let first = try #require(Self.reports(late.command(#"{"recovery":{"state":"not_found"}}"#)).first)
        var memory = GatewayMemory()
        memory.settings[.recoveries] = stored
        late.run(.recalled(memory))
        #expect(late.machine.recoveries.ledger.queue.map(\.recovery.serial.canonical) == ["V1", "V2"])
        // The answer belongs to the report that was sent, not to the first of the queue.
        late.run(.answered(first.id, .recoveryTaken))
        #expect(late.machine.recoveries.ledger.queue.map(\.recovery.serial.canonical) == ["V1"])
    }

    @Test func refusedBySondeHub() throws {
        var script = Self.script()
        let call = try #require(Self.reports(script.command(Self.recovered)).first)
        let error = OnlineServiceError(.refused, "HTTP status 400: serial not found in db")
        let outcome = script.run(.answered(call.id, .failed(error)))
        #expect(
            Self.said(outcome)
                == ["SondeHub does not know V1 and did not accept the report."])
        #expect(Self.report(script) == nil)
        #expect(Self.reports(script.wait(3600)).isEmpty)
    }

    /// If a report is made twice, or changed while it waits, only the last one is sent. Null cancels reports that were
    /// not sent yet.
    @Test func changedAndCancelledWhileItWaits() throws {
        var script = Self.script()
        let first = try #require(Self.reports(script.command(Self.recovered)).first)
        script.command(#"{"recovery":{"state":"planned","note":"tomorrow"}}"#)
        script.command(#"{"recovery":{"state":"not_found"}}"#)
        #expect(script.machine.recoveries.ledger.queue.map(\.recovery.state) == [.recovered, .notFound])
        #expect(script.command(#"{"recovery":null}"#).answers == ["done!"])
        #expect(script.machine.recoveries.ledger.queue.map(\.recovery.state) == [.recovered])
        #expect(script.command(#"{"recovery":null}"#).answers == ["rejected:unavailable!"])
        script.run(.answered(first.id, .recoveryTaken))
        #expect(Self.report(script)?.recovery.state == .recovered)
    }

    @Test func fourteenDaysAndThirtyTwoReports() throws {
        var script = Self.script()
        var memory = GatewayMemory()
        memory.settings[.recoveries] = Self.stored(script.command(Self.recovered))
        var old = Script(sondeHub: Self.options(), memory: nil)
        old.advance(14 * 86_400 + 1)
        let outcome = old.run(.recalled(memory))
        #expect(Self.said(outcome) == ["The report on V1 waited 14 days and was dropped."])
        #expect(old.machine.recoveries.ledger == RecoveryLedger())
        var ledger = RecoveryLedger()
        for number in 0..<40 {
            let added = ledger.add(Self.others(script, .recovered, of: "V\(number + 1)"))
            #expect(added == (number < 32))
        }
        let stored = try #require(ledger.stored?.stored)
        #expect(RecoveryLedger(try #require(StoredRecoveries(stored: stored)), at: script.now) == ledger)
        let damaged = try #require(StoredRecoveries(stored: "{\"queue\":[7,{}],\"told\":[null]}"))
        #expect(RecoveryLedger(damaged, at: script.now) == RecoveryLedger())
    }

    /// The clock was wrong when the report was made, and was not set for ten minutes.
    @Test func theClockIsSet() throws {
        var script = Script(sondeHub: Self.options(), isClockSynced: false)
        script.answerPoll([Script.record("V1", at: -5)])
        #expect(Self.reports(script.command(Self.recovered)).isEmpty)
        #expect(Self.reports(script.wait(599)).isEmpty)
        let call = try #require(Self.reports(script.wait(2)).first)
        script.command(#"{"recovery":{"state":"not_found"}}"#)
        let later = script.now.wall
        script.now.wall = later.advanced(by: .seconds(7200))
        script.now.isClockSynced = true
        script.run(.pageWatched(true))
        // The first report was already sent, so it keeps its old time.
        let queue = script.machine.recoveries.ledger.queue.map(\.recovery.time)
        #expect(queue == [call.recovery.time, later.advanced(by: .seconds(7200))])
        script.run(.answered(call.id, .recoveryTaken))
        #expect(script.machine.recoveries.ledger.queue.count == 1)
    }

    /// Without a clock a report waits for the right time, over a restart too, and is sent with it.
    @Test(arguments: [false, true]) func aReportWaitsForTheRightTime(_ isRestarted: Bool) throws {
        var script = Script(sondeHub: Self.options(), isClockSynced: false)
        script.answerPoll([Script.record("V1", at: -5)])
        let made = script.now.wall
        let outcome = script.command(Self.recovered)
        #expect(outcome.answers == ["done!"] && Self.reports(outcome).isEmpty)
        if isRestarted {
            let memory = GatewayMemory(settings: [.recoveries: try #require(Self.stored(outcome))])
            script = Script(sondeHub: Self.options(), memory: memory, isClockSynced: false)
            script.brokerConnected()
            script.advance(20)
        }
        script.now.wall = script.now.wall.advanced(by: .seconds(7200))
        script.now.isClockSynced = true
        let sent = Self.reports(script.run(.pageWatched(true)))
        #expect(sent.map(\.recovery.time) == [made.advanced(by: .seconds(7200))])
    }

    /// No connection was made, so SondeHub does not know the report by its wrong time.
    @Test func anUnsentReportGetsTheRightTime() throws {
        var script = Script(sondeHub: Self.options(), isClockSynced: false)
        script.answerPoll([Script.record("V1", at: -5)])
        script.command(Self.recovered)
        let call = try #require(Self.reports(script.wait(601)).first)
        script.run(.answered(call.id, Self.unreachable))
        script.now.wall = script.now.wall.advanced(by: .seconds(7200))
        script.now.isClockSynced = true
        script.run(.pageWatched(true))
        let queue = script.machine.recoveries.ledger.queue.map(\.recovery.time)
        #expect(queue == [call.recovery.time.advanced(by: .seconds(7200))])
    }

    /// Our own plan has waited for the network while another crew has recovered the sonde.
    @Test func anOlderReportThatArrivesLateHidesNoNewerOne() throws {
        var script = Self.script()
        let call = try #require(
            Self.reports(script.command(#"{"recovery":{"state":"planned","note":"tomorrow"}}"#)).first)
        script.advance(60)
        let theirs = Self.others(script, .recovered)
        var turn = Turn(at: script.now, calls: Calls())
        script.machine.recoveries.learn([theirs], knowing: script.machine.facts, &turn)
        script.run(.answered(call.id, .recoveryTaken))
        #expect(script.machine.recoveries.newest[theirs.serial] == theirs)
    }

    /// A report that never left this machine can be taken back, or replaced by a newer one. One that may have arrived
    /// can't.
    @Test(arguments: [(.unreachable, true), (.timedOut, false)] as [(OnlineServiceError.Code, Bool)])
    func aReportIsTakenBack(_ code: OnlineServiceError.Code, _ isTakenBack: Bool) throws {
        for (order, count) in [
            (#"{"recovery":{"state":"not_found"}}"#, isTakenBack ? 1 : 2), (#"{"recovery":null}"#, isTakenBack ? 0 : 1),
        ] {
            var script = Self.script()
            let call = try #require(Self.reports(script.command(Self.recovered)).first)
            script.run(.answered(call.id, .failed(OnlineServiceError(code, "no network"))))
            script.command(order)
            #expect(script.machine.recoveries.ledger.queue.count == count)
        }
    }

    // MARK: - Others' reports

    /// The altitude to which the sonde falls (nil: it climbs at 2.5 km) -> whether others' reports are asked for.
    @Test(arguments: [(nil, false), (9000, false), (4900, true), (430, true)] as [(Double?, Bool)])
    func whenOthersAreAskedFor(_ altitude: Double?, _ isAsked: Bool) {
        var chased = Chased(
            altitude: altitude == nil ? 2500 : 12_000, prediction: .off, sondeHub: Self.options())
        var outcome = chased.go(60, up: 5)
        if let altitude { outcome += chased.fall(to: altitude) }
        #expect(Self.questions(outcome).isEmpty != isAsked)
    }

    /// SondeHub has only one record of the sonde, so nobody knows whether it moves. The record's altitude -> whether
    /// others' reports are asked for.
    @Test(arguments: [(800.0, true), (6000, false)]) func oneRecordIsEnough(_ altitude: Double, _ isAsked: Bool) {
        var script = Script(sondeHub: Self.options())
        script.brokerConnected()
        var outcome = script.answerPoll([Script.record("V1", at: -5, altitude: altitude)])
        #expect(Self.questions(outcome).isEmpty)
        for _ in 0..<50 {
            let step = script.wait(1)
            outcome += step
            for poll in step.polls {
                outcome += script.answer(poll.id, [Script.record("V1", at: -5, altitude: altitude)])
            }
        }
        #expect(Self.questions(outcome).isEmpty != isAsked)
    }

    /// Each of the others' reports is said once, also if it comes again and after a restart.
    @Test func othersAreSaidOnce() throws {
        var chased = Chased("V1", altitude: 12_000, prediction: .off, sondeHub: Self.options())
        chased.go(60, up: 5)
        var open = Self.questions(chased.fall(to: 430))
        var said: [String] = []
        var stored: String?
        func answer(_ recoveries: [Recovery]) {
            for _ in 0..<130 {
                var outcome = chased.hear() + chased.script.wait(1)
                open += Self.questions(outcome)
                while let question = open.popLast() {
                    // The answer may be followed by the next question at once.
                    let answered = chased.script.run(.answered(question.id, .recoveries(recoveries)))
                    open += Self.questions(answered)
                    outcome += answered
                }
                said += Self.said(outcome)
                stored = Self.stored(outcome) ?? stored
            }
        }
        let planned = Self.others(chased.script, .planned)
        let recovered = Self.others(chased.script, .recovered, age: -300)
        answer([planned])
        answer([planned, Self.others(chased.script, .recovered, of: "V2")])
        #expect(said == ["HB9ABC plans to recover the sonde."])
        #expect(Self.report(chased.script)?.isOwn == false)
        answer([recovered])
        for _ in 0..<8 { answer([recovered]) }
        #expect(said == ["HB9ABC plans to recover the sonde.", "HB9ABC has recovered the sonde."])
        let last = try #require(stored)
        let ledger = RecoveryLedger(try #require(StoredRecoveries(stored: last)), at: chased.script.now)
        #expect(!ledger.isNews(planned) && !ledger.isNews(recovered))
    }

    /// The sonde lies still. Each question for others' reports gets the same answer, also those that were open.
    @discardableResult
    private static func rest(
        _ chased: inout Chased, _ seconds: Int, _ reports: [Recovery], after outcome: Script.Outcome = Script.Outcome()
    ) -> Script.Outcome {
        var all = Script.Outcome()
        var open = questions(outcome)
        for _ in 0..<seconds {
            let step = chased.go(1, north: 0)
            (all, open) = (all + step, open + questions(step))
            while let question = open.popLast() {
                let answered = chased.script.run(.answered(question.id, .recoveries(reports)))
                (all, open) = (all + answered, open + questions(answered))
            }
        }
        return all
    }

    /// The age in seconds of a report of a sonde in the air -> whether it is shown, said at once, and said after the
    /// landing. Sondes are launched again, and nobody can have found one that is in the air.
    @Test(
        arguments: [
            (.planned, 10, true, true, true), (.planned, 86_400, false, false, false),
            (.recovered, 86_400, false, false, false), (.notFound, 86_400, false, false, false),
            (.recovered, 10, true, false, true),
        ] as [(RecoveryState, Double, Bool, Bool, Bool)])
    func reportsOfASondeInTheAir(
        _ state: RecoveryState, _ age: Double, _ isShown: Bool, _ isSaid: Bool, _ isSaidLater: Bool
    ) throws {
        var chased = Chased("V1", altitude: 12_000, prediction: .off, sondeHub: Self.options())
        chased.go(60, up: 5)
        let question = try #require(Self.questions(chased.fall(to: 2000)).last)
        let report = Self.others(chased.script, state, age: age)
        let outcome = chased.script.run(.answered(question.id, .recoveries([report])))
        #expect(Self.said(outcome).isEmpty != isSaid)
        #expect((Self.report(chased.script)?.recovery == report) == isShown)
        let later = Self.rest(&chased, 300, [report], after: outcome + chased.fall(to: 430))
        #expect(Self.said(later).isEmpty != (isSaidLater && !isSaid))
    }

    /// Another crew has recovered the sonde, and this crew's own plan, made without a network, is newer. The newer
    /// report is shown, and the other one is said.
    @Test func anOlderReportOfAnotherCrewIsSaid() throws {
        var chased = Chased("V1", altitude: 12_000, prediction: .off, sondeHub: Self.options())
        chased.go(60, up: 5)
        Self.rest(&chased, 120, [], after: chased.fall(to: 430))
        let others = Self.others(chased.script, .recovered, age: 5)
        let plan = chased.script.command(#"{"recovery":{"state":"planned","note":"we drive"}}"#)
        chased.script.run(.answered(try #require(Self.reports(plan).first).id, .recoveryTaken))
        let outcome = Self.rest(&chased, 150, [others])
        #expect(Self.said(outcome) == ["HB9ABC has recovered the sonde."])
        #expect(Self.report(chased.script)?.isOwn == true)
    }

    /// The list of sondes shows the reports, so that nobody drives to a sonde that is gone.
    @Test func theListShowsReports() throws {
        var options = Self.options(callSign: nil)
        options.looksAround = true
        var script = Script(sondeHub: options)
        script.fix()
        let outcome = script.answerPoll([Script.record("V1", at: -5), Script.record("V2", at: -20_000)])
        let question = try #require(Self.questions(outcome).first)
        #expect(question.query == .area(Script.car, radiusMetres: 100_000))
        script.run(.answered(question.id, .recoveries([Self.others(script, .recovered, of: "V2")])))
        script.wait(10)
        guard case .sondes(let report) = script.newest[.sondes] else { throw CancellationError() }
        #expect(
            report.sondes.map(\.recovery) == [nil, .recovered] || report.sondes.map(\.recovery) == [.recovered, nil])
        #expect(script.announcements.allSatisfy { $0.event != .recoveryReported })
    }
}
