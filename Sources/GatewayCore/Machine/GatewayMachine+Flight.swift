import ReceiverProtocol

// The sonde's flight: its track and phase, and the seven states that follow from them.

extension GatewayMachine {
    /// Gives the state machine an event and says what it made of it.
    mutating func telemetry(_ event: TelemetryState.Event, _ now: Moment, _ actions: inout [GatewayAction]) {
        let before = telemetryState.state
        if case .receiverTelemetry(true) = event { receiverSpeaks(now, &actions) }
        guard telemetryState.handle(event, at: now) else { return }
        let state = telemetryState.state
        announce(
            "state_changed", state.sentence, reason: telemetryState.reason.rawValue, level: .info, now, &actions
        ) { json in
            json.field("state", state.rawValue)
            json.field("previous_state", before.rawValue)
        }
        publishState(now, &actions)
        phaseMayHaveChanged(now, &actions)
        if state.isAPRS, !before.isAPRS {
            show(now, &actions)
            fillGap(since: receiverSilentSince ?? lastPositionAt, now, &actions)
        }
    }

    /// The receiver gives positions again: it speaks alone, and a long silence of it is filled from SondeHub.
    private mutating func receiverSpeaks(_ now: Moment, _ actions: inout [GatewayAction]) {
        if flight.isSondeHubSilent {
            flight.isSondeHubSilent = false
            judgePhase(now, &actions)
        }
        guard !telemetryState.state.isLiveBLE, let heardBefore = receiverSilentSince else { return }
        if now.monotonic >= heardBefore.advanced(by: Self.silenceToFill) {
            fillGap(since: heardBefore, now, &actions)
        }
    }

    /// Without the receiver's positions for this long, SondeHub is asked for what was missed, seconds.
    private static let silenceToFill = 60.0

    /// A position of the receiver goes into the track.
    mutating func record(_ report: PositionReport, _ now: Moment, _ actions: inout [GatewayAction]) {
        guard report.serial == nil || report.serial == identity.current else { return }
        if let serial = report.serial { hunted.heard(serial, at: now.monotonic) }
        add(
            TrackPoint(
                time: report.time, coordinate: report.coordinate, altitudeMetres: report.altitudeMetres,
                source: report.source),
            now, &actions)
    }

    mutating func add(_ point: TrackPoint, _ now: Moment, _ actions: inout [GatewayAction]) {
        lastPositionAt = now.monotonic
        let newestBefore = flight.newest
        let (isTaken, changes) = flight.insert(point)
        if isTaken { record([point], &actions) }
        flightChanged(changes, now, &actions)
        if flight.newest != newestBefore { publishFlight(now, &actions) }
    }

    /// Announces what an insertion brought about and looks at the phase.
    mutating func flightChanged(_ changes: [Flight.Change], _ now: Moment, _ actions: inout [GatewayAction]) {
        for change in changes {
            switch change {
            case .burst(let point):
                announce(
                    "burst", "Burst at \(Int(point.altitudeMetres.rounded())) metres.", level: .notice, now, &actions
                ) { $0.fields(of: point) }
            case .landed(let point):
                announce("landed", "The sonde has landed.", level: .notice, now, &actions) { $0.fields(of: point) }
            case .airborne:
                announce("airborne", "The sonde moves again.", level: .notice, now, &actions)
            }
        }
        judgePhase(now, &actions)
    }

    mutating func judgePhase(_ now: Moment, _ actions: inout [GatewayAction]) {
        telemetry(.landed(flight.phase.phase == .landed), now, &actions)
        phaseMayHaveChanged(now, &actions)
    }

    private mutating func phaseMayHaveChanged(_ now: Moment, _ actions: inout [GatewayAction]) {
        guard phase != publishedPhase else { return }
        publishedPhase = phase
        publishState(now, &actions)
        if flight.newest != nil { publishFlight(now, &actions) }
    }

    /// As published: without telemetry nothing is known.
    var phase: PhaseVerdict {
        telemetryState.state == .noTelemetry ? PhaseVerdict(.unknown, .noTelemetry) : flight.phase
    }

    /// A new sonde: everything that was known of the old one is over.
    mutating func sondeChanged(
        from old: SondeSerial?, to new: SondeSerial, _ type: SondeType, _ now: Moment, _ actions: inout [GatewayAction]
    ) {
        channels.sondeChanged()
        flight = Flight()
        told = nil
        lastPositionAt = nil
        receiverSilentSince = nil
        cancelGapFill(&actions)
        telemetry(.sondeChanged, now, &actions)
        let text =
            old.map { "New sonde \(new), type \(type.name), after \($0)." } ?? "First sonde \(new), type \(type.name)."
        announce("sonde_changed", text, level: .notice, now, &actions) { json in
            json.field("serial", new.canonical)
            json.field("previous_serial", old?.canonical)
            json.field("sonde_type", type.name)
        }
        publishState(now, &actions)
        fillGap(since: nil, now, &actions)
    }

    mutating func publishFlight(_ now: Moment, _ actions: inout [GatewayAction]) {
        publishLive(
            OutgoingMessage(
                topic: topics.flight, payload: flight.payload(serial: identity.current, phase: phase),
                isRetained: true),
            &actions)
    }
}

extension TelemetryState.State {
    /// Fit to be read aloud.
    fileprivate var sentence: String {
        switch self {
        case .startup: "The gateway starts."
        case .liveBLEFlying: "The receiver hears the sonde."
        case .liveBLELanded: "The receiver hears the sonde, it is on the ground."
        case .waitingForAPRS: "The receiver lost the sonde."
        case .aprsFlying: "SondeHub has the sonde."
        case .aprsLanded: "SondeHub has the sonde, it is on the ground."
        case .noTelemetry: "Nobody hears the sonde."
        }
    }
}

extension JSONText {
    mutating func fields(of point: TrackPoint) {
        field("latitude", point.coordinate.latitude, decimals: 6)
        field("longitude", point.coordinate.longitude, decimals: 6)
        field("altitude_m", point.altitudeMetres, decimals: 1)
        field("time", point.time)
    }

    /// Null when there is none.
    fileprivate mutating func field(_ key: String, _ point: TrackPoint?) {
        guard let point else { return field(key, nil as String?) }
        field(key) { $0.fields(of: point) }
    }
}

extension Flight {
    func payload(serial: SondeSerial?, phase: PhaseVerdict) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("phase", phase.phase.rawValue)
        json.field("phase_reason", phase.reason?.rawValue)
        json.field("horizontal_speed_mps", motion?.horizontalSpeed, decimals: 2)
        json.field("course_deg", motion?.courseDegrees, decimals: 1)
        json.field("vertical_speed_mps", motion?.verticalSpeed, decimals: 2)
        json.field("raw_horizontal_speed_mps", motionFilter.raw?.horizontalSpeed, decimals: 2)
        json.field("raw_vertical_speed_mps", motionFilter.raw?.verticalSpeed, decimals: 2)
        json.field("descent_rate_mps", adjustedDescentRate, decimals: 2)
        json.field("highest_m", highest?.altitudeMetres, decimals: 1)
        json.field("burst", burst)
        json.field("landed", landingPlace)
        json.field("last", newest)
        json.field("first_at", track.points.first?.time)
        json.field("track_points", track.points.count)
        return json.object
    }
}
