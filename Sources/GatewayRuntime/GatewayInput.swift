import AsyncAlgorithms
import FlightMath
public import Gateway
import Synchronization

/// Events of one instant, on their way to the loop.
public struct GatewayInput: Sendable {
    /// Events for the machine.
    var events: [GatewayEvent] = []
    var broker: [BrokerInput] = []
    /// Results of calls to the store.
    var store: [StoreMachine.Event] = []
    /// A deadline of the machine, the store or the MQTT publisher has come.
    var isWake = false
    /// Asks the loop to tell systemd that it is alive.
    var isHeartbeat = false
    var at: Moment
}

/// An event of the MQTT session.
enum BrokerInput: Sendable {
    case connected(MQTTVersion)
    case disconnected
    case message(IncomingMessage)
    /// The broker refused the message with this key, but may accept it later.
    case deferred(UInt64)
    /// The session gives these messages back, in order, because the broker limits their number.
    case returned([OutgoingMessage])
    /// The session has ended for good, after the last acknowledgement.
    case closed
}

/// The only way into the loop. Each sender waits until the loop has taken its input.
public final class GatewayInputs: Sendable {
    let channel = AsyncChannel<GatewayInput>()
    public let clock: any GatewayClock
    /// ``clock`` with the loop's correction, for those who show a time beside the reports.
    public let correctedClock: CorrectedClock
    /// Runs the loop's own tasks; nil for the shared pool.
    let executor: ThreadExecutor?
    private let brokerTry = AsyncStream<Never>.makeStream()
    private let acknowledged = Mutex<[UInt64]>([])

    public init(clock: any GatewayClock, executor: ThreadExecutor? = nil) {
        self.clock = clock
        correctedClock = CorrectedClock(clock)
        self.executor = executor
    }

    /// Notes messages that the broker has acknowledged. The loop's next turn takes all of them. They don't queue behind
    /// frames, so a flood of frames can't pile them up.
    func note(acknowledged keys: [UInt64]) {
        let isFirst = acknowledged.withLock { waiting in
            defer { waiting += keys }
            return waiting.isEmpty
        }
        if isFirst { Task(executorPreference: executor) { await self.ping() } }
    }

    /// The keys noted since the last call.
    func acknowledgedKeys() -> [UInt64] {
        acknowledged.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    /// The first attempt to reach the broker has ended, with or without success.
    func brokerWasTried() { brokerTry.continuation.finish() }

    /// Returns after ``brokerWasTried()``, or when the task is cancelled. Only one task may call it.
    func waitUntilBrokerWasTried() async {
        for await _ in brokerTry.stream {}
    }

    /// Sends events that happen now.
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

    /// Returns when the loop has taken an empty input, so the loop is alive.
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
