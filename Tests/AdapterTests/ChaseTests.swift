import FlightMath
import Foundation
import Gateway
import GatewayReports
import MQTTPublishing
import ReceiverProtocol
import ReceiverSimulator
import SondeHubClient
import TestSupport
import Testing

/// A whole chase in virtual time: a simulated receiver, the machine, and the real client on a real HTTP server.
///
/// The receiver hears the ascent and loses the sonde; SondeHub takes over; burst; the receiver hears it again; landing.
/// `Fixtures/chase/transcript.txt` has all that the crew sees. `SONDYGO_UPDATE_GOLDEN=1 Tests/one.sh
/// ChaseTests` writes it anew.
@Suite(.timeLimit(.minutes(10))) struct ChaseTests {
    @Test func wholeChase() async throws {
        let chase = try await Chase()
        try await chase.run()
        let transcript = chase.transcript.joined(separator: "\n") + "\n"
        #expect(try Fixtures.holds(transcript, at: "Fixtures/chase/transcript.txt"))
        #expect(chase.heardPositions == chase.publishedBLE)
        #expect(try Schemas.violations(chase.messages) == [])
        await chase.client.close()
    }
}

private final class Chase {
    /// The age of SondeHub's answers (the server's `Age`).
    private static let cacheSeconds = 42

    let server: FakeSondeHub
    let client: SondeHubClient
    var transcript: [String] = []
    /// The number of type-1 frames heard.
    var heardPositions = 0
    var publishedBLE = 0
    /// All messages, for the check against the schemas.
    var messages: [(topic: String, payload: String)] = []

    private var simulator: ReceiverSimulator
    private var machine: GatewayMachine
    private var mqtt: MQTTPublisher
    private var deframer = Deframer()
    private var now: Moment
    private var timers: [TimerID: MonotonicTime] = [:]
    private var flown: [String] = []
    private var publishedSondeHub = 0
    private var lastTime: WallTime?
    private static let prefix = "sondygo/chase/"

    init() async throws {
        server = try await FakeSondeHub()
        client = try SondeHubClient(SondeHubClient.Configuration(url: server.url(), userAgent: "sondygo2mqtt/test"))
        simulator = ReceiverSimulator(
            options: SimulatorOptions(
                seed: 5, launchDelay: .seconds(60), burstAltitudeMetres: 16_000,
                faults: [SimulatedFault(kind: .deaf, start: .seconds(1500), duration: .seconds(2400))]))
        now = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: 1_767_268_800_000), isClockSynced: true)
        let topics = try #require(Topics(base: "sondygo", id: "chase"))
        var sondeHub = SondeHubOptions()
        sondeHub.site = "06610"
        machine = GatewayMachine(
            info: InfoReport(version: "1", id: "chase", machine: "m"), sondeHub: sondeHub, startedAt: now)
        mqtt = MQTTPublisher(topics: topics, startedAt: now.monotonic)
    }

    func run() async throws {
        try await handle(.started())
        note(mqtt.sessionBegan(.v5, at: now))
        try await handle(.linkOpened(ReceiverPeer(name: "MySondyGO-SIM", maximumWriteLength: 128)))
        var secondsDown = 0
        while secondsDown < 120 {
            try await waitUntil(now.monotonic.advanced(by: .seconds(1)))
            let outputs = simulator.nextSecond()
            note(simulator.flight)
            for case .bytes(let bytes) in outputs { try await receive(bytes) }
            if simulator.flight.phase == .landed { secondsDown += 1 }
        }
        try await handle(.stopping)
        transcript.append("positions: \(publishedBLE) of the receiver, \(publishedSondeHub) of SondeHub")
        transcript.append("calls to SondeHub: \(server.requests.count)")
    }

    /// Lets time pass and fires the timers that are due.
    private func waitUntil(_ end: MonotonicTime) async throws {
        while let next = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }),
            next.value <= end
        {
            timers[next.key] = nil
            set(max(now.monotonic, next.value))
            try await handle(.timerFired(next.key))
        }
        set(end)
    }

    private func set(_ time: MonotonicTime) {
        let start: Int64 = 1_767_268_800_000
        now.monotonic = time
        now.wall = WallTime(millisecondsSince1970: start + time.nanoseconds / 1_000_000)
    }

    private func receive(_ bytes: [UInt8]) async throws {
        var frames: [Frame] = []
        deframer.append(bytes.span, at: now.monotonic) { run, _ in
            if case .frame(let frame) = run { frames.append(frame) }
        }
        for frame in frames {
            if frame.kind == .telemetry { heardPositions += 1 }
            try await handle(.frame(frame))
        }
    }

    private func handle(_ event: GatewayEvent) async throws {
        for action in machine.handle(event, at: now) {
            switch action {
            case .setTimer(let id, let deadline): timers[id] = deadline
            case .cancelTimer(let id): timers[id] = nil
            case .report(let report):
                note(report)
                note(mqtt.publish(report, at: now))
            case .write(let id, let bytes):
                simulator.receive(bytes)
                try await handle(.writeFinished(id, succeeded: true))
            case .call(let id, .sondes(let query)):
                try server.serve("site", answer(flown.dropLast(Self.cacheSeconds).suffix(1)))
                try server.serve("area", "{}")
                try await handle(.answered(id, .sondes(await client.sondes(query))))
            case .call(let id, .track(let serial, let duration)):
                try server.serve("track", track(flown.dropLast(Self.cacheSeconds)))
                var pieces: [SondeHubAnswer] = []
                try await client.trackPieces(of: serial, last: duration) { pieces.append($0) }
                for piece in pieces { try await handle(.answered(id, .trackPart(piece))) }
                try await handle(.answered(id, .trackEnd))
            // The script switches these off.
            case .call(_, .tawhiri), .call(_, .sondeHubPrediction), .call(_, .route), .call(_, .shareCar),
                .call(_, .stream), .call(_, .crews), .call(_, .terrain), .call(_, .landings), .call(_, .sites),
                .call(_, .recoveries), .call(_, .reportRecovery), .call(_, .groundAlong):
                break
            // These have no effect here.
            case .record, .closeLink, .cancel, .measureHealth, .setLogLevel, .forgetHomeAssistant, .note: break
            }
        }
    }

    /// Gives the server the records that other stations upload for this second, in GPS time.
    private func note(_ flight: FlightModel) {
        guard flight.phase != .onGround else { return }
        let time = now.wall.advanced(byMilliseconds: 18_000).iso8601
        flown.append(
            "{\"serial\":\"\(simulator.sondeName)\",\"type\":\"RS41\",\"ref_datetime\":\"GPS\",\"datetime\":\"\(time)\","
                + "\"lat\":\(flight.latitude),\"lon\":\(flight.longitude),\"alt\":\(flight.altitudeMetres),"
                + "\"vel_h\":\(flight.horizontalSpeed),\"vel_v\":\(flight.verticalSpeed),\"tx_frequency\":403.5,"
                + "\"uploader_position\":\"47.5,8.5\"}")
    }

    private func answer(_ records: ArraySlice<String>) -> String {
        records.first.map { "{\"\(simulator.sondeName)\":\($0)}" } ?? "{}"
    }

    private func track(_ records: ArraySlice<String>) -> String {
        let members = records.enumerated().map { "\"\($0.offset)\":\($0.element)" }.joined(separator: ",")
        return "{\"\(simulator.sondeName)\":{\(members)}}"
    }

    private func note(_ report: Report) {
        guard case .position(let position) = report else { return }
        publishedBLE += position.source == .ble ? 1 : 0
        publishedSondeHub += position.source == .sondehub ? 1 : 0
        if let lastTime { #expect(position.time > lastTime) }
        lastTime = position.time
    }

    private func note(_ outputs: [MQTTPublisher.Output]) {
        for output in outputs {
            guard case .publish(let message) = output else {
                Issue.record("the broker is always there")
                continue
            }
            let topic = String(message.topic.dropFirst(Self.prefix.count))
            let text = String(decoding: message.payload, as: UTF8.self)
            messages.append((topic, text))
            if topic == "event" { transcript.append(text) }
        }
    }
}
