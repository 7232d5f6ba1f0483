import Gateway
import Synchronization
import Testing

@Suite struct MessageBrokerTests {
    /// Room that comes back within a batch lets no later message overtake an earlier one.
    @Test(arguments: [PublishOutcome.full, .offline])
    func noMessageOvertakesAnother(refusal: PublishOutcome) {
        let broker = ScriptedBroker([.taken, .tooLarge(limit: 1), refusal, .taken])
        let messages = (1...4).map { OutgoingMessage(topic: "a", payload: [UInt8($0)]) }
        #expect(broker.publish(messages) == [.taken, .tooLarge(limit: 1), refusal, refusal])
    }
}

/// Answers each message with the next outcome.
private final class ScriptedBroker: MessageBroker {
    let queueDepth = 0
    let incomingDropped = 0
    let refusedSubscriptions: [String] = []
    private let outcomes: Mutex<[PublishOutcome]>

    init(_ outcomes: [PublishOutcome]) {
        self.outcomes = Mutex(outcomes)
    }

    func publish(_ message: OutgoingMessage) -> PublishOutcome { outcomes.withLock { $0.removeFirst() } }
    func receive(_ body: (BrokerEvent) async -> Void) async {}
    func start() {}
    func stop() async {}
}
