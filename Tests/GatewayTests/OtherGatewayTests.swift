import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway
@testable import GatewayReports
@testable import MQTTPublishing

/// Two gateways with one id by mistake.
@Suite struct OtherGatewayTests {
    private func info(_ machine: String, isRetained: Bool = false, in script: Script) -> IncomingMessage {
        IncomingMessage(
            topic: script.topics[.info], payload: Array(#"{"machine":"\#(machine)"}"#.utf8), isRetained: isRetained)
    }

    private func told(_ script: Script) -> Int {
        script.announcements.count { $0 == .otherGateway(id: "test") }
    }

    private func infos(_ outcome: Script.Outcome, _ script: Script) -> Int {
        outcome.published.count { $0.topic == script.topics[.info] }
    }

    /// Each hears the other, in any order, and announces it once.
    @Test func anotherGatewayIsReportedOnceAndAnswered() {
        var script = Script()
        _ = script.brokerConnected()
        _ = script.receive(info("other", in: script))
        #expect(told(script) == 1)
        #expect(infos(script.wait(1), script) == 1, "so that the other one hears of us")
        _ = script.receive(info("other", in: script))
        #expect(told(script) == 1)
        #expect(infos(script.wait(58), script) == 0)
        #expect(infos(script.wait(3), script) == 1, "once a minute")
        #expect(script.machine.run.otherGateway.machine == "other")
    }

    @Test func anotherGatewayIsForgottenWhenItIsGone() {
        var script = Script()
        _ = script.brokerConnected()
        _ = script.receive(info("other", in: script))
        #expect(infos(script.wait(179), script) == 3)
        #expect(infos(script.wait(3600), script) == 0)
        #expect(script.machine.run.otherGateway.machine == nil)
        _ = script.receive(info("other", in: script))
        #expect(told(script) == 2)
    }

    /// Our own message, a retained one and a broken one are ignored.
    @Test func ownOldAndBrokenMessagesAreIgnored() {
        var script = Script()
        _ = script.brokerConnected()
        _ = script.receive(info("m", in: script))
        _ = script.receive(info("other", isRetained: true, in: script))
        _ = script.receive(info("", in: script))
        _ = script.receive(info(String(repeating: "x", count: 65), in: script))
        for text in ["", "{", "[]", #"{"machine":1}"#, #"{"machine":null}"#] {
            _ = script.receive(IncomingMessage(topic: script.topics[.info], payload: Array(text.utf8)))
        }
        #expect(told(script) == 0)
        #expect(infos(script.wait(600), script) == 0)
    }
}
