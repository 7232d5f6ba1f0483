import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import GatewayRuntime
import Logging
import MQTTPublishing
import ReceiverProtocol
import ReceiverSimulator
import SondeHubClient
import StreamTransports
import Synchronization
import TestSupport
import Testing

/// A feed beside MQTT gets all reports as typed values and needs no broker.
@Suite(.timeLimit(.minutes(10))) struct ReportFeedTests {
    @Test func aFeedGetsAllReportsWithoutABroker() async throws {
        let log = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let feed = TinyFeed()
        // Not faster than the real one, because the store's time limits at the end use this clock, too.
        let clock = ScaledGatewayClock(rate: 1)
        let inputs = GatewayInputs(clock: clock)
        let link = OpenLink()
        let topics = try #require(Topics(base: "sondygo", id: "test"))
        let folder = try temporaryDirectory()
        let store = FlightStore.forTests(in: folder)
        let service = try GatewayService.forTests(
            inputs: inputs, link: link, broker: DeadBroker(), feeds: [feed], store: store)
        let receiver = ReceiverService(
            transport: SimulatorTransport(options: SimulatorOptions(launchDelay: .zero), clock: clock), link: link,
            inputs: inputs,
            recorder: RawLogRecorder(
                files: RawLogFiles(directory: folder.path, totalSize: 1, retentionDays: 1), isOn: false, log: log),
            log: log)
        let gateway = Task { try await service.run() }
        let reading = Task { try await receiver.run() }
        try await eventually("30 positions", within: 200) { () async -> Bool? in
            (feed.reports.count { $0.kind == .position } >= 30).orNil
        }
        reading.cancel()
        _ = try? await reading.value
        await inputs.send(.stopping)
        try await gateway.value

        let reports = feed.reports
        #expect(
            Set(reports.map(\.kind)).isSuperset(of: [
                .receiverState, .state, .info, .position, .radio, .settings, .flight, .proposal, .health, .announcement,
            ]))
        #expect(reports.contains { $0.isOfReceiver })
        // The spool has the same reports as the feed, in the same order.
        let kept = try await store.messages(after: 0, limit: 10_000)
        let history = reports.filter { $0.kind == .position || $0.kind == .announcement || $0.kind == .answer }
        #expect(kept.count > 30)
        for kind in [Report.Kind.position, .announcement, .answer] {
            let seen = history.filter { $0.kind == kind }.map(\.identity)
            let stored = kept.filter { $0.topic == topics.history(of: kind) }.map { Self.identity($0.payload) }
            #expect(stored == seen, "\(kind)")
        }
    }

    /// The message's time and event, which identify it.
    fileprivate static func identity(_ payload: [UInt8]) -> String {
        let object = (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] ?? [:]
        return ["time", "at", "event", "text"].compactMap { object[$0] as? String }.joined(separator: " ")
    }
}

extension Report {
    fileprivate var identity: String { ReportFeedTests.identity(payload(at: .zero)) }
    fileprivate var isOfReceiver: Bool { if case .position(let report) = self { report.source == .ble } else { false } }
}

/// A complete feed.
private final class TinyFeed: ReportFeed {
    private let taken = Mutex<[Report]>([])
    var reports: [Report] { taken.withLock { $0 } }

    func handle(_ report: Report, at now: Moment) { taken.withLock { $0.append(report) } }
}

/// A broker that is never reachable.
final class DeadBroker: MessageBroker {
    let queueDepth = 0
    let incomingDropped = 0
    let refusedSubscriptions: [String] = []
    private let session = AsyncStream<BrokerEvent>.makeStream()

    func receive(_ body: (BrokerEvent) async -> Void) async {
        for await event in session.stream { await body(event) }
    }

    func publish(_ message: OutgoingMessage) -> PublishOutcome { .offline }
    func start() { session.continuation.yield(.connectFailed(BrokerFailure(.unreachable, "connection refused"))) }
    func stop() async { session.continuation.finish() }
}
