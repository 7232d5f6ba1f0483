import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports

/// Commands whose fate hangs on another one or on the receiver's restart.
@Suite struct CommandPairTests {
    /// A setting that restarts the receiver is written once. It was written again after 4 s, which restarted the receiver
    /// a second time, ended as timed out although applied, and kept the new link's question for its settings waiting.
    @Test(arguments: [0.5, 3, 9, 14])
    func aRestartingReceiverConfirmsOnItsNewLink(_ secondsAway: Double) {
        var script = Script(policy: CommandPolicy(allowsDangerousSettings: true))
        script.connect()
        script.takeWrites(script.wait(1))
        script.frame(Script.configuration)
        let outcome = script.command("{\"settings\":{\"lcd\":1}}")
        #expect(outcome.written == ["o{lcd=1}o"])
        script.takeWrites(outcome)
        // Waits behind it.
        script.command("{\"mute\":true}")
        script.closeLink()
        var later = script.wait(secondsAway)
        script.openLink()
        later += script.frame(Script.searching)
        let asked = script.wait(0.6)
        #expect((later + asked).written == ["o{?}o"], "ahead of the queue, and nothing twice")
        script.takeWrites(asked)
        let shown = script.frame(Script.configuration.replacing("/1/0/0/0/3.10", with: "/1/1/0/0/3.10"))
        #expect(shown.answers.first == "confirmed!")
        #expect(shown.written == (secondsAway < 10 ? ["o{mute=1}o"] : []), "what waited for too long is not sent")
    }

    /// What a type 3 doesn't show ends as written, also over the restart.
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

    /// A receiver that never comes back: one answer, after 20 s.
    @Test func aReceiverThatStaysAwayAfterARestartTimesOut() {
        var script = Script()
        script.connect()
        let outcome = script.takeWrites(script.command("{\"settings\":{\"lcd\":1}}"))
        script.closeLink()
        #expect((outcome + script.wait(19.9)).commandAnswers.allSatisfy { !$0.isFinal })
        #expect(script.wait(0.2).answers == ["timed_out:timed_out!"])
    }

    /// Two halves of one tuning, the second while the first waits, is on its way or is shown already -> what the
    /// receiver is left on. They undid each other, both confirmed: the receiver was tuned away from the balloon.
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

    /// A newer tune that replaces a waiting one takes over the half that it doesn't set.
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

    /// Battery limits are weighed against the one that waits or is on its way, not only against what is shown.
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

/// A receiver that does what is written to it, and shows it with a frame each half second.
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

    /// The transport takes every write and the receiver goes on for a while.
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
