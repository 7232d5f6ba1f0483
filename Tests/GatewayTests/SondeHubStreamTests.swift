import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports

/// SondeHub's live stream beside the polls.
@Suite struct SondeHubStreamTests {
    private var options: SondeHubOptions {
        var options = SondeHubOptions.payerne
        options.streams = true
        return options
    }

    /// A script whose sonde V1 came by a poll, and whose stream is open.
    private func streaming() throws -> (script: Script, id: CallID) {
        var script = Script(sondeHub: options)
        script.connect()
        var outcome = script.answerPoll([Script.record("V1", at: -60)])
        outcome += script.wait(1)
        for track in outcome.tracks { script.answerTrack(track.id, []) }
        let stream = try #require(outcome.streams.first)
        #expect(stream.serial.canonical == "V1" && script.stateReport?.sondeHub.stream == .connecting)
        script.run(.answered(stream.id, .stream(.opened)))
        #expect(script.stateReport?.sondeHub.stream == .live)
        return (script, stream.id)
    }

    @discardableResult
    private func frame(
        _ id: CallID, age: Double, in script: inout Script, altitude: Double = 1000
    ) -> Script.Outcome {
        let seconds = script.now.monotonic.duration(since: .zero).inSeconds
        let record = Script.record("V1", at: seconds - age, altitude: altitude)
        return script.run(.answered(id, .stream(.frames(SondeHubAnswer(records: [record])))))
    }

    @Test func aFrameIsPublishedAtOnceWithItsOwnAge() throws {
        var (script, id) = try streaming()
        let position = try #require(frame(id, age: 3, in: &script).positions.first)
        #expect(position.source == .sondehub && position.age(at: script.now.monotonic) == .seconds(3))
        #expect(script.stateReport?.sondeHub.streamDelay == .seconds(3))
        #expect(script.health()?.sondeHubStream.messages == 1)
    }

    /// State -> whether a connection is wanted.
    @Test func onlyWhilePollingIsOn() throws {
        var (script, id) = try streaming()
        let heard = script.frame(Script.position("V1")) + script.wait(1)
        #expect(heard.cancelled.contains(id) && script.stateReport?.sondeHub.stream == .off)
        #expect(script.wait(10).streams.isEmpty)
        let deaf = script.closeLink() + script.wait(2)
        #expect(deaf.streams.map(\.serial.canonical) == ["V1"])
        let stopped = script.stop() + script.wait(60)
        #expect(stopped.streams.isEmpty)
    }

    @Test func nothingConnectsWithoutASondeOrWhenSwitchedOff() {
        var script = Script(sondeHub: options)
        script.connect()
        var outcome = script.answerPoll([])
        outcome += script.wait(300)
        #expect(outcome.streams.isEmpty)
        var off = Script(sondeHub: SondeHubOptions.payerne)
        off.connect()
        var other = off.answerPoll([Script.record("V1")])
        other += off.wait(300)
        #expect(other.streams.isEmpty)
    }

    /// A sonde that landed hours ago is not worth a connection, unless somebody hunts it.
    @Test func anOldSondeIsStreamedOnlyIfHunted() {
        var script = Script(sondeHub: options)
        script.connect()
        var outcome = script.answerPoll([Script.record("V1", at: -7200)])
        outcome += script.wait(60)
        #expect(outcome.streams.isEmpty)
        let hunted = script.command("{\"hunt\":\"V1\"}") + script.wait(1)
        #expect(hunted.streams.map(\.serial.canonical) == ["V1"])
    }

    /// While the stream delivers, the site is polled every 2 min. Neither the area nor the sonde itself is polled.
    @Test func pollsAreSlowWhileItDelivers() throws {
        var (script, id) = try streaming()
        var polls: [SondeHubQuery] = []
        for _ in 0..<600 {
            frame(id, age: 2, in: &script)
            for poll in script.wait(1).polls {
                polls.append(poll.query)
                script.answer(poll.id, [])
            }
            #expect(script.stateReport?.sondeHub.isAvailable == true && script.state == .aprsFlying)
        }
        #expect((4...6).contains(polls.count) && polls.allSatisfy { $0 == .site("06610") }, "\(polls)")
    }

    /// The polls are as without a stream 30 s after the end of the connection, or 60 s after the last frame.
    @Test(arguments: [(true, 30.0), (false, 58)])
    func pollsReplaceIt(endsConnection: Bool, after seconds: Double) throws {
        var (script, id) = try streaming()
        for _ in 0..<20 {
            frame(id, age: 2, in: &script)
            for poll in script.wait(1).polls { script.answer(poll.id, [Script.record("V1")]) }
        }
        frame(id, age: 2, in: &script)
        if endsConnection { script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "closed")))) }
        #expect(script.wait(seconds - 1).polls.isEmpty)
        let first = script.wait(2).polls
        #expect(first.count == 1 && script.state == .aprsFlying)
        let now = script.now.monotonic.duration(since: .zero).inSeconds
        script.answer(first.first?.id, [Script.record("V1", at: now - 10)])
        #expect(script.wait(17).polls.count == 1)
    }

    /// The next attempts come after 1 s to 30 s, and after an hour without an answer not less often.
    @Test func attemptsBackOff() throws {
        var (script, id) = try streaming()
        var waits: [Double] = []
        for _ in 0..<20 {
            script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "closed"))))
            let since = script.now.monotonic
            var next: CallID?
            while next == nil {
                let outcome = script.wait(0.5)
                next = outcome.streams.first?.id
                for poll in outcome.polls { script.answer(poll.id, [Script.record("V1")]) }
            }
            waits.append(script.now.monotonic.duration(since: since).inSeconds)
            id = try #require(next)
        }
        #expect(waits.allSatisfy { (1...30.5).contains($0) } && waits[0] < 2.5, "\(waits)")
        #expect(try #require(waits.last) >= 15)
    }

    /// An address that is refused is not asked every 30 s.
    @Test func aRefusalWaits() throws {
        var (script, id) = try streaming()
        script.run(.answered(id, .failed(OnlineServiceError(.refused, "404"))))
        #expect(script.wait(600).streams.isEmpty)
        // A sonde without news for 30 min is not streamed; somebody must hunt it.
        script.command("{\"hunt\":\"V1\"}")
        #expect(script.wait(400).streams.count == 1)
    }

    /// From the stream to the polls and back, the published times only grow.
    @Test func noJumpBackInTime() throws {
        var (script, id) = try streaming()
        var times: [WallTime] = []
        for round in 0..<6 {
            for second in 0..<40 {
                // Two stations send each frame, one later and with another fraction of a second.
                times += frame(id, age: 2, in: &script).positions.map(\.time)
                times += frame(id, age: 2.003, in: &script).positions.map(\.time)
                times += frame(id, age: 4, in: &script).positions.map(\.time)
                if second == 20, round % 2 == 0 {
                    script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "closed"))))
                }
                let outcome = script.wait(1)
                times += outcome.positions.map(\.time)
                let now = script.now.monotonic.duration(since: .zero).inSeconds
                for poll in outcome.polls {
                    let answer = script.answer(poll.id, [Script.record("V1", at: now - 70)], cacheAge: .seconds(60))
                    times += answer.positions.map(\.time)
                }
                if let next = outcome.streams.first?.id {
                    id = next
                    script.run(.answered(id, .stream(.opened)))
                }
            }
        }
        #expect(times.count > 200)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1.duration(since: $0) >= .milliseconds(500) })
        #expect(script.health()?.sondeHubStream.reconnects == 3)
    }

    /// After 15 s or more without a connection the missed frames are fetched, because polls would have brought them.
    @Test(arguments: [(10.0, 0), (20, 1)])
    func aLossIsFilled(_ seconds: Double, tracks: Int) throws {
        var (script, id) = try streaming()
        frame(id, age: 2, in: &script)
        script.wait(1)
        script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "closed"))))
        let stream = try #require(script.wait(seconds - 1).streams.first)
        script.run(.answered(stream.id, .stream(.opened)))
        let outcome = frame(stream.id, age: 2, in: &script)
        #expect(outcome.tracks.count == tracks)
    }

    /// Frames of another sonde, from the future and of a closed connection are dropped, as with polls.
    @Test func badFramesAreDropped() throws {
        var (script, id) = try streaming()
        let now = script.now.monotonic.duration(since: .zero).inSeconds
        let bad = [Script.record("V2", at: now), Script.record("V1", at: now + 90)]
        let outcome = script.run(.answered(id, .stream(.frames(SondeHubAnswer(records: bad, skipped: 3)))))
        #expect(outcome.positions.isEmpty && script.serial == "V1")
        #expect(script.health()?.sondeHubStream.messages == 5)
        script.run(.answered(id, .failed(OnlineServiceError(.unreachable, "closed"))))
        #expect(frame(id, age: 1, in: &script).positions.isEmpty)
    }

    /// The state is not published with each frame.
    @Test func theStateStaysQuiet() throws {
        var (script, id) = try streaming()
        frame(id, age: 2, in: &script)
        var states = 0
        for _ in 0..<100 {
            states += frame(id, age: 2, in: &script).states.count
            states += script.wait(1).states.count
        }
        #expect(states <= 12)
    }
}
