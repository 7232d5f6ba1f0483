import GatewayTestSupport
import ReceiverProtocol
import Testing

/// Commands that say when they were sent.
@Suite struct LateCommandTests {
    /// The command's time, at noon of 2026-01-01 -> the first answer.
    @Test(arguments: [
        ("\"2026-01-01T12:00:00Z\"", "accepted"), ("\"2026-01-01T11:59:31.000Z\"", "accepted"),
        ("\"2026-01-01T12:00:29Z\"", "accepted"), ("\"2026-01-01T11:59:29Z\"", "rejected:late!"),
        ("\"2026-01-01T11:00:00Z\"", "rejected:late!"), ("\"1970-01-01T00:00:00Z\"", "rejected:late!"),
        ("\"2026-01-01T13:00:00Z\"", "rejected:late!"), ("\"2200-12-31T23:59:59Z\"", "rejected:late!"),
        ("1767268800000", "rejected:wrong_type!"), ("\"yesterday\"", "rejected:wrong_type!"),
        ("null", "rejected:wrong_type!"),
    ])
    func lateCommandsAreNeverCarriedOut(_ time: String, _ answer: String) {
        for (topic, body) in [
            ("command", "{\"mute\":true,\"at\":\(time)}"), ("mute/set", "{\"at\":\(time),\"mute\":true}"),
        ] {
            var script = Script()
            script.connect()
            let outcome = script.command(body, topic: topic)
            #expect(outcome.answers.first == answer)
            #expect(outcome.written.isEmpty == answer.hasPrefix("rejected"))
        }
    }

    /// A command to the gateway itself, and one without a time.
    @Test func orders() {
        var script = Script()
        script.connect()
        #expect(script.command("{\"request\":\"info\",\"at\":\"2026-01-01T10:00:00Z\"}").answers == ["rejected:late!"])
        #expect(script.command("{\"request\":\"info\"}").answers == ["done!"])
        let settings = script.command("{\"at\":\"2026-01-01T10:00:00Z\"}", topic: "request/settings")
        #expect(settings.answers == ["rejected:late!"])
    }
}
