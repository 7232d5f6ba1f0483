import Gateway
import GatewayReports
import ReceiverProtocol
import Testing

@testable import GatewayRuntime

/// What waits for room in the broker's session, and in which order it goes.
@Suite struct OutboxTests {
    private let thin = BrokerLine(isThin: true, isWide: false, bytesPerSecond: 1000)
    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func message(_ topic: String, _ text: String, hasHistory: Bool = false) -> OutgoingMessage {
        OutgoingMessage(
            topic: topic, payload: Array(text.utf8), isRetained: true, historyTopic: hasHistory ? "history" : nil)
    }

    /// - Returns: the topics and texts of the next messages, at most `count`.
    private func drained(
        _ outbox: inout Outbox, _ count: Int, over line: BrokerLine?, at now: MonotonicTime
    ) -> [String] {
        var texts: [String] = []
        outbox.drain(over: line, at: now) { message in
            guard texts.count < count else { return false }
            texts.append("\(message.topic) \(String(decoding: message.payload.prefix(3), as: UTF8.self))")
            return true
        }
        return texts
    }

    @Test func newerMessagesTakeTheSlotOfTheirTopic() {
        var outbox = Outbox()
        for topic in ["a", "b", "position"] { _ = outbox.add(message(topic, "old"), at: now) }
        let displaced = outbox.add(message("a", "new"), at: now)
        #expect(displaced == message("a", "old") && outbox.superseded == 1 && outbox.count == 3)
        #expect(drained(&outbox, 9, over: thin, at: now) == ["a new", "b old", "position old"])
        #expect(outbox.isEmpty)
    }

    /// Events go first; then every other message is the position.
    @Test func positionsGoEveryOtherTime() {
        var outbox = Outbox()
        var event = message("event", "one")
        event.isRetained = false
        for topic in ["a", "b", "c"] { _ = outbox.add(message(topic, "1"), at: now) }
        _ = outbox.add(event, at: now)
        var order: [String] = []
        for number in 1...3 {
            _ = outbox.add(message("position", "\(number)", hasHistory: true), at: now)
            order += drained(&outbox, number == 1 ? 3 : 2, over: thin, at: now)
        }
        #expect(order == ["event one", "position 1", "a 1", "position 2", "b 1", "position 3", "c 1"])
    }

    /// A message that would hold up a thin line for more than 3 s waits until no positions come.
    @Test func aLongMessageWaitsWhilePositionsCome() {
        var outbox = Outbox()
        let long = message("long", String(repeating: "x", count: 3001))
        let position = message("position", "1", hasHistory: true)
        outbox.saw([position], at: now)
        for message in [long, position] { _ = outbox.add(message, at: now) }
        #expect(drained(&outbox, 9, over: thin, at: now) == ["position 1"])
        #expect(drained(&outbox, 9, over: thin, at: now.advanced(by: .seconds(9))).isEmpty && !outbox.isEmpty)
        #expect(drained(&outbox, 9, over: thin, at: now.advanced(by: .seconds(10))) == ["long xxx"])
        _ = outbox.add(long, at: now)
        #expect(drained(&outbox, 9, over: BrokerLine(), at: now) == ["long xxx"])
    }
}
