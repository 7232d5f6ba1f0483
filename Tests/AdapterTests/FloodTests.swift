import FlightStore
import Foundation
import Logging
import ReceiverProtocol
import SondeHubClient
import Synchronization
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import GatewayRuntime
@testable import MQTTPublishing

/// More frames at once than the broker's session can hold.
@Suite(.timeLimit(.minutes(10))) struct FloodTests {
    private static let frames = 3000

    /// No frame goes through the store.
    @Test func aSlowBrokerGetsEachFrameLive() async throws {
        let broker = NarrowBroker(room: 100, every: .milliseconds(5))
        let topics = try #require(Topics(base: "sondygo", id: "test"))
        let inputs = GatewayInputs(clock: SystemGatewayClock())
        let service = try GatewayService.forTests(
            inputs: inputs, broker: broker, store: .forTests(in: temporaryDirectory()))
        let run = Task { try await service.run() }
        broker.connect()
        await inputs.send(.linkOpened(ReceiverPeer(name: "test", maximumWriteLength: 128)))
        for first in stride(from: 0, to: Self.frames, by: 150) {
            let frames = try (first..<first + 150).map { number in GatewayEvent.frame(try frame(number)) }
            await inputs.send(frames, at: inputs.clock.now)
        }
        await inputs.send(.stopping)
        try await run.value

        let altitudes = broker.payloads(on: topics[.position]).compactMap { payload in
            (try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])?["altitude_m"] as? Double
        }
        #expect(altitudes == (0..<Self.frames).map { Double($0 + 1000) })
        // Reports of which only the newest matters don't take the frames' room.
        #expect(broker.payloads(on: topics[.radio]).count < Self.frames / 10)
    }

    private func frame(_ number: Int) throws -> Frame {
        let text = "1/RS41/403.500/V4210150/46.65/7.05/\(1000 + number)/10/5/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
        return try FrameParser.parse(Array(text.utf8).span)
    }
}

/// A session that takes a few messages at a time.
private final class NarrowBroker: MessageBroker {
    private struct State {
        var left: Int
        var refilledAt = ContinuousClock.now
        var published: [OutgoingMessage] = []
    }

    let queueDepth = 0
    let incomingDropped = 0
    let refusedSubscriptions: [String] = []
    private let room: Int
    private let pause: Duration
    private let state: Mutex<State>
    private let session = AsyncStream<BrokerEvent>.makeStream()

    init(room: Int, every pause: Duration) {
        (self.room, self.pause) = (room, pause)
        state = Mutex(State(left: room))
    }

    func payloads(on topic: String) -> [[UInt8]] {
        state.withLock { $0.published.filter { $0.topic == topic }.map(\.payload) }
    }

    func receive(_ body: (BrokerEvent) async -> Void) async {
        for await event in session.stream { await body(event) }
    }

    func connect() { session.continuation.yield(.connected(.v5)) }

    func publish(_ message: OutgoingMessage) -> PublishOutcome {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.refilledAt >= pause { (state.left, state.refilledAt) = (room, now) }
            guard state.left > 0 else { return .full }
            state.left -= 1
            state.published.append(message)
            return .taken
        }
    }

    func start() {}
    func stop() async { session.continuation.finish() }
}
