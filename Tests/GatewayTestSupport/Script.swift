package import FlightMath
import Foundation
package import Gateway
package import GatewayReports
package import MQTTPublishing
package import ReceiverProtocol
import TestSupport

/// Drives the machine and its MQTT feed: events in; reports, actions and messages out. The test controls the time.
package struct Script {
    /// The effects of one step, in order.
    package struct Outcome {
        package var actions: [GatewayAction] = []
        package var published: [OutgoingMessage] = []
        package var spooled: [OutgoingMessage] = []

        package init(actions: [GatewayAction] = []) { self.actions = actions }

        package static func += (left: inout Outcome, right: Outcome) {
            left.actions += right.actions
            left.published += right.published
            left.spooled += right.spooled
        }

        package static func + (left: Outcome, right: Outcome) -> Outcome {
            var sum = left
            sum += right
            return sum
        }
    }

    package var machine: GatewayMachine
    package var mqtt: MQTTPublisher
    package let inbox: MQTTInbox
    package let topics: Topics
    package var now: Moment
    package private(set) var isConnected = false
    package private(set) var timers: [TimerID: MonotonicTime] = [:]
    private let version: MQTTVersion
    /// The newest report of every kind.
    package private(set) var newest: [Report.Kind: Report] = [:]
    /// Every announcement, in order.
    package private(set) var announcements: [Announcement] = []
    /// The effects of the start.
    package private(set) var begin = Outcome()

    /// 2026-01-01T12:00:00Z
    package static let noon: Int64 = 1_767_268_800_000

    package init(
        topics id: String = "test", policy: CommandPolicy = CommandPolicy(), sondeHub: SondeHubOptions = .off,
        prediction: PredictionOptions = .off, chase: ChaseOptions = ChaseOptions(),
        carSharing: CarSharingOptions = CarSharingOptions(), ownTracks: OwnTracksOptions? = nil,
        homeAssistant: HomeAssistantOptions? = nil, hasExpiry: Bool = true,
        ownTracksTopic: String? = nil, memory: GatewayMemory? = GatewayMemory(),
        isClockSynced: Bool = true
    ) {
        now = Moment(
            monotonic: .zero, wall: WallTime(millisecondsSince1970: Self.noon), isClockSynced: isClockSynced)
        guard let topics = Topics(base: "sondygo", id: id) else { preconditionFailure("a valid id") }
        self.topics = topics
        version = hasExpiry ? .v5 : .v311
        mqtt = MQTTPublisher(
            topics: topics, homeAssistant: homeAssistant, ownTracks: ownTracks,
            startedAt: now.monotonic)
        inbox = MQTTInbox(topics: topics, homeAssistant: homeAssistant, ownTracksTopic: ownTracksTopic)
        machine = GatewayMachine(
            info: InfoReport(version: "1", id: id, machine: "m"), policy: policy, sondeHub: sondeHub,
            prediction: prediction, chase: chase, carSharing: carSharing, startedAt: now)
        begin = run(.started(memory))
    }

    // MARK: - Events

    @discardableResult
    package mutating func run(_ event: GatewayEvent) -> Outcome {
        var outcome = Outcome(actions: machine.handle(event, at: now))
        for action in outcome.actions {
            switch action {
            case .setTimer(let id, let deadline): timers[id] = deadline
            case .cancelTimer(let id): timers[id] = nil
            case .report(let report):
                newest[report.kind] = report
                if case .announcement(let told) = report, !told.isLater { announcements.append(told.announcement) }
                note(mqtt.publish(report, at: now), in: &outcome)
            case .forgetHomeAssistant: note(mqtt.forgetHomeAssistant(), in: &outcome)
            case .record, .write, .closeLink, .call, .cancel, .measureHealth, .setLogLevel, .note:
                break  // A test looks at these itself.
            }
        }
        return outcome
    }

    private func note(_ outputs: [MQTTPublisher.Output], in outcome: inout Outcome) {
        for output in outputs {
            switch output {
            case .publish(let message): outcome.published.append(message)
            case .spool(let message): outcome.spooled.append(message)
            }
        }
    }

    @discardableResult
    package mutating func brokerConnected() -> Outcome {
        isConnected = true
        var outcome = Outcome()
        note(mqtt.sessionBegan(version, at: now), in: &outcome)
        return outcome
    }

    package mutating func brokerDisconnected() {
        isConnected = false
        mqtt.sessionEnded(at: now.monotonic)
    }

    /// Stops the gateway: the last event, and the publisher's last messages.
    @discardableResult
    package mutating func stop() -> Outcome {
        var outcome = run(.stopping)
        note(mqtt.stop(at: now), in: &outcome)
        return outcome
    }

    package mutating func advance(_ seconds: Double) {
        now.monotonic = now.monotonic.advanced(by: .seconds(seconds))
        now.wall = now.wall.advanced(byMilliseconds: Int64(seconds * 1000))
    }

    /// Lets time pass and fires the timers that become due, in order.
    @discardableResult
    package mutating func wait(_ seconds: Double) -> Outcome {
        let end = now.monotonic.advanced(by: .seconds(seconds))
        var outcome = Outcome()
        var rounds = 0
        while let next = ([mqtt.deadline].compactMap { $0 } + timers.values).min(), next <= end {
            rounds += 1
            precondition(rounds < 100_000, "a deadline that never passes: \(timers)")
            advance(max(0, next.duration(since: now.monotonic).inSeconds))
            now.monotonic = max(now.monotonic, next)
            for id in TimerID.allCases where timers[id].map({ $0 <= next }) ?? false {
                timers[id] = nil
                outcome += run(.timerFired(id))
            }
            note(mqtt.timePassed(at: now), in: &outcome)
        }
        advance(end.duration(since: now.monotonic).inSeconds)
        return outcome
    }

    /// The transport accepts each write in `outcome`, and those that follow.
    @discardableResult
    package mutating func takeWrites(_ outcome: Outcome) -> Outcome {
        var all = Outcome()
        var next = outcome
        while let id = next.writeIDs.first {
            next = run(.writeFinished(id, succeeded: true))
            all += next
        }
        return all
    }

    /// Connects the broker, and opens a link with its first frame.
    package mutating func connect() {
        brokerConnected()
        openLink()
        frame(Self.searching)
    }

    @discardableResult
    package mutating func openLink(address: String? = nil, maximumWriteLength: Int = 128) -> Outcome {
        run(
            .linkOpened(ReceiverPeer(name: "receiver", address: address, maximumWriteLength: maximumWriteLength)))
    }

    @discardableResult
    package mutating func closeLink(_ loss: LinkLoss = .transport(TransportError(.closedByPeer, "gone"))) -> Outcome {
        run(.linkClosed(loss))
    }

    @discardableResult
    package mutating func frame(_ text: String) -> Outcome {
        let bytes = Array(text.utf8)
        guard let frame = try? FrameParser.parse(bytes.span) else { return run(.frameRejected(.garbage)) }
        return run(.frame(frame))
    }

    /// A message of the broker on a topic below the gateway's.
    @discardableResult
    package mutating func command(
        _ body: String, topic: String = "command", isRetained: Bool = false, responseTopic: String? = nil,
        correlationData: [UInt8]? = nil
    ) -> Outcome {
        receive(
            IncomingMessage(
                topic: "\(topics.prefix)/\(topic)", payload: Array(body.utf8), isRetained: isRetained,
                responseTopic: responseTopic, correlationData: correlationData))
    }

    @discardableResult
    package mutating func receive(_ message: IncomingMessage) -> Outcome {
        switch inbox.delivery(of: message, on: version) {
        case .event(let event): return run(event)
        case .homeAssistant(let news):
            mqtt.heard(news, at: now)
            return Outcome()
        case .offline:
            mqtt.heardOffline(at: now.monotonic)
            return Outcome()
        case nil: return Outcome()
        }
    }

    /// Waits for the poll that is due at once and answers it. Without a call it does nothing.
    @discardableResult
    package mutating func answerPoll(_ records: [SondeHubRecord], cacheAge: Duration = .zero) -> Outcome {
        answer(wait(0).polls.first?.id, records, cacheAge: cacheAge)
    }

    @discardableResult
    package mutating func answer(_ id: CallID?, _ records: [SondeHubRecord], cacheAge: Duration = .zero) -> Outcome {
        guard let id else { return Outcome() }
        return run(.answered(id, .sondes(SondeHubAnswer(records: records, cacheAge: cacheAge))))
    }

    /// Answers a call for a track completely.
    @discardableResult
    package mutating func answerTrack(_ id: CallID?, _ records: [SondeHubRecord]) -> Outcome {
        guard let id else { return Outcome() }
        return run(.answered(id, .trackPart(SondeHubAnswer(records: records)))) + run(.answered(id, .trackEnd))
    }

    // MARK: - The state

    package var state: TelemetryState? { if case .state(let report) = newest[.state] { report.state } else { nil } }
    package var stateReport: StateReport? { if case .state(let report) = newest[.state] { report } else { nil } }
    package var flight: FlightReport? { if case .flight(let report) = newest[.flight] { report } else { nil } }
    package var serial: String? { stateReport?.serial?.canonical }
    package var proposal: ProposalReport? {
        if case .proposal(let report?) = newest[.proposal] { report } else { nil }
    }
    /// The present health report.
    package mutating func health() -> HealthReport? {
        run(.healthDue(ProcessHealth()))
        if case .health(let report) = newest[.health] { return report }
        return nil
    }

    // MARK: - Frames

    package static let searching = "0/RS41/403.500/120.5/100/4260/0/3.10/o"
    package static let configuration = typeThree()

    /// - Parameters:
    ///   - serial: `No data` for none.
    ///   - burstKiller: the seconds left; 0 if it is idle.
    ///   - speed: km/h over ground.
    ///   - up: m/s.
    package static func position(
        _ serial: String = "V4210150", type: String = "RS41", frequency: String = "403.500", latitude: String = "47.38",
        altitude: Int = 500, afc: Int = 0, burstKiller: Int = 0, speed: Int = 0, up: Double = 0
    ) -> String {
        "1/\(type)/\(frequency)/\(serial)/\(latitude)/8.54/\(altitude)/\(speed)/\(up)/117.5/100/\(afc)/"
            + "\(burstKiller > 0 ? 1 : 0)/\(burstKiller)/4274/0/0/0/0/3.10/o"
    }

    package static func record(
        _ serial: String, at seconds: Double = 0, latitude: Double = 47, altitude: Double = 1000,
        type: SondeType = .rs41, frequency: Double? = nil, uploader: Double? = nil
    ) -> SondeHubRecord {
        guard let serial = SondeSerial(name: serial, type: type) else { preconditionFailure("a valid serial") }
        var record = SondeHubRecord(
            serial: serial, sondeType: type, time: WallTime(millisecondsSince1970: noon + Int64(seconds * 1000)),
            coordinate: Coordinate(latitude: latitude, longitude: 8), altitudeMetres: altitude)
        record.uploader = uploader.map { Coordinate(latitude: $0, longitude: 8) }
        record.frequencyMHz = frequency
        return record
    }
}

extension Script.Outcome {
    package var reports: [Report] { actions.compactMap { if case .report(let report) = $0 { report } else { nil } } }
    package var positions: [PositionReport] {
        reports.compactMap { if case .position(let report) = $0 { report } else { nil } }
    }
    package var radios: [RadioReport] { reports.compactMap { if case .radio(let report) = $0 { report } else { nil } } }
    package var states: [StateReport] { reports.compactMap { if case .state(let report) = $0 { report } else { nil } } }
    package var flights: [FlightReport] {
        reports.compactMap { if case .flight(let report) = $0 { report } else { nil } }
    }
    package var announcements: [Announcement] {
        reports.compactMap {
            if case .announcement(let report) = $0, !report.isLater { report.announcement } else { nil }
        }
    }
    package var written: [String] {
        actions.compactMap { if case .write(_, let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }
    package var writeIDs: [WriteID] { actions.compactMap { if case .write(let id, _) = $0 { id } else { nil } } }
    package var entries: [FlightLogEntry] {
        actions.compactMap { if case .record(let entry) = $0 { entry } else { nil } }
    }
    package var notes: [GatewayNote] { actions.compactMap { if case .note(let note) = $0 { note } else { nil } } }

    /// The polls of SondeHub with their ids.
    package var polls: [(id: CallID, query: SondeHubQuery)] {
        actions.compactMap { if case .call(let id, .sondes(let query)) = $0 { (id, query) } else { nil } }
    }
    package var tracks: [(id: CallID, serial: SondeSerial, duration: TrackDuration)] {
        actions.compactMap {
            if case .call(let id, .track(let serial, let duration)) = $0 { (id, serial, duration) } else { nil }
        }
    }
    /// The connections of the live stream with their ids.
    package var streams: [(id: CallID, serial: SondeSerial)] {
        actions.compactMap { if case .call(let id, .stream(let serial)) = $0 { (id, serial) } else { nil } }
    }
    package var cancelled: [CallID] { actions.compactMap { if case .cancel(let id) = $0 { id } else { nil } } }

    package func messages(on suffix: String) -> [OutgoingMessage] { published.filter { $0.topic.hasSuffix(suffix) } }
    package func texts(on suffix: String) -> [String] {
        messages(on: suffix).map { String(decoding: $0.payload, as: UTF8.self) }
    }
    /// The messages' payloads, decoded.
    package func objects(on suffix: String) -> [[String: Any]] { messages(on: suffix).compactMap(\.object) }

    package var commandAnswers: [CommandAnswer] {
        reports.compactMap { if case .answer(let report) = $0 { report.answer } else { nil } }
    }

    /// The answers: `accepted`, `written` …, with the error's code after a colon, and `!` after a final one.
    package var answers: [String] {
        commandAnswers.map { answer in
            answer.status.rawValue + (answer.error.map { ":" + $0.code.rawValue } ?? "") + (answer.isFinal ? "!" : "")
        }
    }
}

extension OutgoingMessage {
    /// The decoded payload; nil if it is no JSON object.
    package var object: [String: Any]? { (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] }
}

extension Announcement {
    package var newSerial: String? {
        if case .sondeChanged(let serial, _, _, _) = self { serial.canonical } else { nil }
    }
}
