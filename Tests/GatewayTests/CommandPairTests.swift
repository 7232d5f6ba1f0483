import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports

/// Commands that depend on another command or on the receiver's restart.
@Suite struct CommandPairTests {
    /// A setting that restarts the receiver is written once. An earlier version wrote it again after 4 s: the receiver
    /// restarted twice, the command timed out although it was applied, and the new link's request for the settings had
    /// to wait.
    @Test(arguments: [0.5, 3, 9, 14])
    func aRestartingReceiverConfirmsOnItsNewLink(_ secondsAway: Double) {
        var script = Script(policy: CommandPolicy(allowsDangerousSettings: true))
        script.connect()
        script.takeWrites(script.wait(1))
        script.frame(Script.configuration)
        let outcome = script.command("{\"settings\":{\"lcd\":1}}")
        #expect(outcome.written == ["o{lcd=1}o"])
        script.takeWrites(outcome)
        // This command waits for the first.
        script.command("{\"mute\":true}")
        script.closeLink()
        var later = script.wait(secondsAway)
        script.openLink()
        later += script.frame(Script.searching)
        let asked = script.wait(0.6)
        #expect((later + asked).written == ["o{?}o"], "ahead of the queue, and nothing twice")
        script.takeWrites(asked)
        let shown = script.frame(Script.configuration.replacing("/4180/1/0/", with: "/4180/1/1/"))
        #expect(shown.answers.first == "confirmed!")
        #expect(shown.written == (secondsAway < 10 ? ["o{mute=1}o"] : []), "what waited for too long is not sent")
    }

    /// A command whose value no type 3 shows ends as written, also if the receiver restarts.
    @Test func aRestartThatCannotBeShownEndsAsWritten() {
        var script = Script(policy: CommandPolicy(allowsDangerousSettings: true))
        script.connect()
        script.takeWrites(script.command("{\"settings\":{\"blu\":1}}"))
        script.closeLink()
        script.wait(6)
        script.openLink()
        script.frame(Script.searching)
        script.takeWrites(script.wait(0.6))
        #expect(script.frame(Script.configuration).answers == ["written!"])
    }

    /// If the receiver does not return, the command gets one answer after 20 s.
    @Test func aReceiverThatStaysAwayAfterARestartTimesOut() {
        var script = Script()
        script.connect()
        let outcome = script.takeWrites(script.command("{\"settings\":{\"lcd\":1}}"))
        script.closeLink()
        #expect((outcome + script.wait(19.9)).commandAnswers.allSatisfy { !$0.isFinal })
        #expect(script.wait(0.2).answers == ["timed_out:timed_out!"])
    }

    /// Two halves of one tuning. The second comes while the first waits, is in flight or is confirmed. The receiver
    /// ends with both. In an earlier version they undid each other, although both were confirmed.
    @Test(arguments: [
        ("{\"frequency\":404.1}", "{\"type\":\"M10\"}"), ("{\"type\":\"M10\"}", "{\"frequency\":404.1}"),
    ])
    func twoHalvesOfATuningAreOne(_ first: String, _ second: String) {
        for delay in [0, 0.1, 0.3, 0.6, 0.9, 1.5, 3] {
            var script = Script()
            script.connect()
            var receiver = Tuned()
            receiver.apply(script.takeWrites(script.wait(1)))
            script.frame(Script.configuration)
            var outcome = receiver.live(&script, after: script.command(first), seconds: delay)
            outcome += receiver.live(&script, after: script.command(second), seconds: 10)
            #expect(receiver.shown == "0/M10/404.100", "\(delay) s apart")
            #expect(outcome.answers.filter { $0.hasSuffix("!") } == ["confirmed!", "confirmed!"])
        }
    }

    /// A newer tune that replaces a waiting one keeps the half that it doesn't set.
    @Test func aNewerHalfTakesTheWaitingOther() {
        var script = Script()
        script.connect()
        #expect(script.command("{\"mute\":true}").written == ["o{mute=1}o"])
        script.command("{\"frequency\":404.1}")
        let replaced = script.command("{\"type\":\"M10\"}")
        #expect(replaced.answers == ["rejected:superseded!", "accepted"])
        #expect(
            replaced.commandAnswers.last?.applied == ["frequency": .number(404.1), "type": "M10"])
    }

    /// A battery limit is checked against one that waits or is in flight, not only against the receiver's.
    @Test(arguments: [
        ("{\"settings\":{\"vBatMin\":3900}}", "{\"settings\":{\"vBatMax\":3800}}"),
        ("{\"settings\":{\"vBatMax\":3100}}", "{\"settings\":{\"vBatMin\":3200}}"),
    ])
    func batteryLimitsNeverCross(_ first: String, _ second: String) {
        var script = Script()
        script.connect()
        script.takeWrites(script.wait(1))
        script.frame(Script.configuration)
        #expect(script.command(first).answers == ["accepted"])
        #expect(script.command(second).answers == ["rejected:out_of_range!"])
    }
}

/// A receiver that carries out each write and sends a frame each half second.
private struct Tuned {
    var shown = "0/RS41/403.500"

    mutating func apply(_ outcome: Script.Outcome) {
        for text in outcome.written {
            guard let match = text.wholeMatch(of: /o\{f=([0-9.]+)\/tipo=([0-9])\}o/), let code = Int(match.2) else {
                continue
            }
            let type = SondeType.tunable.first { $0.tuneCode == code }
            shown = "0/\(type?.name ?? "?")/\(match.1)0"
        }
    }

    /// The transport accepts each write, and the receiver sends frames for some seconds.
    mutating func live(_ script: inout Script, after outcome: Script.Outcome, seconds: Double) -> Script.Outcome {
        var all = outcome
        var next = outcome
        var left = seconds
        repeat {
            apply(next)
            let written = script.takeWrites(next)
            apply(written)
            all += written
            guard left > 0 else { break }
            let step = min(0.5, left)
            left -= step
            next = script.wait(step) + script.frame(shown + "/120.5/100/4260/0/3.10/o")
            all += next
        } while true
        return all
    }
}
