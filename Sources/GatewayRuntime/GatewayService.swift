public import FlightMath
public import Gateway
import GatewayReports
public import Logging
public import MQTTPublishing
import ReceiverProtocol
public import ServiceLifecycle

/// Runs the loop with its machine.
public struct GatewayService: Service {
    /// The interval between two health messages.
    static let healthInterval = Duration.seconds(30)

    private let surroundings: GatewayLoop.Surroundings
    private let makeMachine: @Sendable (Moment) -> GatewayMachine
    private let makeFeed: @Sendable (Moment) -> MQTTPublisher
    /// Real time, also for a simulated flight: for signs of life, health, and the intervals between repeated log lines.
    private let realClock: SystemGatewayClock

    /// - Parameters:
    ///   - feeds: all feeds but MQTT.
    ///   - setLogLevel: called by the command `log_level`.
    public init(
        inputs: GatewayInputs, link: OpenLink, broker: any Gateway.MessageBroker, inbox: MQTTInbox,
        sources: CallSources,
        store: any GatewayStore, feeds: [any ReportFeed] = [], notifier: ServiceNotifier,
        setLogLevel: @escaping @Sendable (Logger.Level) -> Void = { _ in }, log: Logger,
        makeFeed: @escaping @Sendable (Moment) -> MQTTPublisher,
        makeMachine: @escaping @Sendable (Moment) -> GatewayMachine
    ) {
        surroundings = GatewayLoop.Surroundings(
            inputs: inputs, link: link, broker: broker, inbox: inbox, sources: sources, store: store,
            feeds: feeds, notifier: notifier, setLogLevel: setLogLevel, log: log)
        self.makeFeed = makeFeed
        self.makeMachine = makeMachine
        realClock = SystemGatewayClock(executor: inputs.executor)
    }

    private var inputs: GatewayInputs { surroundings.inputs }
    private var broker: any Gateway.MessageBroker { surroundings.broker }
    private var notifier: ServiceNotifier { surroundings.notifier }
    private var log: Logger { surroundings.log }

    public func run() async throws {
        broker.start()
        let now = inputs.clock.now
        var loop = GatewayLoop(
            machine: makeMachine(now), mqtt: makeFeed(now),
            storeMachine: StoreMachine(startedAt: now.monotonic, messageAge: surroundings.store.messageAge),
            surroundings: surroundings)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.followBroker()
                // The last acknowledgement is in.
                await self.inputs.send(broker: .closed)
            }
            group.addTask { await self.tickHealth() }
            group.addTask { await self.tickWatchdog() }
            group.addTask {
                // An event ends the loop, so that the loop still handles earlier inputs.
                try? await gracefulShutdown()
                await self.inputs.send(.stopping)
            }
            await loop.run(&group)
            group.cancelAll()
            await surroundings.sources.close()
        }
    }

    private func followBroker() async {
        var brokerLog = BrokerLog(log: log)
        await broker.receive { event in
            notifier.finished(.connection)
            defer { inputs.brokerWasTried() }
            brokerLog.note(event, at: realClock.now.monotonic)
            switch event {
            case .connected(let version): await inputs.send(broker: .connected(version))
            case .disconnected: await inputs.send(broker: .disconnected)
            case .message(let message): await inputs.send(broker: .message(message))
            case .acknowledged(let keys): inputs.note(acknowledged: keys)
            case .drained: await inputs.ping()
            case .returned(let messages): await inputs.send(broker: .returned(messages))
            case .refused(let refusal):
                guard refusal.isTransient, !refusal.isGivenBack, let key = refusal.key else { return }
                await inputs.send(broker: .deferred(key))
            // These are only logged.
            case .lacks, .connectFailed, .downgraded, .subscriptionRefused, .subscriptionAccepted, .oversized:
                break
            }
        }
    }

    private func tickWatchdog() async {
        guard let interval = notifier.watchdogInterval else { return }
        while !Task.isCancelled {
            await inputs.sendHeartbeat()
            await realClock.sleep(until: realClock.now.monotonic.advanced(by: interval))
        }
    }

    private func tickHealth() async {
        while !Task.isCancelled {
            await inputs.send(.healthDue(ProcessHealth()))
            await realClock.sleep(until: realClock.now.monotonic.advanced(by: Self.healthInterval))
        }
    }
}
