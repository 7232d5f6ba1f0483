import Foundation
import GatewayTestSupport
import Testing

@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// The topics of commands and of their answers.
@Suite struct CommandDoorTests {
    /// The dashboards' topics: topic, payload -> the write to the receiver, or the refusal.
    @Test(arguments: [
        ("frequency/set", "404.2", "o{f=404.20/tipo=1}o"), ("frequency/set", " 404.200\n", "o{f=404.20/tipo=1}o"),
        ("frequency/set", "{\"frequency\":405}", "o{f=405.00/tipo=1}o"),
        ("sonde_type/set", "{\"type\":\"M20\"}", "o{f=403.50/tipo=2}o"),
        ("frequency/set", "4e2", "rejected:wrong_type!"),
        ("frequency/set", "", "rejected:wrong_type!"), ("frequency/set", "399", "rejected:out_of_range!"),
        ("sonde_type/set", "M20", "o{f=403.50/tipo=2}o"), ("sonde_type/set", "rs41", "o{f=403.50/tipo=1}o"),
        ("sonde_type/set", "IMET4", "rejected:out_of_range!"), ("mute/set", "ON", "o{mute=1}o"),
        ("mute/set", "OFF", "o{mute=0}o"), ("mute/set", "1", "o{mute=1}o"), ("mute/set", "0", "o{mute=0}o"),
        ("mute/set", "true", "o{mute=1}o"), ("mute/set", "false", "o{mute=0}o"),
        ("mute/set", "{\"mute\":true}", "o{mute=1}o"),
        ("mute/set", "maybe", "rejected:wrong_type!"), ("request/settings", "", "o{?}o"),
        ("request/settings", "x", "o{?}o"),
        // Some dashboards send quoted values. Once they were refused.
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

    /// A topic of one command accepts only this command, also as JSON. So a broker's access list can restrict a
    /// dashboard to the mute. Once each of these topics accepted any command.
    @Test(arguments: [
        ("mute/set", "{\"frequency\":404}"), ("mute/set", "{\"request\":\"settings\"}"),
        ("mute/set", "{\"settings\":{\"rs41.rxbw\":4}}"), ("frequency/set", "{\"mute\":true}"),
        ("sonde_type/set", "{\"hunt\":\"V1\"}"), ("request/settings", "{\"settings\":{\"rs41.rxbw\":4}}"),
        ("request/settings", "{\"request\":\"health\"}"), ("frequency/set", "{\"log_level\":\"debug\"}"),
        // The other half of the same command is refused, too.
        ("frequency/set", "{\"type\":\"M10\"}"), ("sonde_type/set", "{\"frequency\":404}"),
        ("frequency/set", "{\"frequency\":404,\"type\":\"M10\"}"),
        ("sonde_type/set", "{\"type\":\"M10\",\"frequency\":404}"),
    ])
    func aTopicOfOneCommandRefusesOthers(_ topic: String, _ body: String) {
        var script = Script(sondeHub: SondeHubOptions.payerne)
        script.connect()
        let outcome = script.command(body, topic: topic)
        #expect(outcome.answers == ["rejected:wrong_topic!"])
        #expect(outcome.commandAnswers.first?.error?.message.hasSuffix("; send it to command") == true)
        #expect(outcome.written.isEmpty)
    }

    /// The answer to JSON on these topics repeats its `id`. Once that of `request/settings` was ignored.
    @Test(arguments: [
        ("request/settings", "{\"id\":7,\"request\":\"settings\"}"), ("request/settings", "{\"id\":7}"),
        ("mute/set", "{\"id\":7,\"mute\":true}"),
        ("frequency/set", "{\"id\":7,\"frequency\":404}"), ("sonde_type/set", "{\"id\":7,\"type\":\"M10\"}"),
    ])
    func jsonOnATopicOfOneCommandHasItsID(_ topic: String, _ body: String) {
        var script = Script()
        script.connect()
        let outcome = script.command(body, topic: topic)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.commandAnswers.first?.origin.id == .integer(7))
    }

    /// Ids beyond 64 bits keep all digits. Once they lost the last ones in a double.
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

    /// An empty retained message only clears the topic. Once it was answered as a refused command.
    @Test(arguments: ["command", "frequency/set", "sonde_type/set", "mute/set", "request/settings"])
    func aClearedTopicIsNoCommand(_ topic: String) {
        var script = Script()
        script.connect()
        #expect(script.command("", topic: topic, isRetained: true).actions.isEmpty)
    }

    /// An empty message is no command on MQTT 3.1.1, which hides the retain flag of live messages.
    @Test func withoutTheFlagAnEmptyMessageIsNoCommand() {
        var script = Script(hasExpiry: false)
        script.connect()
        for topic in ["command", "frequency/set", "sonde_type/set", "mute/set"] {
            #expect(script.command("", topic: topic).actions.isEmpty, "\(topic)")
        }
        #expect(script.command("", topic: "request/settings").answers == ["accepted"])
    }

    /// In the first second of a session without the flag a command may be old, so it is refused.
    @Test func commandsThatMayBeRetainedAreNotExecuted() {
        var script = Script(hasExpiry: false)
        script.connect()
        let body = Array("{\"id\":5,\"mute\":true}".utf8)
        let doubtful = IncomingMessage(topic: "sondygo/test/command", payload: body, mayBeRetained: true)
        let outcome = script.receive(doubtful)
        #expect(outcome.answers == ["rejected:retained!"])
        #expect(outcome.commandAnswers.first?.error?.message.contains("3.1.1") == true)
        #expect(outcome.written.isEmpty)
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

    /// A command can't make the gateway publish on Home Assistant's topics or on another gateway's.
    @Test(arguments: [
        "sondygo/test/position", "sondygo/test/command", "sondygo/other/bridge/state", "sondygo",
        "homeassistant/status",
        "homeassistant/device/x/config", "owntracks/sonde/test", "owntracks/crew/phone1", "a/#", "+/x", "$SYS/x", "",
        "a\nb",
    ])
    func answersNeverGoToReservedTopics(_ topic: String) {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: topic)
        #expect(outcome.answers == ["rejected:response_topic!"])
        #expect(outcome.published.map(\.topic) == ["sondygo/test/command/response"])
        #expect(outcome.written.isEmpty)
    }

    @Test(arguments: ["sondygo/test/command/response", "sondygo/test/command/response/me", "my/answers", "sondygo2/x"])
    func answersGoToTheRequestedTopic(_ topic: String) {
        var script = Script()
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: topic)
        #expect(outcome.answers == ["accepted"])
        #expect(outcome.published.map(\.topic) == [topic])
    }

    /// The configured discovery prefix is protected, too.
    @Test func answersNeverGoBelowTheDiscoveryPrefix() {
        let options = HomeAssistantOptions(isEnabled: true, prefix: "ha/discovery", version: "1")
        var script = Script(homeAssistant: options)
        script.connect()
        let outcome = script.command("{\"mute\":true}", responseTopic: "ha/discovery/switch/x/config")
        #expect(outcome.answers == ["rejected:response_topic!"])
    }
}
