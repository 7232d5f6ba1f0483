import Gateway
import GatewayReports
import ReceiverProtocol
import Testing

@testable import GatewayRuntime

/// What waits for room in the broker's session, and in which order it goes.
@Suite struct OutboxTests {
    private let thin = BrokerLine(isThin: true, isWide: false, bytesPerSecond: 1000, provenBytes: 3000)
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

    /// A signal that can't go at once would be old when it goes.
    @Test func whatIsWorthSomethingOnlyAtOnceDoesNotWait() {
        var outbox = Outbox()
        let signal = OutgoingMessage(topic: "signal", payload: Array("one".utf8), qos: 0)
        #expect(outbox.add(signal, at: now) == nil && outbox.isEmpty && outbox.superseded == 1)
    }

    /// Every other message is the position, also between events, which go before other topics.
    @Test func positionsGoEveryOtherTime() {
        var outbox = Outbox()
        var event = message("event", "one")
        event.isRetained = false
        for topic in ["a", "b", "c"] { _ = outbox.add(message(topic, "1"), at: now) }
        for text in ["one", "two"] {
            event.payload = Array(text.utf8)
            _ = outbox.add(event, at: now)
        }
        var order: [String] = []
        for number in 1...3 {
            _ = outbox.add(message("position", "\(number)", hasHistory: true), at: now)
            order += drained(&outbox, 2, over: thin, at: now)
        }
        order += drained(&outbox, 9, over: thin, at: now)
        #expect(order == ["position 1", "event one", "position 2", "event two", "position 3", "a 1", "b 1", "c 1"])
    }

    /// Every other message that is no position or event is a state, while there is one.
    @Test func statesGoBeforeOtherTopics() {
        var outbox = Outbox(states: ["state", "online"])
        for topic in ["a", "b", "state", "c", "online"] { _ = outbox.add(message(topic, "1"), at: now) }
        var order = drained(&outbox, 2, over: thin, at: now)
        _ = outbox.add(message("state", "2"), at: now)
        order += drained(&outbox, 9, over: thin, at: now)
        #expect(order == ["state 1", "a 1", "online 1", "b 1", "state 2", "c 1"])
    }

    /// The session gives messages back: a newer value of their topic stays, and an event goes before later ones.
    @Test func whatComesBackIsNeverNewer() {
        var outbox = Outbox()
        let (old, new) = (message("a", "old"), message("a", "new"))
        outbox.saw([old], at: now)
        #expect(outbox.isNewest(old))
        outbox.saw([new], at: now)
        #expect(!outbox.isNewest(old) && outbox.isNewest(new) && outbox.isNewest(message("b", "1")))
        let events = (1...3).map { key in
            OutgoingMessage(topic: "event", payload: Array("\(key)".utf8), historyTopic: "history", key: UInt64(key))
        }
        #expect(outbox.isNewest(events[0]))
        _ = outbox.add(events[2], at: now)
        for event in events[...1] { #expect(outbox.takeBack(event, at: now) == nil) }
        _ = outbox.takeBack(new, at: now)
        #expect(drained(&outbox, 9, over: thin, at: now) == ["event 1", "event 2", "event 3", "a new"])
        outbox.sessionEnded()
        #expect(outbox.isNewest(old))
    }

    /// A message that the line has not proven to carry in time waits until no positions come. A rate proves nothing.
    @Test func aLongMessageWaitsWhilePositionsCome() {
        var outbox = Outbox()
        let long = message("long", String(repeating: "x", count: 3001))
        let position = message("position", "1", hasHistory: true)
        outbox.saw([position], at: now)
        for message in [long, position] { _ = outbox.add(message, at: now) }
        #expect(drained(&outbox, 9, over: thin, at: now) == ["position 1"])
        #expect(drained(&outbox, 9, over: thin, at: now.advanced(by: .seconds(19))).isEmpty && !outbox.isEmpty)
        #expect(outbox.deadline == now.advanced(by: .seconds(20)))
        #expect(drained(&outbox, 9, over: thin, at: now.advanced(by: .seconds(20))) == ["long xxx"])
        #expect(outbox.deadline == nil)
        _ = outbox.add(long, at: now)
        #expect(drained(&outbox, 9, over: BrokerLine(), at: now) == ["long xxx"])
    }

    /// At the session's start the line is not known, and the first position may be about to come.
    @Test func aLongMessageWaitsForTheFirstPosition() {
        var outbox = Outbox()
        outbox.sessionBegan(at: now)
        for topic in ["short", "long"] {
            _ = outbox.add(message(topic, String(repeating: "x", count: topic == "long" ? 1025 : 1024)), at: now)
        }
        let unknown = BrokerLine(isWide: false, provenBytes: 0)
        #expect(drained(&outbox, 9, over: unknown, at: now) == ["short xxx"])
        #expect(outbox.longestHeld(over: unknown, at: now) == 1025)
        let proven = BrokerLine(isWide: false, provenBytes: 1025)
        #expect(outbox.longestHeld(over: proven, at: now) == nil)
        #expect(drained(&outbox, 9, over: proven, at: now) == ["long xxx"])
        // Without acknowledgements nothing can be proven.
        _ = outbox.add(message("long", String(repeating: "x", count: 9000)), at: now)
        #expect(drained(&outbox, 9, over: BrokerLine(isWide: false), at: now) == ["long xxx"])
    }
}
