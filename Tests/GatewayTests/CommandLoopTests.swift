import Gateway
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

/// The end of a command: written, confirmed by a later frame, or timed out.
@Suite struct CommandLoopTests {
    @Test func closedLoopTune() {
        var script = Script()
        script.connect()
        let first = script.command("{\"frequency\":404.2,\"type\":\"M10\"}")
        #expect(first.answers == ["accepted"])
        let written = script.run(.writeFinished(first.writeIDs[0], succeeded: true))
        #expect(written.answers == ["written"])
        #expect(script.frame(Script.searching).answers == [])
        #expect(script.frame("0/M10/404.200/120.5/100/4260/0/3.10/o").answers == ["confirmed!"])
    }

    @Test func closedLoopSettingsReadBack() {
        var script = Script()
        script.connect()
        var outcome = script.command("{\"settings\":{\"rs41.rxbw\":4}}")
        #expect(outcome.written == ["o{rs41.rxbw=4}o"])
        outcome = script.run(.writeFinished(outcome.writeIDs[0], succeeded: true))
        #expect(outcome.written == ["o{?}o"])
        outcome = script.run(.writeFinished(outcome.writeIDs[0], succeeded: true))
        #expect(outcome.answers == ["written"])
        #expect(script.frame(Script.configuration).answers == [])
        let changed = Script.configuration.replacing("/25/1/7/", with: "/25/4/7/")
        #expect(script.frame(changed).answers == ["confirmed!"])
    }

    /// Over Bluetooth the receiver's answer often comes before the write's confirmation. It counts.
    @Test func anAnswerThatOvertakesItsWriteCounts() {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"request\":\"settings\"}")
        #expect(script.frame(Script.configuration).answers == [])
        let written = script.run(.writeFinished(outcome.writeIDs[0], succeeded: true))
        #expect(written.answers == ["written", "confirmed!"])
        // After a failed write it does not count.
        let failed = script.command("{\"request\":\"settings\"}")
        script.frame(Script.configuration)
        #expect(script.run(.writeFinished(failed.writeIDs[0], succeeded: false)).answers == [])
    }

    @Test func whatTheReceiverCannotShowEndsAsWritten() {
        var script = Script()
        script.connect()
        script.takeWrites(script.command("{\"settings\":{\"lcdOn\":1}}"))
        #expect(script.frame(Script.configuration).answers == ["written!"])
        script.takeWrites(script.command("{\"mute\":true}"))
        #expect(script.frame("0/RS41/403.500/120.5/100/4260/-1/3.10/o").answers == ["written!"])
    }

    @Test func retriedOnceThenTimedOut() {
        var script = Script()
        script.connect()
        script.takeWrites(script.wait(1))
        script.frame(Script.configuration)
        script.takeWrites(script.command("{\"mute\":true}"))
        var later = Script.Outcome()
        for _ in 0..<9 {
            script.frame(Script.searching)
            later += script.wait(1)
        }
        #expect(later.written == ["o{mute=1}o"])
        #expect(later.answers == ["timed_out:timed_out!"])
    }

    @Test func oneInFlightAndANewerTuneReplacesAQueuedOne() {
        var script = Script()
        script.connect()
        #expect(script.command("{\"mute\":true}").written == ["o{mute=1}o"])
        #expect(script.command("{\"frequency\":401}").written == [])
        let outcome = script.command("{\"frequency\":402}")
        #expect(outcome.answers == ["rejected:superseded!", "accepted"])
        #expect(script.health()?.commandQueueDepth == 2)
    }

    @Test func queueHoldsSixteen() {
        var script = Script()
        script.connect()
        for index in 0..<17 {
            script.advance(0.2)
            #expect(script.command("{\"mute\":true}").answers == ["accepted"], "\(index)")
        }
        script.advance(0.2)
        #expect(script.command("{\"mute\":true}").answers == ["rejected:busy!"])
    }

    @Test func tenCommandsASecond() {
        var script = Script()
        script.connect()
        for _ in 0..<10 { #expect(script.command("{\"mute\":true}").answers == ["accepted"]) }
        #expect(script.command("{\"mute\":true}").answers == ["rejected:busy!"])
        script.advance(1)
        #expect(script.command("{\"mute\":true}").answers == ["accepted"])
    }

    @Test func nothingIsReplayedAfterALongOutage() {
        var script = Script()
        script.connect()
        script.command("{\"mute\":true}")
        script.command("{\"frequency\":404}")
        script.closeLink(.silent)
        let lost = script.wait(11)
        #expect(lost.answers.sorted() == ["rejected:receiver_offline!", "timed_out:timed_out!"])
        script.openLink()
        let back = script.frame(Script.searching) + script.wait(0.4)
        #expect(back.written == [])
        #expect(script.health()?.commandQueueDepth == 0)
    }

    /// The gateway's own commands are done at once, also without a link.
    @Test func theGatewaysOwnRequests() {
        var script = Script()
        script.brokerConnected()
        let health = script.command("{\"request\":\"health\"}")
        #expect(health.answers == ["done!"])
        #expect(health.actions.contains(.measureHealth))
        let info = script.command("{\"request\":\"info\"}")
        #expect(info.answers == ["done!"])
        #expect(info.objects(on: "/bridge/info").first?["id"] as? String == "test")
        let level = script.command("{\"log_level\":\"debug\"}")
        #expect(level.answers == ["done!"])
        #expect(level.actions.contains(.setLogLevel(.debug)))
        #expect(script.command("{\"log_level\":\"loud\"}").answers == ["rejected:wrong_type!"])
        #expect(script.command("{\"forget\":\"everything\"}").answers == ["rejected:wrong_type!"])
    }

    /// A stop answers all commands, and publishes the final states before `offline`. In an earlier version
    /// `state` kept its last value.
    @Test func aStopAnswersAllCommands() {
        var script = Script()
        script.connect()
        script.frame(Script.position())
        script.command("{\"mute\":true}")
        script.command("{\"frequency\":404}")
        let outcome = script.stop()
        #expect(outcome.answers == ["rejected:stopping!", "rejected:stopping!"])
        #expect(script.state == .noTelemetry)
        #expect(outcome.objects(on: "/test/state").last?["state"] as? String == "noTelemetry")
        #expect(outcome.texts(on: "/receiver/state") == ["offline"])
        #expect(outcome.announcements.last == .stateChanged(.noTelemetry, from: .liveBLEFlying, .stopping))
        #expect(outcome.published.last?.topic == "sondygo/test/bridge/state")
        #expect(outcome.texts(on: "/bridge/state") == ["offline"])
    }

    @Test func tuningFromATypeWithoutTipoIsRefused() {
        var script = Script()
        script.connect()
        script.frame("0/C50/403.500/120.5/100/4260/0/3.10/o")
        #expect(script.command("{\"frequency\":404}").answers == ["rejected:type_required!"])
    }
}
