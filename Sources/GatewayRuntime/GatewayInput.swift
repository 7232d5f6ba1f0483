import AsyncAlgorithms
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
    case connected(MQTTVersion)
    case disconnected
    case message(IncomingMessage)
    /// The broker may take the message with this key later.
    case deferred(UInt64)
    /// The last acknowledgement has come: the session is over for good.
    case closed
}

/// The one way into the loop. Every sender waits until the loop has taken its input.
public final class GatewayInputs: Sendable {
    let channel = AsyncChannel<GatewayInput>()
    public let clock: any GatewayClock
    /// Runs the loop's own tasks; nil is the shared pool.
    let executor: ThreadExecutor?
    private let brokerTry = AsyncStream<Never>.makeStream()
    private let acknowledged = Mutex<[UInt64]>([])

    public init(clock: any GatewayClock, executor: ThreadExecutor? = nil) {
        self.clock = clock
        self.executor = executor
    }

    /// The broker has the messages with these keys. The loop's next turn takes all of them: they don't queue behind frames,
    /// so that a flood leaves no more of them than one turn brings.
    func note(acknowledged keys: [UInt64]) {
        let isFirst = acknowledged.withLock { waiting in
            defer { waiting += keys }
            return waiting.isEmpty
        }
        if isFirst { Task(executorPreference: executor) { await self.ping() } }
    }

    /// What was noted since the last call.
    func acknowledgedKeys() -> [UInt64] {
        acknowledged.withLock { waiting in
            defer { waiting = [] }
            return waiting
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

    func wake() async {
        await channel.send(GatewayInput(isWake: true, at: clock.now))
    }

    func send(store event: StoreMachine.Event) async {
        await channel.send(GatewayInput(store: [event], at: clock.now))
    }
}
