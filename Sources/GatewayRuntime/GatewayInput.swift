import FlightMath
public import Gateway
import Synchronization

/// What happened at one instant, on its way to the loop.
public struct GatewayInput: Sendable {
    /// For the machine.
    var events: [GatewayEvent] = []
    var broker: [BrokerInput] = []
    /// What became of calls to the store.
    var store: [StoreMachine.Event] = []
    /// A deadline has come: of the machine, the store or the feed.
    var isWake = false
    /// Asks the loop for a sign of life.
    var isHeartbeat = false
    var at: Moment
}

/// What the MQTT session has for the loop.
enum BrokerInput: Sendable {
    case connected
    case disconnected
    case message(IncomingMessage)
    /// The broker has the messages with these keys.
    case acknowledged([UInt64])
    /// The last acknowledgement has come: the session is over for good.
    case closed
}

/// The one way into the loop; every sender waits until the loop has taken its input, but for a mere wake.
public final class GatewayInputs: Sendable {
    let channel = InputChannel()
    public let clock: any GatewayClock
    /// Where the loop's own tasks run; nil is the shared pool.
    let executor: LoopExecutor?
    /// Where the store is called, as the disk may hold up whoever calls it; nil is the shared pool.
    let disk: LoopExecutor?
    private let brokerTry = AsyncStream<Never>.makeStream()
    private let lastAnswer = Mutex(StoreAnswer())

    private struct StoreAnswer {
        var kept: StoreMachine.Event?
        var isAwaited = true
    }

    public init(clock: any GatewayClock, executor: LoopExecutor? = nil, disk: LoopExecutor? = nil) {
        self.clock = clock
        self.executor = executor
        self.disk = disk
    }

    /// Keeps the store's answer for the next turn, unless it is waited for.
    /// - Returns: false when it has to be sent.
    func keep(storeAnswer answer: StoreMachine.Event) -> Bool {
        lastAnswer.withLock { state in
            guard !state.isAwaited else { return false }
            state.kept = answer
            return true
        }
    }

    /// What was kept.
    func takeStoreAnswer() -> StoreMachine.Event? {
        lastAnswer.withLock { state in
            defer { state.kept = nil }
            return state.kept
        }
    }

    /// Says whether the next answer is to wake the loop.
    /// - Returns: an answer that was kept although it is waited for now.
    func storeAnswer(isAwaited: Bool) -> StoreMachine.Event? {
        lastAnswer.withLock { state in
            state.isAwaited = isAwaited
            guard isAwaited else { return nil }
            defer { state.kept = nil }
            return state.kept
        }
    }

    /// The broker has been reached, or not.
    func brokerWasTried() { brokerTry.continuation.finish() }

    /// Returns when the broker has been tried, or the task is cancelled. One caller.
    func waitUntilBrokerWasTried() async {
        for await _ in brokerTry.stream {}
    }

    /// Stamps with now.
    public func send(_ events: GatewayEvent...) async {
        await channel.send(GatewayInput(events: events, at: clock.now))
    }

    func send(_ events: [GatewayEvent], at moment: Moment) async {
        guard !events.isEmpty else { return }
        await channel.send(GatewayInput(events: events, at: moment))
    }

    func send(broker input: BrokerInput) async {
        await channel.send(GatewayInput(broker: [input], at: clock.now))
    }

    /// Returns when the loop has taken it: the loop is alive.
    public func ping() async {
        await channel.send(GatewayInput(at: clock.now))
    }

    func sendHeartbeat() async {
        await channel.send(GatewayInput(isHeartbeat: true, at: clock.now))
    }

    func wake() {
        channel.wake(GatewayInput(isWake: true, at: clock.now))
    }

    func send(store event: StoreMachine.Event) async {
        await channel.send(GatewayInput(store: [event], at: clock.now))
    }
}
