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
        let actions = script.command(body)
        #expect(actions.answers == ["rejected:\(code)!"])
        #expect(actions.written.isEmpty)
        let text = actions.texts(on: "/command/response").first ?? ""
        #expect(text.contains("\"message\":\""))
    }

    /// A refusal says which command it refuses, as far as that is known.
    @Test(arguments: [
        ("command", "{\"frequency\":500}", "\"tune\""), ("command", "{\"tune\":{}}", "\"frequency_offset\""),
        ("command", "{\"mute\":true,\"type\":\"RS41\"}", "null"), ("command", "[]", "null"),
        ("mute/set", "maybe", "\"mute\""), ("frequency/set", "x", "\"tune\""),
    ])
    func refusalsNameTheCommand(_ topic: String, _ body: String, _ name: String) {
        var script = Script()
        script.connect()
        let text = script.command(body, topic: topic).texts(on: "/command/response").first ?? ""
        #expect(text.contains("\"command\":\(name),\"status\":\"rejected\""))
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
        let actions = script.command(body)
        #expect(actions.answers == ["accepted"])
        #expect(actions.written == [write])
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
    ])
    func scalars(_ topic: String, _ payload: String, _ expected: String) {
        var script = Script()
        script.connect()
        let message = IncomingMessage(topic: "sondygo/test/\(topic)", payload: Array(payload.utf8))
        let actions = script.run(.message(message))
        #expect((actions.written.first ?? actions.answers.first) == expected)
    }

    @Test func notUTF8IsRefused() {
        var script = Script()
        script.connect()
        for topic in ["command", "frequency/set", "mute/set", "sonde_type/set"] {
            let message = IncomingMessage(topic: "sondygo/test/\(topic)", payload: [0xff, 0xfe, 0x7b])
            #expect(script.run(.message(message)).answers.first?.hasPrefix("rejected:") == true)
        }
    }

    @Test func retainedCommandsAreNeverExecuted() {
        var script = Script()
        script.connect()
        let body = Array("{\"id\":5,\"mute\":true}".utf8)
        let actions = script.run(
            .message(IncomingMessage(topic: "sondygo/test/command", payload: body, isRetained: true)))
        #expect(actions.answers == ["rejected:retained!"])
        #expect(actions.texts(on: "/response").first?.contains("\"id\":5") == true)
        #expect(actions.written.isEmpty)
    }

    @Test func answersGoToTheResponseTopicWithItsCorrelation() {
        var script = Script()
        script.connect()
        let message = IncomingMessage(
            topic: "sondygo/test/command", payload: Array("{\"id\":\"x\",\"mute\":true}".utf8),
            responseTopic: "my/answers",
            correlationData: [1, 2, 3])
        let answer = script.run(.message(message)).published.first { $0.historyTopic != nil }
        #expect(answer?.topic == "my/answers")
        #expect(answer?.correlationData == [1, 2, 3])
        let text = answer.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(text?.hasPrefix("{\"id\":\"x\",\"command\":\"mute\"") == true)
    }

    @Test(arguments: ["sondygo/test/position", "sondygo/test/command", "a/#", "+/x", "$SYS/x", "", "a\nb"])
    func answersNeverGoWhereTheyDoHarm(_ topic: String) {
        var script = Script()
        script.connect()
        let message = IncomingMessage(
            topic: "sondygo/test/command", payload: Array("{\"mute\":true}".utf8), responseTopic: topic)
        let actions = script.run(.message(message))
        #expect(actions.answers == ["rejected:response_topic!"])
        #expect(actions.published.allSatisfy { $0.topic == "sondygo/test/command/response" })
        #expect(actions.written.isEmpty)
    }

    @Test func withoutALinkEverythingIsRefusedAtOnce() {
        var script = Script()
        script.run(.brokerConnected)
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
        var actions = script.command("{\"settings\":{\"rs41.rxbw\":4}}")
        #expect(actions.written == ["o{rs41.rxbw=4}o"])
        actions = script.run(.writeFinished(actions.writeIDs[0], succeeded: true))
        #expect(actions.written == ["o{?}o"])
        actions = script.run(.writeFinished(actions.writeIDs[0], succeeded: true))
        #expect(actions.answers == ["written"])
        #expect(script.frame(Script.configuration).answers == [])
        let changed = Script.configuration.replacing("/25/1/7/", with: "/25/4/7/")
        #expect(script.frame(changed).answers == ["confirmed!"])
    }

    /// Over Bluetooth the receiver's answer often overtakes the word that the write has arrived.
    @Test func anAnswerThatOvertakesItsWriteCounts() {
        var script = Script()
        script.connect()
        let actions = script.command("{\"request\":\"settings\"}")
        #expect(script.frame(Script.configuration).answers == [])
        let written = script.run(.writeFinished(actions.writeIDs[0], succeeded: true))
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
        var later: [GatewayAction] = []
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
        let actions = script.command("{\"frequency\":402}")
        #expect(actions.answers == ["rejected:superseded!", "accepted"])
        #expect(script.machine.commands.depth == 2)
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
        script.run(.linkClosed(.silent))
        let lost = script.wait(11)
        #expect(lost.answers.sorted() == ["rejected:receiver_offline!", "timed_out:timed_out!"])
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)))
        let back = script.frame(Script.searching) + script.wait(0.4)
        #expect(back.written == [])
        #expect(script.machine.commands.depth == 0)
    }

    @Test func aRestartingReceiverStillConfirms() {
        var script = Script(policy: CommandPolicy(allowsDangerousSettings: true))
        script.connect()
        script.takeWrites(script.command("{\"settings\":{\"lcd\":1}}"))
        script.run(.linkClosed(.transport(TransportError(.closedByPeer, "restart"))))
        script.wait(2)
        script.run(.linkOpened(ReceiverPeer(name: "x", maximumWriteLength: 128)))
        script.frame(Script.searching)
        let shown = Script.configuration.replacing("/1/0/0/0/3.10", with: "/1/1/0/0/3.10")
        #expect(script.frame(shown).answers == ["confirmed!"])
    }

    @Test func stoppingAnswersEverybody() {
        var script = Script()
        script.connect()
        script.command("{\"mute\":true}")
        script.command("{\"frequency\":404}")
        let actions = script.run(.stopping)
        #expect(actions.answers == ["rejected:stopping!", "rejected:stopping!"])
        #expect(actions.published.last.map { String(decoding: $0.payload, as: UTF8.self) } == "offline")
        #expect(actions.published.last?.topic == "sondygo/test/bridge/state")
    }

    @Test func typeWithoutTipoNeedsAType() {
        var script = Script()
        script.connect()
        script.frame("0/C50/403.500/120.5/100/4260/0/3.10/o")
        #expect(script.command("{\"frequency\":404}").answers == ["rejected:type_required!"])
    }
}
