import TestSupport
import Testing

@testable import GatewayCore

/// 100 000 random events with both sources, clocks that jump, timers that are early or late, and answers that nobody
/// waits for. After each of them: the facts have come to stand still; nothing of another sonde is in any report; the
/// published times of a serial strictly increase; every state-like report is what the state says; SondeHub is polled only
/// in states that poll; an answer that nobody waits for does nothing. In the end every command has had exactly one final
/// answer.
@Suite struct WalkTests {
    @Test(arguments: 0..<50)
    func whateverHappens(_ seed: UInt64) throws {
        var walk = Walk(seed: seed)
        while walk.events < 2000 { walk.step() }
        let sent = walk.sent
        walk.finish()
        for id in 0..<sent { #expect(walk.finals[id] == 1, "command \(id)") }
        guard seed < 4 else { return }
        let published = walk.messages.filter { !$0.payload.isEmpty }.map { message in
            (
                topic: String(message.topic.dropFirst("sondygo/test/".count)),
                payload: String(decoding: message.payload, as: UTF8.self)
            )
        }
        #expect(published.count > 1000)
        #expect(try Schemas.violations(published) == [])
    }
}
