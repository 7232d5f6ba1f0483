import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import SondeHubClient
import Synchronization
import TestSupport
import Testing

@testable import GatewayRuntime

/// The signs of life come from the loop. Other threads of the process send none.
@Suite(.timeLimit(.minutes(10))) struct WatchdogTests {
    @Test func aHangingLoopSendsNoWatchdogSign() async throws {
        let notify = try NotifySocket()
        let notifier = ServiceNotifier(
            environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "200000"])
        let broker = StickyBroker()
        let inputs = GatewayInputs(clock: SystemGatewayClock())
        let service = try GatewayService.forTests(
            inputs: inputs, broker: broker, notifier: notifier, store: .forTests(in: temporaryDirectory()))
        let run = Task { try await service.run() }
        try await eventually("signs of life") { notify.received().contains("WATCHDOG=1").orNil }

        broker.isStuck.store(true, ordering: .relaxed)
        broker.connect()
        try await eventually("the loop stands still") { broker.isHolding.load(ordering: .relaxed).orNil }
        _ = notify.received()
        await #expect(throws: TimedOut.self) {
            try await eventually("a sign of life", within: 1) { (!notify.received().isEmpty).orNil }
        }

        broker.release.signal()
        try await eventually("signs of life again") { notify.received().contains("WATCHDOG=1").orNil }
        await inputs.send(.stopping)
        try await run.value
    }
}

extension WatchdogTests {
    /// Nobody reads the socket, because systemd is busy: nothing waits, and the word that the start is complete is told
    /// again with a sign of life.
    @Test func aFullSocketStopsNothing() async throws {
        let notify = try NotifySocket()
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": notify.path, "WATCHDOG_USEC": "200000"])
        // More than the kernel queues for a socket.
        for _ in 0..<2000 { notifier.alive() }
        notifier.finished(.store)
        notifier.finished(.connection)
        let first = notify.received()
        #expect(first.count < 2000 && !first.contains("READY=1"))
        notifier.alive()
        #expect(notify.received() == ["READY=1", "WATCHDOG=1"])
        notifier.alive()
        #expect(notify.received() == ["WATCHDOG=1"])
    }
}

/// A broker whose next publish call blocks.
private final class StickyBroker: MessageBroker {
    let isStuck = Atomic(false)
    let isHolding = Atomic(false)
    let release = DispatchSemaphore(value: 0)
    let queueDepth = 0
    let incomingDropped = 0
    let refusedSubscriptions: [String] = []
    private let session = AsyncStream<BrokerEvent>.makeStream()

    func receive(_ body: (BrokerEvent) async -> Void) async {
        for await event in session.stream { await body(event) }
    }

    func connect() { session.continuation.yield(.connected(.v5)) }

    func publish(_ message: OutgoingMessage) -> PublishOutcome {
        if isStuck.exchange(false, ordering: .relaxed) {
            isHolding.store(true, ordering: .relaxed)
            release.wait()
        }
        return .taken
    }

    func start() {}
    func stop() async { session.continuation.finish() }
}
