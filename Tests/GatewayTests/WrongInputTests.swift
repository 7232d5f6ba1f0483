import GatewayTestSupport
import Testing

@testable import Gateway
@testable import GatewayReports

/// Forty wrong values for each command: every refusal says what is accepted, and nothing reaches the receiver.
@Suite struct WrongInputTests {
    /// Values that no command takes, and some that one or another does.
    private static let values = [
        "null", "true", "false", "0", "1", "-1", "2", "1.5", "-0.0", "1e10", "99999999999999999999", "\"\"", "\" \"",
        "\"x\"",
        "\"ON\"", "\"404.2\"", "\"404,2\"", "\"RS41\"", "\"rs 41\"", "\"nan\"", "\"null\"", "\"V4210150\"",
        "\"Berlin\"",
        "\"47.1,8.2\"", "\"ü\"", "\"\\u0000\"", "\"'; DROP TABLE\"", "\"\(String(repeating: "9", count: 300))\"", "[]",
        "[1]",
        "[null]", "{}", "{\"a\":1}", "{\"save\":false}", "{\"mode\":\"plane\"}", "{\"state\":\"lost\"}",
        "{\"latitude\":91,\"longitude\":0}", "{\"lat\":\"x\",\"lon\":1}", "{\"frequency_sync\":\"maybe\"}",
        "{\"rs41.rxbw\":\"wide\"}",
    ]

    @Test(arguments: Verb.allCases) func everyRefusalSaysWhatIsAccepted(_ verb: Verb) {
        #expect(Self.values.count == 40)
        for value in Self.values {
            var script = Script(sondeHub: .payerne, prediction: .onlineOnly)
            script.connect()
            let outcome = script.command("{\"\(verb.rawValue)\":\(value)}")
            guard let error = outcome.commandAnswers.first?.error else { continue }
            #expect(outcome.written.isEmpty, "\(verb) \(value)")
            // The state of things refuses it, not the value.
            if [.noSonde, .noProposal, .noAFC, .unavailable, .typeRequired, .inTheAir].contains(error.code) {
                continue
            }
            let words = ["must be", "takes", "accepted", "one of", "outside", "decimals", "needs", "has more", "send"]
            #expect(words.contains { error.message.contains($0) }, "\(verb) \(value): \(error.message)")
        }
    }
}
