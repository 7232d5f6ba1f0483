import Foundation
import ReceiverProtocol
import Testing

@testable import GatewayCore

@Suite struct CommandTests {
    /// Bodies that are refused -> the code.
    @Test(arguments: [
        ("", "bad_json"), ("{", "bad_json"), ("nonsense", "bad_json"), ("[1]", "not_an_object"), ("7", "not_an_object"),
        ("{}", "no_verb"), ("{\"id\":1}", "no_verb"), ("{\"reboot\":true}", "unknown_key"),
        ("{\"Re\":1}", "unknown_key"),
        ("{\"mute\":true,\"x\":1}", "unknown_key"), ("{\"mute\":true,\"frequency\":404}", "two_verbs"),
        ("{\"mute\":true,\"type\":\"RS41\"}", "two_verbs"), ("{\"mute\":1}", "wrong_type"),
        ("{\"mute\":\"ON\"}", "wrong_type"), ("{\"mute\":null}", "wrong_type"),
        ("{\"id\":true,\"mute\":true}", "wrong_type"),
        ("{\"frequency\":\"404\"}", "wrong_type"), ("{\"frequency\":399.999}", "out_of_range"),
        ("{\"frequency\":406.001}", "out_of_range"), ("{\"frequency\":404.2001}", "out_of_range"),
        ("{\"frequency\":1e999}", "bad_json"), ("{\"frequency\":-404}", "out_of_range"),
        ("{\"frequency\":404,\"type\":\"C50\"}", "out_of_range"), ("{\"frequency\":404,\"type\":7}", "wrong_type"),
        ("{\"request\":\"reboot\"}", "wrong_type"), ("{\"settings\":{}}", "wrong_type"),
        ("{\"settings\":{\"sleep\":1}}", "unknown_key"), ("{\"settings\":{\"rs41.rxbw\":20}}", "out_of_range"),
        ("{\"settings\":{\"rs41.rxbw\":\"4\"}}", "wrong_type"), ("{\"settings\":{\"rs41.rxbw\":4.5}}", "wrong_type"),
        ("{\"settings\":{\"rs41.rxbw\":99999999999999999999}}", "wrong_type"),
        ("{\"settings\":{\"myCall\":\"A{B\"}}", "out_of_range"),
        ("{\"settings\":{\"myCall\":\"TOOLONG99\"}}", "out_of_range"),
        ("{\"settings\":{\"vBatMin\":4000,\"vBatMax\":3500}}", "out_of_range"),
        ("{\"settings\":{\"vBatMax\":3000,\"vBatMin\":3000}}", "out_of_range"),
        ("{\"settings\":{\"blu\":0}}", "dangerous"), ("{\"settings\":{\"oled_sda\":21}}", "dangerous"),
        ("{\"settings\":{\"baud\":1}}", "dangerous"), ("{\"settings\":{\"com\":1}}", "dangerous"),
        ("{\"tune\":{\"save\":false}}", "wrong_type"), ("{\"tune\":{\"offset_hz\":10001}}", "out_of_range"),
        ("{\"tune\":{\"save\":true,\"offset_hz\":1}}", "wrong_type"), ("{\"hunt\":\"\"}", "wrong_type"),
        ("{\"landing_point\":{\"latitude\":91,\"longitude\":0}}", "out_of_range"),
        ("{\"landing_point\":{\"latitude\":1}}", "wrong_type"), ("{\"predict\":false}", "wrong_type"),
        ("{\"options\":{}}", "wrong_type"), ("{\"accept_proposal\":1}", "wrong_type"),
        ("{\"accept_proposal\":true}", "no_proposal"), ("{\"hunt\":\"V4210150\"}", "unavailable"),
        ("{\"options\":{\"frequency_sync\":\"always\"}}", "out_of_range"),
        ("{\"options\":{\"frequency_sync\":1}}", "wrong_type"), ("{\"options\":{\"speed\":1}}", "unknown_key"),
        ("{\"options\":{\"frequency_sync\":\"auto\"}}", "unavailable"), ("{\"predict\":true}", "unavailable"),
        ("{\"options\":{\"burst_altitude_m\":33000}}", "unavailable"),
        ("{\"landing_point\":{\"latitude\":47.1,\"longitude\":8.2}}", "unavailable"),
        ("{\"tune\":{\"save\":true}}", "no_afc"),
        ("{\"a\":\"" + String(repeating: "x", count: 4096) + "\"}", "too_long"),
        (String(repeating: "[", count: 4000), "bad_json"), ("{\"mute\":true}\u{0}", "bad_json"),
    ])
    func refusals(_ body: String, _ code: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body)
        #expect(outcome.answers == ["rejected:\(code)!"])
        #expect(outcome.written.isEmpty)
        #expect(outcome.commandAnswers.first?.error?.message.isEmpty == false)
    }

    /// A refusal says which command it refuses, as far as that is known.
    @Test(
        arguments: [
            ("command", "{\"frequency\":500}", "tune"), ("command", "{\"tune\":{}}", "frequency_offset"),
            ("command", "{\"mute\":true,\"type\":\"RS41\"}", nil), ("command", "[]", nil),
            ("mute/set", "maybe", "mute"), ("frequency/set", "x", "tune"),
        ] as [(String, String, String?)])
    func refusalsNameTheCommand(_ topic: String, _ body: String, _ name: String?) throws {
        var script = Script()
        script.connect()
        let answer = try #require(script.command(body, topic: topic).objects(on: "/command/response").first)
        #expect(answer["command"] as? String == name)
        #expect(answer["status"] as? String == "rejected")
    }

    /// Accepted bodies -> what is written first.
    @Test(arguments: [
        ("{\"frequency\":404.2,\"type\":\"RS41\"}", "o{f=404.20/tipo=1}o"),
        ("{\"frequency\":404.2}", "o{f=404.20/tipo=1}o"),
        ("{\"type\":\"M10\"}", "o{f=403.50/tipo=3}o"), ("{\"mute\":true}", "o{mute=1}o"),
        ("{\"request\":\"settings\"}", "o{?}o"), ("{\"tune\":{\"offset_hz\":-1200}}", "o{freqofs=-1200}o"),
        ("{\"settings\":{\"rs41.rxbw\":4,\"myCall\":\"HB9XYZ\"}}", "o{myCall=HB9XYZ/rs41.rxbw=4}o"),
        ("{\"settings\":{\"rs41.rxbw\":4.0}}", "o{rs41.rxbw=4}o"), ("{\"id\":\"a\",\"mute\":false}", "o{mute=0}o"),
    ])
    func accepted(_ body: String, _ write: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.written == [write])
    }

    /// The dashboards' topics: topic, payload -> what is written, or the refusal.
    @Test(arguments: [
        ("frequency/set", "404.2", "o{f=404.20/tipo=1}o"), ("frequency/set", " 404.200\n", "o{f=404.20/tipo=1}o"),
        ("frequency/set", "{\"frequency\":405}", "o{f=405.00/tipo=1}o"),
        ("frequency/set", "4e2", "rejected:wrong_type!"),
        ("frequency/set", "", "rejected:wrong_type!"), ("frequency/set", "399", "rejected:out_of_range!"),
        ("sonde_type/set", "M20", "o{f=403.50/tipo=2}o"), ("sonde_type/set", "rs41", "o{f=403.50/tipo=1}o"),
        ("sonde_type/set", "IMET4", "rejected:out_of_range!"), ("mute/set", "ON", "o{mute=1}o"),
        ("mute/set", "OFF", "o{mute=0}o"), ("mute/set", "1", "o{mute=1}o"), ("mute/set", "0", "o{mute=0}o"),
        ("mute/set", "true", "o{mute=1}o"), ("mute/set", "false", "o{mute=0}o"),
        ("mute/set", "{\"mute\":true}", "o{mute=1}o"),
        ("mute/set", "maybe", "rejected:wrong_type!"), ("request/settings", "", "o{?}o"),
        ("request/settings", "x", "o{?}o"),
        // Quoted, as some dashboards send them; they were refused.
        ("mute/set", "\"ON\"", "o{mute=1}o"), ("frequency/set", "\"404.2\"", "o{f=404.20/tipo=1}o"),
        ("sonde_type/set", "\"M20\"", "o{f=403.50/tipo=2}o"), ("frequency/set", " \" 404.2 \" ", "o{f=404.20/tipo=1}o"),
        ("mute/set", "\"", "rejected:wrong_type!"),
    ])
    func scalars(_ topic: String, _ payload: String, _ expected: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(payload, topic: topic)
        #expect((outcome.written.first ?? outcome.answers.first) == expected)
    }

    /// JSON on a topic of one command is that command only, so that a broker's access list can give a dashboard the mute
    /// and nothing else. Any command was taken on any of them.
    @Test(arguments: [
        ("mute/set", "{\"frequency\":404}"), ("mute/set", "{\"request\":\"settings\"}"),
        ("mute/set", "{\"settings\":{\"rs41.rxbw\":4}}"), ("frequency/set", "{\"mute\":true}"),
        ("sonde_type/set", "{\"hunt\":\"V1\"}"), ("request/settings", "{\"settings\":{\"rs41.rxbw\":4}}"),
        ("request/settings", "{\"request\":\"health\"}"), ("frequency/set", "{\"log_level\":\"debug\"}"),
    ])
    func aTopicOfOneCommandTakesNoOther(_ topic: String, _ body: String) {
        var script = Script(sondeHub: SondeHubOptions())
        script.connect()
        let outcome = script.command(body, topic: topic)
        #expect(outcome.answers == ["rejected:wrong_topic!"])
        #expect(outcome.written.isEmpty)
    }

    /// JSON on those topics carries its `id` back; that of `request/settings` was ignored.
    @Test(arguments: [
        ("request/settings", "{\"id\":7,\"request\":\"settings\"}"), ("mute/set", "{\"id\":7,\"mute\":true}"),
        ("frequency/set", "{\"id\":7,\"frequency\":404}"), ("sonde_type/set", "{\"id\":7,\"type\":\"M10\"}"),
    ])
    func jsonOnATopicOfOneCommandHasItsID(_ topic: String, _ body: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body, topic: topic)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.commandAnswers.first?.origin.id == .integer(7))
    }

    /// Ids beyond 64 bits lost their last digits in a double.
    @Test(arguments: ["9223372036854775807", "9223372036854775808", "18446744073709551615", "-98765432109876543210123"])
    func longIDsKeepTheirDigits(_ id: String) throws {
        struct Answer: Decodable {
            var id: Decimal
        }
        var script = Script()
        script.connect()
        let answer = try #require(script.command("{\"id\":\(id),\"mute\":true}").messages(on: "/response").first)
        #expect(try JSONDecoder().decode(Answer.self, from: Data(answer.payload)).id == Decimal(string: id))
    }

    /// An empty retained message is how a topic is cleared; it was answered as a refused command.
    @Test(arguments: ["command", "frequency/set", "sonde_type/set", "mute/set", "request/settings"])
    func aClearedTopicIsNoCommand(_ topic: String) {
        var script = Script()
        script.connect()
        #expect(script.command("", topic: topic, isRetained: true).actions.isEmpty)
    }

    @Test func notUTF8IsRefused() {
        var script = Script()
        script.connect()
        for topic in ["command", "frequency/set", "mute/set", "sonde_type/set"] {
            let message = IncomingMessage(topic: "sondygo/test/\(topic)", payload: [0xff, 0xfe, 0x7b])
            #expect(script.receive(message).commandAnswers.map(\.status) == [.rejected])
        }
    }

    @Test func retainedCommandsAreNeverExecuted() {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"id\":5,\"mute\":true}", isRetained: true)
        #expect(outcome.answers == ["rejected:retained!"])
        #expect(outcome.commandAnswers.first?.origin.id == .integer(5))
        #expect(outcome.written.isEmpty)
    }

    @Test func answersGoToTheResponseTopicWithItsCorrelation() throws {
        var script = Script()
        script.connect()
        let outcome = script.command(
            "{\"id\":\"x\",\"mute\":true}", responseTopic: "my/answers", correlationData: [1, 2, 3])
        let answer = try #require(outcome.messages(on: "my/answers").first)
        #expect(answer.correlationData == [1, 2, 3])
        #expect(answer.object?["id"] as? String == "x")
        #expect(answer.object?["command"] as? String == "mute")
    }

    /// Who may command could make the gateway publish on Home Assistant's topics, or on another gateway's.
    @Test(arguments: [
        "sondygo/test/position", "sondygo/test/command", "sondygo/other/bridge/state", "sondygo",
        "homeassistant/status",
        "homeassistant/device/x/config", "a/#", "+/x", "$SYS/x", "", "a\nb",
    ])
    func answersNeverGoWhereTheyDoHarm(_ topic: String) {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: topic)
        #expect(outcome.answers == ["rejected:response_topic!"])
        #expect(outcome.published.map(\.topic) == ["sondygo/test/command/response"])
        #expect(outcome.written.isEmpty)
    }

    @Test(arguments: ["sondygo/test/command/response", "sondygo/test/command/response/me", "my/answers", "sondygo2/x"])
    func answersGoWhereTheyAreAskedTo(_ topic: String) {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: topic)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.published.map(\.topic) == [topic])
    }

    /// Home Assistant may listen below another prefix.
    @Test func answersNeverGoBelowTheDiscoveryPrefix() {
        let options = HomeAssistantOptions(isEnabled: true, prefix: "ha/discovery", version: "1")
        var script = Script(homeAssistant: options)
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: "ha/discovery/switch/x/config")
        #expect(outcome.answers == ["rejected:response_topic!"])
    }

    @Test func withoutALinkEverythingIsRefusedAtOnce() {
        var script = Script()
        script.brokerConnected()
        for body in ["{\"mute\":true}", "{\"frequency\":404}", "{\"request\":\"settings\"}"] {
            #expect(script.command(body).answers == ["rejected:receiver_offline!"])
        }
    }

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

    /// Over Bluetooth the receiver's answer often overtakes the word that the write has arrived.
    @Test func anAnswerThatOvertakesItsWriteCounts() {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"request\":\"settings\"}")
        #expect(script.frame(Script.configuration).answers == [])
        let written = script.run(.writeFinished(outcome.writeIDs[0], succeeded: true))
        #expect(written.answers == ["written", "confirmed!"])
        // Of a write that failed it proves nothing.
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
            receiver.take(script.takeWrites(script.wait(1)))
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

    /// What needs no receiver is done at once, also without a link.
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

    /// Everybody gets a last word, and what is retained is put right before the gateway says good-bye: `state` stayed
    /// what it was last.
    @Test func stoppingAnswersEverybody() {
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

    @Test func typeWithoutTipoNeedsAType() {
        var script = Script()
        script.connect()
        script.frame("0/C50/403.500/120.5/100/4260/0/3.10/o")
        #expect(script.command("{\"frequency\":404}").answers == ["rejected:type_required!"])
    }
}

/// A receiver that does what is written to it, and shows it with a frame each half second.
private struct Tuned {
    var shown = "0/RS41/403.500"

    mutating func take(_ outcome: Script.Outcome) {
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
            take(next)
            let written = script.takeWrites(next)
            take(written)
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
