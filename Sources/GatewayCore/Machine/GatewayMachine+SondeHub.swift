import ReceiverProtocol

// SondeHub's side: polls, gap fills, the hunted sonde and the receiver's frequency.

/// A track that is being fetched, or will be once more.
struct GapFill: Equatable, Sendable {
    /// Of the call in flight; nil while the next attempt is waited for.
    var id: CallID?
    var serial: SondeSerial
    /// Where the gap begins; nil asks for the whole flight.
    var since: MonotonicTime?
    var points: [TrackPoint] = []
    var attempts = 0
    var retryAt: MonotonicTime?

    static let mostAttempts = 5
    private static let firstWait = 10.0

    /// Plans the next attempt. Returns false when there is none.
    mutating func failed(_ error: SondeHubError, at now: MonotonicTime) -> Bool {
        id = nil
        points = []
        switch error.code {
        case .refused, .redirect, .tooLarge, .cancelled: return false
        case .unreachable, .timedOut, .tls, .status, .rateLimited, .malformed: break
        }
        guard attempts < Self.mostAttempts else { return false }
        let wait = Self.firstWait * Double(1 << (attempts - 1))
        retryAt = now.advanced(by: max(SondeHubPoll.spread(wait, by: now), min(error.retryAfter ?? 0, 3600)))
        return true
    }
}

/// SondeHub's newest frame of the sonde.
struct ToldRecord: Equatable, Sendable {
    var record: SondeHubRecord
    /// When SondeHub answered, seconds.
    var age: Double
    /// When the answer came.
    var at: Moment
}

extension GatewayMachine {
    /// A frame older than this when SondeHub answered is silence, seconds.
    private static let silence = 120.0
    /// How far back a sonde of which nothing is known yet is asked for, seconds.
    private static let wholeFlight = 10_800.0

    mutating func pollSondeHub(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard let query = poll.next(nextCall(), around: placeToLook, at: now.monotonic), let id = poll.callInFlight
        else { return }
        actions.append(.pollSondeHub(id, query))
    }

    private var placeToLook: Coordinate? { flight.newest?.coordinate ?? poll.settings.place }

    mutating func sondeHubAnswered(
        _ id: CallID, _ result: Result<SondeHubAnswer, SondeHubError>, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        guard poll.answered(id) else { return }
        switch result {
        case .success(let answer): received(answer, now, &actions)
        case .failure(let error):
            counters.sondeHubErrors[error.code.rawValue, default: 0] += 1
            actions.append(
                .note(GatewayNote(.warning, "SondeHub gave no answer: \(error.code.rawValue)", ["why": error.detail])))
            poll.failed(error, at: now.monotonic)
            sondeHubHasNone(now, &actions)
        }
    }

    private mutating func received(_ answer: SondeHubAnswer, _ now: Moment, _ actions: inout [GatewayAction]) {
        if answer.skipped > 0 {
            actions.append(.note(GatewayNote(.info, "SondeHub records skipped", ["count": "\(answer.skipped)"])))
        }
        let choice = SondeHubChoice.newest(of: answer.records, hunted: sondeToAskFor(now))
        for test in choice.groundTests {
            actions.append(
                .note(
                    GatewayNote(
                        .info, "a sonde beside its uploader is a test on the ground: \(test.serial)",
                        ["metres": "\(Int(test.metres))"])))
        }
        let age = choice.record.map { answer.age(of: $0, at: now) }
        poll.succeeded(newest: age, canAskArea: placeToLook != nil, at: now.monotonic)
        telemetryState.pollInterval = poll.interval
        guard let record = choice.record, let age else {
            return sondeHubHasNone(now, &actions)
        }
        use(record, age: age, now, &actions)
    }

    private mutating func sondeHubHasNone(_ now: Moment, _ actions: inout [GatewayAction]) {
        telemetry(.sondeHub(isAvailable: false), now, &actions)
        publishState(now, &actions)
    }

    /// While the receiver has telemetry its sonde is the hunted one.
    private func sondeToAskFor(_ now: Moment) -> SondeSerial? {
        link.hasTelemetry ? identity.current : hunted.serial(at: now.monotonic)
    }

    private mutating func use(
        _ record: SondeHubRecord, age: Double, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        if record.serial != identity.current {
            // The receiver speaks alone, also about a sonde whose name it can't read.
            guard !link.hasTelemetry else { return }
            let old = identity.adopt(record.serial)
            sondeChanged(from: old, to: record.serial, record.sondeType, now, &actions)
        }
        if told.map({ record.time > $0.record.time }) ?? true {
            told = ToldRecord(record: record, age: age, at: now)
            hunted.told(record.serial, at: now.monotonic)
        }
        if !link.hasTelemetry {
            flight.isSondeHubSilent = age > Self.silence
            judgePhase(now, &actions)
        }
        telemetry(.sondeHub(isAvailable: true), now, &actions)
        show(now, &actions)
        publishState(now, &actions)
    }

    /// Publishes SondeHub's newest frame while SondeHub is the source, once.
    mutating func show(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard telemetryState.state.isAPRS, let told else { return }
        // An old frame is no live position, wherever it comes from.
        let age = told.age + Double(now.monotonic.milliseconds(since: told.at.monotonic)) / 1000
        if age <= Self.silence,
            let reports = channels.reports(for: told.record, radio: lastHeard, age: age, at: now)
        {
            publish(reports.position, now, &actions)
            publish(reports.radio, now, &actions)
        }
        let isNew = flight.newest.map { told.record.time > $0.time } ?? true
        if telemetryState.state == .aprsFlying, isNew { add(TrackPoint(told.record), now, &actions) }
    }

    // MARK: - Gap fill

    /// Fetches what SondeHub heard since then, nil for the whole flight; replaces a fetch under way.
    mutating func fillGap(since: MonotonicTime?, _ now: Moment, _ actions: inout [GatewayAction]) {
        guard poll.settings.isEnabled, let serial = identity.current else { return }
        cancelGapFill(&actions)
        gapFill = GapFill(serial: serial, since: since)
        fetchTrack(now, &actions)
    }

    /// The first attempt, or the next one that is due.
    mutating func fetchTrack(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard var fill = gapFill, fill.id == nil, fill.retryAt.map({ now.monotonic >= $0 }) ?? true else { return }
        let gap = fill.since.map { Double(now.monotonic.milliseconds(since: $0)) / 1000 } ?? Self.wholeFlight
        let id = nextCall()
        fill.id = id
        fill.retryAt = nil
        fill.attempts += 1
        gapFill = fill
        poll.count()
        actions.append(.fetchTrack(id, fill.serial, .covering(gap)))
    }

    mutating func cancelGapFill(_ actions: inout [GatewayAction]) {
        if let id = gapFill?.id { actions.append(.cancelTrack(id)) }
        gapFill = nil
    }

    mutating func trackReceived(_ id: CallID, _ records: [SondeHubRecord]) {
        guard let fill = gapFill, fill.id == id else { return }
        let points = records.filter { $0.serial == fill.serial }.map { TrackPoint($0) }
        gapFill?.points += points.prefix(Track.limit - fill.points.count)
    }

    mutating func trackEnded(_ id: CallID, _ error: SondeHubError?, _ now: Moment, _ actions: inout [GatewayAction]) {
        guard var fill = gapFill, fill.id == id else { return }
        let points = fill.points
        gapFill = nil
        if let error {
            if fill.failed(error, at: now.monotonic) { gapFill = fill }
            counters.sondeHubErrors[error.code.rawValue, default: 0] += 1
            actions.append(
                .note(GatewayNote(.warning, "the track is not whole: \(error.code.rawValue)", ["why": error.detail])))
        }
        let (taken, changes) = flight.insert(contentsOf: points)
        guard taken > 0 else { return }
        record(points, &actions)
        actions.append(
            .note(GatewayNote(.info, "gap filled from SondeHub", ["points": "\(taken)", "of": "\(points.count)"])))
        flightChanged(changes, now, &actions)
        publishFlight(now, &actions)
    }

    // MARK: - Hunt

    /// The command `hunt`; nil lets go.
    mutating func hunt(_ serial: SondeSerial?, _ now: Moment, _ actions: inout [GatewayAction]) {
        hunted.pinned = serial
        remember(hunt: serial, now, &actions)
        actions.append(.note(GatewayNote(.notice, "hunting", ["serial": serial?.canonical ?? "the newest"])))
        guard !link.hasTelemetry, let wanted = hunted.serial(at: now.monotonic), wanted != identity.current else {
            return
        }
        let old = identity.adopt(wanted)
        sondeChanged(from: old, to: wanted, .other(""), now, &actions)
        poll.askNow(at: now.monotonic)
    }

    // MARK: - Frequency

    /// Compares the receiver's tuning with the sonde's, after every event.
    mutating func syncFrequency(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard let decision = frequencySync.compare(wanted: wantedTuning, shown: shownTuning, at: now.monotonic) else {
            return
        }
        switch decision {
        case .withdraw: publishProposal(&actions)
        case .propose(let tuning):
            announce(
                "frequency_proposal", "The sonde sends on \(tuning.text). Tune the receiver?", level: .notice, now,
                &actions
            ) { $0.fields(of: tuning) }
            publishProposal(&actions)
        case .tune(let tuning):
            announce(
                "frequency_tuned", "Tuning the receiver to \(tuning.text).", level: .notice, now, &actions
            ) { $0.fields(of: tuning) }
            perform(commands.submit(.tune(tuning), origin: nil, at: now.monotonic), now, &actions)
        }
    }

    /// On SondeHub, where the sonde sends; nil elsewhere, or when the receiver can't be tuned there.
    private var wantedTuning: Tuning? {
        guard telemetryState.state.isAPRS, let record = told?.record, let frequency = record.frequencyMHz else {
            return nil
        }
        let rounded = (frequency * 100).rounded() / 100
        guard decoder.policy.frequencyRange.contains(rounded) else { return nil }
        return Tuning(frequencyMHz: rounded, sondeType: record.sondeType)
    }

    private var shownTuning: Tuning? {
        guard link.canReceiveCommands, let radio = lastRadio, let frequency = radio.frequencyMHz else { return nil }
        // A type the receiver can't be tuned to differs from any that it can.
        return Tuning(frequencyMHz: frequency, sondeType: radio.sondeType)
            ?? Tuning(frequencyMHz: 0, sondeType: .rs41)
    }

    /// The option `frequency_sync`; nil takes the configuration's.
    mutating func follow(_ policy: FrequencySyncPolicy?, _ actions: inout [GatewayAction]) {
        frequencySync.change(to: policy ?? poll.settings.frequencySync)
        actions.append(.record(.setting(.frequencySync, policy?.rawValue)))
        publishProposal(&actions)
    }

    mutating func publishProposal(_ actions: inout [GatewayAction]) {
        var json = JSONText()
        if let tuning = frequencySync.open {
            json.field("serial", identity.current?.canonical)
            json.fields(of: tuning)
            json.field("receiver_frequency_mhz", lastRadio?.frequencyMHz, decimals: 3)
            json.field("receiver_sonde_type", lastRadio?.sondeType.name)
        }
        publishLive(OutgoingMessage(topic: topics.proposal, payload: json.object, isRetained: true), &actions)
    }
}

extension SondeHubAnswer {
    /// The record's age when SondeHub answered, seconds: a cache's delay is not silence.
    ///
    /// A machine whose clock is not in order takes SondeHub's word for the time.
    func age(of record: SondeHubRecord, at now: Moment) -> Double {
        let cached = now.wall.advanced(byMilliseconds: -Int64(max(0, min(cacheAge, 1e6)) * 1000))
        let answered = now.isClockSynced ? cached : answeredAt ?? cached
        return max(0, answered.seconds(since: record.time))
    }
}

extension TrackPoint {
    init(_ record: SondeHubRecord) {
        self.init(
            time: record.time, coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            source: .sondehub)
    }
}

extension JSONText {
    fileprivate mutating func fields(of tuning: Tuning) {
        field("frequency_mhz", tuning.frequencyMHz, decimals: 3)
        field("sonde_type", tuning.sondeType.name)
    }
}

extension Tuning {
    /// `403.5 megahertz, type RS41`
    fileprivate var text: String { "\(frequencyMHz) megahertz, type \(sondeType.name)" }
}
