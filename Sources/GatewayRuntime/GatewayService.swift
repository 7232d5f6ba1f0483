public import GatewayCore
public import Logging
import ReceiverProtocol
public import ServiceLifecycle

/// Owns the machine: feeds it events, performs its actions.
public struct GatewayService: Service {
    /// Seconds between two health messages.
    static let healthInterval = 30.0

    private let inputs: GatewayInputs
    private let link: OpenLink
    private let broker: any GatewayCore.MessageBroker
    private let sondeHub: any SondeHubSource
    private let store: any GatewayStore
    private let notifier: ServiceNotifier
    private let makeMachine: @Sendable (Moment) -> GatewayMachine
    private let log: Logger

    public init(
        inputs: GatewayInputs, link: OpenLink, broker: any GatewayCore.MessageBroker, sondeHub: any SondeHubSource,
        store: any GatewayStore, notifier: ServiceNotifier, log: Logger,
        makeMachine: @escaping @Sendable (Moment) -> GatewayMachine
    ) {
        self.inputs = inputs
        self.link = link
        self.broker = broker
        self.sondeHub = sondeHub
        self.store = store
        self.notifier = notifier
        self.log = log
        self.makeMachine = makeMachine
    }

    public func run() async throws {
        let (spool, memory, failure) = await openStore()
        broker.start()
        var loop = GatewayLoop(
            machine: makeMachine(inputs.clock.now), spool: spool, inputs: inputs, link: link, broker: broker,
            sondeHub: sondeHub, store: store, notifier: notifier, log: log)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await self.followBroker()
                // After the last acknowledgement.
                await self.inputs.send(spool: .sessionEnded)
            }
            group.addTask { await self.tickHealth() }
            group.addTask { await self.tickWatchdog() }
            group.addTask {
                // Ends the loop below by an event, so that what was sent before is still worked off.
                try? await gracefulShutdown()
                await self.inputs.send(.stopping)
            }
            await loop.run(&group, memory: memory, storeFailure: failure)
            await loop.saveAll()
            group.cancelAll()
            await sondeHub.close()
        }
    }

    /// What earlier runs have left; where it can't be read, keys begin at the clock's time, which no earlier run has reached.
    private func openStore() async -> (Spool, GatewayMemory, StoreError?) {
        do throws(StoreError) {
            let spool = Spool(lastKey: try await store.lastKey(), storedCount: try await store.count())
            return (spool, try await store.memory(), nil)
        } catch {
            let clock = inputs.clock.now.wall.millisecondsSince1970
            return (
                Spool(lastKey: UInt64(clamping: clock), storedCount: 0, failure: error), GatewayMemory(), error
            )
        }
    }

    private func followBroker() async {
        var repeats = RepeatedFaults()
        await broker.receive { event in
            notifier.ready()
            defer { inputs.brokerWasTried() }
            switch event {
            case .connected:
                repeats.clear()
                log.notice("broker connected")
                await inputs.send(.brokerConnected)
            case .disconnected(let reason):
                log.warning("broker lost; trying on", metadata: ["why": "\(reason)"])
                await inputs.send(.brokerDisconnected)
            case .connectFailed(let reason):
                if let count = repeats.admits(reason, at: inputs.clock.now.monotonic) {
                    log.warning(
                        "no connection to the broker; trying on",
                        metadata: ["why": "\(reason)", "times": "\(count)"])
                }
            case .message(let message): await inputs.send(.message(message))
            case .drained: await inputs.send(spool: .timePassed)
            case .acknowledged(let keys): inputs.note(acknowledged: keys)
            }
        }
    }

    private func tickWatchdog() async {
        guard let interval = notifier.watchdogInterval else { return }
        while !Task.isCancelled {
            await inputs.sendHeartbeat()
            await inputs.clock.sleep(until: inputs.clock.now.monotonic.advanced(by: interval))
        }
    }

    private func tickHealth() async {
        while !Task.isCancelled {
            let memory = ProcessMemory.current
            await inputs.send(
                .healthDue(
                    ProcessHealth(
                        residentBytes: memory.residentBytes, anonymousBytes: memory.anonymousBytes,
                        queueDepth: broker.queueDepth, incomingDropped: broker.incomingDropped)))
            await inputs.clock.sleep(until: inputs.clock.now.monotonic.advanced(by: Self.healthInterval))
        }
    }
}
