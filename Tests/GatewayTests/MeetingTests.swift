import FlightMath
import Foundation
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports

/// SondeHub's news and the crew's actions at the same time: a hunt without the stream, a listed sonde that is heard, a
/// report while the place moves, two crews, a wrong clock.
@Suite struct MeetingTests {
    private static func options(_ callSign: String? = "HB9XYZ", streams: Bool = true) -> SondeHubOptions {
        var options = SondeHubOptions.payerne
        (options.callSign, options.streams) = (callSign, streams)
        return options
    }

    private static func reports(_ outcome: Script.Outcome) -> [(id: CallID, recovery: Recovery)] {
        outcome.actions.compactMap {
            if case .call(let id, .reportRecovery(let recovery)) = $0 { (id, recovery) } else { nil }
        }
    }

    private static func questions(_ outcome: Script.Outcome) -> [CallID] {
        outcome.actions.compactMap { if case .call(let id, .recoveries) = $0 { id } else { nil } }
    }

    private static func sondes(_ script: Script) -> [SondesReport.Sonde] {
        if case .sondes(let report) = script.newest[.sondes] { report.sondes } else { [] }
    }

    private static func hunted(_ script: Script) -> [String] {
        sondes(script).filter(\.isHunted).map(\.serial.canonical)
    }

    private static let unreachable = Answer.failed(OnlineServiceError(.unreachable, "no network"))

    private static func seconds(_ script: Script) -> Double { script.now.monotonic.duration(since: .zero).inSeconds }

    /// A sonde that falls from 4 km to the ground.
    private static func falling(_ script: Script) -> SondeHubRecord {
        let second = seconds(script) - 1
        var record = Script.record(
            "V1", at: second, latitude: 47 + min(second, 590) * 1e-4, altitude: max(430, 4000 - 6 * second))
        (record.verticalSpeed, record.horizontalSpeed) = second < 595 ? (-6, 11) : (0, 0)
        return record
    }

    // MARK: - Hunt and list

    /// Somebody touches another sonde in the list while the stream is down. It is followed at once, nothing of the old
    /// stream reaches it, and the next connection is for it.
    @Test(arguments: [true, false]) func aHuntByTouchWhileTheStreamIsDown(_ wasOpen: Bool) throws {
        var script = Script(sondeHub: Self.options())
        script.connect()
        var outcome = script.answerPoll([
            Script.record("V1", at: -5, altitude: 9000), Script.record("V2", at: -9, latitude: 48, altitude: 8000),
        ])
        outcome += script.wait(1)
        let first = try #require(outcome.streams.first)
        #expect(first.serial.canonical == "V1")
        if wasOpen { script.run(.answered(first.id, .stream(.opened))) }
        script.run(.answered(first.id, Self.unreachable))
        let touched = script.command(#"{"hunt":"V2"}"#)
        #expect(touched.answers == ["done!"] && script.serial == "V2")
        // A frame that was still on its way.
        let late = script.run(
            .answered(first.id, .stream(.frames(SondeHubAnswer(records: [Script.record("V1", at: 1)])))))
        #expect(late.positions.isEmpty && script.serial == "V2")
        outcome = touched + script.wait(31)
        let next = try #require(outcome.streams.last)
        #expect(outcome.streams.allSatisfy { $0.serial.canonical == "V2" })
        script.run(.answered(next.id, .stream(.opened)))
        let frame = Script.record("V2", at: Self.seconds(script) - 2, latitude: 48, altitude: 8200)
        let live = script.run(.answered(next.id, .stream(.frames(SondeHubAnswer(records: [frame])))))
        #expect(live.positions.count == 1)
        script.wait(10)
        #expect(Self.hunted(script) == ["V2"])
    }

    /// The receiver hears a sonde of the list. It is followed, the list shows it once, with the receiver's newer place,
    /// and the other sonde's stream ends.
    @Test func aListedSondeIsHeard() throws {
        var script = Script(sondeHub: Self.options())
        script.connect()
        var outcome = script.answerPoll([
            Script.record("V1", at: -5, altitude: 9000), Script.record("V2", at: -9, latitude: 47.3, altitude: 8000),
        ])
        outcome += script.wait(1)
        let stream = try #require(outcome.streams.first)
        script.run(.answered(stream.id, .stream(.opened)))
        #expect(script.serial == "V1")
        outcome = Script.Outcome()
        for second in 0..<12 {
            outcome += script.frame(
                Script.position("V2", latitude: "47.3\(10 + second)", altitude: 8100 + second * 5, up: 5))
            outcome += script.wait(1)
        }
        #expect(script.serial == "V2" && script.state == .liveBLEFlying && outcome.cancelled.contains(stream.id))
        let listed = Self.sondes(script).filter { $0.serial.canonical == "V2" }
        #expect(listed.count == 1 && listed.first?.isHunted == true)
        #expect(try #require(listed.first).altitudeMetres > 8090)
        // SondeHub's track of it is fetched and joins.
        let track = try #require(outcome.tracks.first)
        #expect(track.serial.canonical == "V2")
        script.answerTrack(track.id, (0..<20).map { Script.record("V2", at: Double($0 - 60), altitude: 7800) })
        #expect(script.machine.sonde.flight.track.points.count >= 20)
        // Only V2's place was published since.
        #expect(outcome.positions.allSatisfy { $0.source == .ble })
    }

    // MARK: - Recovery

    /// A report is made while the network is away. Then the sonde's known place moves, and its landing point with it.
    /// The report keeps the place and the time at which it was made. A new report has the new place.
    @Test func aReportWhileThePlaceMoves() throws {
        var script = Script(sondeHub: Self.options(streams: false))
        script.connect()
        script.answerPoll([Script.record("V1", at: -5, altitude: 2000)])
        let said = script.now.wall
        var outcome = script.command(#"{"recovery":{"state":"planned","note":"tomorrow"}}"#)
        // The report may have arrived.
        let late = Answer.failed(OnlineServiceError(.timedOut, "no answer"))
        for call in Self.reports(outcome) { script.run(.answered(call.id, late)) }
        for step in 1...8 {
            outcome = script.wait(15)
            for poll in outcome.polls {
                let now = Self.seconds(script)
                script.answer(
                    poll.id, [Script.record("V1", at: now - 2, latitude: 47 + Double(step) / 1000, altitude: 1800)])
            }
            for question in Self.questions(outcome) { script.run(.answered(question, Self.unreachable)) }
        }
        let moved = try #require(script.machine.sonde.flight.newest?.coordinate)
        #expect(moved.latitude > 47.005)
        // Nobody hears it any more. While somebody does, it flies, and nobody can have recovered it.
        outcome += script.wait(125)
        script.command(#"{"recovery":{"state":"recovered","note":"here"}}"#)
        #expect(script.machine.recoveries.ledger.queue.count == 2)
        var sent: [Recovery] = []
        for _ in 0..<1200 {
            var next = Script.Outcome()
            for question in Self.questions(outcome) { next += script.run(.answered(question, .recoveries([]))) }
            for call in Self.reports(outcome) {
                sent.append(call.recovery)
                next += script.run(.answered(call.id, .recoveryTaken))
            }
            outcome = next + script.wait(1)
        }
        #expect(sent.map(\.state) == [.planned, .recovered])
        #expect(sent.map(\.coordinate?.latitude) == [47, moved.latitude])
        #expect(sent.first?.time == said)
    }

    /// The live stream brings others' reports, and each is said once. Each connection costs one question, and one more
    /// every 15 minutes.
    @Test func theStreamBringsReports() throws {
        var script = Script(sondeHub: Self.options())
        script.connect()
        var outcome = script.answerPoll([Script.record("V1", at: -5, altitude: 4000)])
        outcome += script.command(#"{"hunt":"V1"}"#)
        var (stream, connections, questions, said) = (CallID?.none, 0, 0, [String]())
        for second in 0..<7200 {
            if let next = outcome.streams.last {
                (stream, connections) = (next.id, connections + 1)
                script.run(.answered(next.id, .stream(.opened)))
            }
            for poll in outcome.polls {
                outcome += script.answer(poll.id, [Self.falling(script)])
            }
            questions += Self.questions(outcome).count
            for question in Self.questions(outcome) { script.run(.answered(question, .recoveries([]))) }
            outcome = script.wait(1)
            guard let stream else { continue }
            if second == 1800 { outcome += script.run(.answered(stream, Self.unreachable)) }
            if [3000, 3001, 5000].contains(second) {
                let report = Recovery(
                    Script.record("V1").serial, .recovered, by: "HB9ABC",
                    at: WallTime(millisecondsSince1970: Script.noon),
                    coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 430)
                let news = script.run(.answered(stream, .stream(.recoveries([report]))))
                said += news.told(.recoveryReported).map(\.english)
            }
        }
        #expect(said == ["HB9ABC has recovered the sonde."])
        #expect(connections == 2 && (4...12).contains(questions), "\(questions)")
    }

    /// SondeHub's own prediction comes over the stream. It is used while Tawhiri gives none, and is not asked for.
    @Test(arguments: [false, true]) func theStreamBringsPredictions(_ hasTawhiri: Bool) throws {
        var prediction = PredictionOptions()
        (prediction.isOffline, prediction.asksTawhiri) = (false, hasTawhiri)
        var script = Script(sondeHub: Self.options(), prediction: prediction)
        script.connect()
        var outcome = script.answerPoll([Script.record("V1", at: -5, altitude: 9000)])
        outcome += script.wait(1)
        let stream = try #require(outcome.streams.first)
        script.run(.answered(stream.id, .stream(.opened)))
        var (asked, methods) = (outcome.sondeHubQuestions.count, Set<PredictionMethod>())
        for second in 0..<300 {
            var record = Script.record("V1", at: Self.seconds(script), altitude: 9000 + Double(second) * 5)
            (record.verticalSpeed, record.horizontalSpeed) = (5, 10)
            outcome += script.run(.answered(stream.id, .stream(.frames(SondeHubAnswer(records: [record])))))
            for question in outcome.questions {
                let answer = Chased.prediction(from: question.query.launch, 20_000, at: question.query.launchAt)
                script.run(.answered(question.id, .prediction(answer)))
            }
            for id in outcome.sondeHubQuestions { script.run(.answered(id, .prediction(nil))) }
            if second % 30 == 5 {
                let place = Coordinate(latitude: 47, longitude: 8)
                let news = Chased.prediction(from: place, 30_000, at: script.now.wall, madeAt: script.now.wall)
                script.run(.answered(stream.id, .stream(.prediction(news))))
            }
            if second > 60, case .prediction(let report?) = script.newest[.prediction] {
                methods.insert(report.forecast.method)
            }
            outcome = script.wait(1)
            asked += outcome.sondeHubQuestions.count
        }
        #expect(methods == [hasTawhiri ? .tawhiri : .sondehub])
        #expect(asked <= 1)
    }

    // MARK: - Two crews

    /// Two of our crews with their own call signs chase one sonde. Each gateway says each report of the other crew
    /// once.
    @Test func twoCrewsOfOurs() throws {
        var server: [Recovery] = []
        var crews = ["HB9AAA", "HB9BBB"].map { Script(sondeHub: Self.options($0, streams: false)) }
        var outcomes = [Script.Outcome(), Script.Outcome()]
        for index in crews.indices {
            crews[index].connect()
            crews[index].answerPoll([Script.record("V1", at: -5, altitude: 4000)])
        }
        for second in 0..<1500 {
            for index in crews.indices {
                let outcome = outcomes[index]
                var next = Script.Outcome()
                for call in Self.reports(outcome) {
                    server = [call.recovery]  // SondeHub gives the newest of each sonde.
                    next += crews[index].run(.answered(call.id, .recoveryTaken))
                }
                for question in Self.questions(outcome) {
                    next += crews[index].run(.answered(question, .recoveries(server)))
                }
                for poll in outcome.polls {
                    next += crews[index].answer(poll.id, [Self.falling(crews[index])])
                }
                outcomes[index] = next + crews[index].wait(1)
            }
            if second == 300 { outcomes[0] += crews[0].command(#"{"recovery":{"state":"planned","note":"by bike"}}"#) }
            // It has been at rest for some minutes.
            if second == 900 { outcomes[1] += crews[1].command(#"{"recovery":{"state":"recovered"}}"#) }
        }
        let said = crews.map { script in
            script.announcements.filter { $0.event == .recoveryReported }.map(\.english)
        }
        #expect(
            said[0] == ["SondeHub shows that you plan to recover the sonde.", "HB9BBB has recovered the sonde."])
        #expect(
            said[1] == ["HB9AAA plans to recover the sonde.", "SondeHub shows that you have recovered the sonde."])
    }

    // MARK: - The clock

    /// The clock is two hours behind until SondeHub answers. Until then no launch is predicted or announced, afterwards
    /// the right ones are.
    @Test func launchesWithAWrongClock() throws {
        var options = Self.options()
        (options.place, options.alarmMetres) = (Coordinate(latitude: 46.9, longitude: 6.94), 30_000)
        var site = LaunchSite(
            "06610", name: "Payerne", coordinate: Coordinate(latitude: 46.81, longitude: 6.94), altitudeMetres: 490,
            times: ["0:13:00", "0:23:00"].compactMap(LaunchSite.Time.init))
        site.burstAltitudeMetres = 33_000
        var script = Script(sondeHub: options, prediction: PredictionOptions(), isClockSynced: false)
        script.connect()
        let sites = script.begin.actions.compactMap { action -> CallID? in
            if case .call(let id, .sites) = action { id } else { nil }
        }
        var outcome = script.run(.answered(try #require(sites.first), .sites([site])))
        let polls = script.wait(1)
        outcome += polls
        #expect(outcome.questions.isEmpty)
        var answer = SondeHubAnswer(records: [])
        answer.answeredAt = script.now.wall.advanced(by: .seconds(7200))
        outcome = script.run(.answered(try #require(polls.polls.first).id, .sondes(answer)))
        outcome += script.wait(1)
        #expect(outcome.questions.map(\.query.launchAt.iso8601) == ["2026-01-01T22:15:00.000Z"])
        for question in outcome.questions {
            let landing = Chased.prediction(from: site.coordinate, 20_000, at: question.query.launchAt)
            outcome += script.run(.answered(question.id, .prediction(landing)))
        }
        #expect(outcome.told(.launchNear).count == 1)
    }

    /// The stream delivers while the clock is two hours off. Frames from the future are refused, and no delay is
    /// published. After a poll has brought SondeHub's time, the frames are published with their own ages.
    @Test(arguments: [-7200.0, 7200]) func theStreamWithAWrongClock(_ error: Double) throws {
        var script = Script(sondeHub: Self.options(), isClockSynced: false)
        script.connect()
        var outcome = script.command(#"{"hunt":"V1"}"#) + script.wait(1)
        let stream = try #require(outcome.streams.first)
        script.run(.answered(stream.id, .stream(.opened)))
        func frame(_ script: inout Script) -> Script.Outcome {
            let record = Script.record("V1", at: Self.seconds(script) - error - 2, altitude: 9000)
            return script.run(.answered(stream.id, .stream(.frames(SondeHubAnswer(records: [record])))))
        }
        _ = frame(&script)
        #expect(script.stateReport?.sondeHub.streamDelay == nil)
        var answer = SondeHubAnswer(records: [])
        answer.answeredAt = script.now.wall.advanced(by: .seconds(-error))
        outcome += script.wait(20)
        script.run(.answered(try #require(outcome.polls.first).id, .sondes(answer)))
        script.wait(5)
        let live = frame(&script)
        let position = try #require(live.positions.first)
        #expect(position.age(at: script.now.monotonic) <= .seconds(25) && script.state == .aprsFlying)
    }
}
