import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// Before the evening's launch, SondeHub's newest sonde is that of the previous launch. It is shown, but is no news.
@Suite struct OldSondeTests {
    /// SondeHub's records of a sonde: its flight, every 30 s, until `age` seconds ago.
    private static func flight(_ serial: String, age: Double) -> [SondeHubRecord] {
        (0...200).map { index in
            let altitude = index <= 100 ? 500 + Double(index) * 300 : 30_500 - Double(index - 100) * 290
            return Script.record(
                serial, at: Double(index - 200) * 30 - age, latitude: 47 + Double(index) * 0.001, altitude: altitude)
        }
    }

    /// Lets time pass. SondeHub answers polls with `records`, and questions for a track with `track`.
    private static func pass(
        _ script: inout Script, _ seconds: Int, _ records: (Script) -> [SondeHubRecord], track: [SondeHubRecord] = []
    ) -> Script.Outcome {
        var outcome = Script.Outcome()
        for _ in 0..<seconds {
            var open = script.wait(1)
            outcome += open
            while !open.polls.isEmpty || !open.tracks.isEmpty {
                var answered = Script.Outcome()
                for poll in open.polls { answered += script.answer(poll.id, records(script)) }
                for call in open.tracks { answered += script.answerTrack(call.id, track) }
                outcome += answered
                open = answered
            }
        }
        return outcome
    }

    private static func fresh(_ serial: String) -> (Script) -> [SondeHubRecord] {
        { script in
            var record = Script.record(serial, altitude: 3000)
            record.time = script.now.wall.advanced(by: .seconds(-5))
            return [record]
        }
    }

    /// The age of the sonde's last record, seconds, and whether SondeHub still gives its track.
    @Test(arguments: [(39_600.0, false), (4800, true), (400, true)])
    func anOldSondeIsNoNews(_ age: Double, _ hasTrack: Bool) throws {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        let flight = Self.flight("V1", age: age)
        let last = try #require(flight.last)
        let begun = Self.pass(&script, 90, { _ in [last] }, track: hasTrack ? flight : [])
        #expect(script.serial == "V1" && begun.told(.sondeChanged).count == 1)
        #expect(begun.told(.landed).count == (hasTrack ? 1 : 0))
        #expect(begun.spoken.map(\.text) == [])
        #expect(begun.told(.landed).allSatisfy { !$0.isNews } && begun.told(.burst).allSatisfy { !$0.isNews })
        // The evening's sonde is news.
        let evening = script.command("{\"hunt\":null}") + Self.pass(&script, 60, Self.fresh("V2"))
        // V1 is named only if it was heard within an hour.
        let old = age < 3600 ? ", after V1" : ""
        #expect(
            evening.spoken.map(\.text).sorted() == ["New sonde V2, type RS41\(old).", "SondeHub has the sonde."])
    }

    /// When the old sonde is heard again, it is introduced.
    @Test(arguments: [true, false]) func anOldSondeIsHeardAgain(_ isByReceiver: Bool) {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        let old = Script.record("V4210150", at: -600, latitude: 47.38)
        var outcome = Self.pass(&script, 30, { _ in [old] })
        #expect(outcome.spoken.isEmpty)
        if isByReceiver {
            script.openLink()
            for _ in 0..<10 { outcome += script.frame(Script.position()) + script.wait(1) }
        } else {
            outcome += script.command("{\"hunt\":null}") + Self.pass(&script, 10, Self.fresh("V4210150"))
        }
        #expect(outcome.spoken(.sondeChanged).map(\.text) == ["First sonde V4210150, type RS41."])
        #expect(outcome.spoken(.stateChanged).map(\.text) == (isByReceiver ? [] : ["SondeHub has the sonde."]))
        #expect(outcome.told(.sondeChanged).count == 1)
    }

    /// A state that waits to be said is dropped when another state comes, unless it is a loss.
    @Test func aStateThatIsOverIsNotSaid() {
        let landed = Announcement.stateChanged(.aprsLanded, from: .aprsFlying, .landed)
        for (state, isSaid) in [(TelemetryState.aprsFlying, false), (.waitingForAPRS, true)] {
            var speech = Speech()
            let waiting = Announcement.stateChanged(state, from: .startup, .sondeHubTelemetry)
            _ = speech.queue(waiting, at: .zero)
            speech.overtake(by: .storeRecovered)
            speech.overtake(by: landed)
            #expect(speech.next(at: .zero, length: { _ in .seconds(3) }) == (isSaid ? waiting : nil))
        }
    }

    /// The sonde's age, seconds, and whether somebody hunts it -> the questions for reports of its recovery in an hour.
    @Test(arguments: [(39_600.0, false, 2...6), (39_600, true, 20...31), (3700, false, 20...31)])
    func reportsOfRecoveryAreAskedForSeldom(_ age: Double, _ isHunted: Bool, _ questions: ClosedRange<Int>) {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        let record = Script.record("V1", at: -age, altitude: 600)
        if isHunted { script.command("{\"hunt\":\"V1\"}") }
        var count = 0
        for _ in 0..<360 {
            let step = script.wait(10)
            for poll in step.polls { script.answer(poll.id, [record]) }
            for case .call(let id, .recoveries) in step.actions {
                count += 1
                script.run(.answered(id, .recoveries([])))
            }
        }
        #expect(questions.contains(count), "\(count)")
    }
}
