import Gateway
import TestSupport
import Testing

/// 100 000 random events at full length, with both sources, clocks that jump, early and late timers, and answers to cancelled calls.
/// After each event: the facts no longer change; no report holds data of another sonde; the published times of a serial
/// strictly increase; the state-like reports match the machine's state; SondeHub is polled only in states that poll; an
/// answer to a cancelled call has no effect. In the end every command has exactly one final answer.
@Suite struct WalkTests {
    @Test(arguments: TestLength.share(of: 0..<50))
    func randomEventsKeepTheInvariants(_ seed: UInt64) throws {
        var walk = Walk(seed: seed)
        while walk.events < 2000 { walk.step() }
        let sent = walk.sent
        walk.finish()
        for id in 0..<sent { #expect(walk.finals[id] == 1, "command \(id)") }
        guard seed < 10 else { return }
        let published = walk.messages.map { message in
            (
                topic: String(message.topic.dropFirst("sondygo/test/".count)),
                payload: String(decoding: message.payload, as: UTF8.self)
            )
        }
        #expect(published.count > 1000)
        let violations = try Schemas.violations(published)
        #expect(violations == [])
    }

    /// The same with predictions from the sonde's own winds.
    @Test(arguments: 50..<54)
    func randomEventsWithPredictionsKeepTheInvariants(_ seed: UInt64) {
        var walk = Walk(seed: seed)
        while walk.events < 150 { walk.step() }
        walk.finish()
    }
}
