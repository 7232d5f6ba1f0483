import GatewayReports
import Testing

@testable import FleetBoard

/// A command from the board's page.
@Suite struct FleetOrderTests {
    /// A request's body -> the command's hunt; nil if it is refused.
    @Test(
        arguments: [
            (#"{"car":"car2","hunt":"V1"}"#, #""V1""#), (#"{"hunt":null,"car":"car2"}"#, "null"),
            (#"{"car":"car2","hunt":7}"#, nil), (#"{"car":"car2"}"#, nil), (#"{"hunt":"V1"}"#, nil), ("[]", nil),
            ("", nil),
            (#"{"car":"car2","hunt":"V1","frequency":404.1}"#, nil), (#"{"car":"car2","mute":true}"#, nil),
        ] as [(String, String?)])
    func orders(_ body: String, _ hunt: String?) {
        let order = FleetOrder(Array(body.utf8))
        let payload = order.map { String(decoding: $0.payload(id: "b1", at: Bench.wall(0)), as: UTF8.self) }
        #expect(payload == hunt.map { #"{"hunt":\#($0),"id":"b1","at":"2026-01-01T12:00:00.000Z"}"# })
    }

    @Test func onlyAFinalAnswerEndsAnOrder() {
        func id(_ text: String) -> String? { FleetOrder.idOfFinalAnswer(in: Array(text.utf8)) }
        #expect(id(#"{"id":"b1","final":true}"#) == "b1")
        for other in [#"{"id":"b1","final":false}"#, #"{"id":7,"final":true}"#, "", "{"] { #expect(id(other) == nil) }
    }
}
