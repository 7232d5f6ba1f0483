import FlightMath
import GatewayReports
import ReceiverProtocol

// The reports of the machine's state.

extension GatewayMachine {
    /// All state-like reports, in the order in which changes are published.
    var stateReports: [Report] {
        [
            .receiverState(isOnline: receiver.link.state != .notConnected),
            .state(stateReport),
            .flight(flight),
            .landing(landing),
            .prediction(prediction),
            .proposal(proposal),
            .chase(chase.report),
            .route(routing.report),
            .info(infoAnnouncement),
        ] + (receiver.settings.map { [.settings($0)] } ?? [])
    }

    /// The phase; unknown without telemetry, unless the sonde has come to rest.
    private var phase: PhaseVerdict {
        let phase = sonde.flight.phase
        return telemetry.state == .noTelemetry && phase.phase != .landed ? PhaseVerdict(.unknown, .noTelemetry) : phase
    }

    var receiverFacts: StateReport.Receiver {
        let peer = receiver.link.peer
        return StateReport.Receiver(
            name: peer?.name, address: peer?.address, rssiDBm: peer?.rssiDBm, firmware: receiver.firmware)
    }

    var infoAnnouncement: InfoAnnouncement {
        InfoAnnouncement(info: info, startedAt: startedAt, receiver: receiverFacts)
    }

    private var stateReport: StateReport {
        StateReport(
            state: telemetry.state, since: telemetry.since, reason: telemetry.reason, source: telemetry.source,
            phase: phase, link: receiver.link.state, receiver: receiverFacts, serial: sonde.serial,
            sondeHub: StateReport.SondeHub(
                isAvailable: sonde.news.isAvailable, lastAnswer: sonde.news.lastAnswer,
                pollInterval: sondeHub.options.isEnabled ? sondeHub.poll.interval : nil, error: sondeHub.lastError))
    }

    private var flight: FlightReport {
        var report = FlightReport(sonde.flight, serial: sonde.serial, phase: phase)
        report.otherName = sonde.otherName
        return report
    }

    private var landing: LandingReport? {
        sonde.landing.point.map {
            LandingReport(
                serial: sonde.serial, point: $0, history: sonde.landing.history, movedMetres: sonde.landing.movedMetres,
                score: sonde.scores.score)
        }
    }

    /// Nil after the landing, because `landing` then holds the place and the time.
    private var prediction: PredictionReport? {
        guard sonde.flight.phase.phase != .landed else { return nil }
        return sonde.forecast.map {
            PredictionReport(
                serial: sonde.serial, forecast: $0,
                ownWinds: $0.method == .ownWinds ? nil : sonde.predictions.own)
        }
    }

    private var proposal: ProposalReport? {
        frequencySync.open.map {
            ProposalReport(serial: sonde.serial, tuning: $0, listening: receiver.listening)
        }
    }

    func health(_ process: ProcessHealth, at now: Moment) -> HealthReport {
        var process = process
        if let counts = carSharing.counts { process.feeds.append(counts) }
        return HealthReport(
            at: now, uptime: now.duration(since: startedAt), process: process, frames: receiver.frames,
            rejects: rejects, unconfirmed: receiver.unconfirmed, reconnects: max(0, receiver.session - 1),
            linkLosses: receiver.linkLosses, linkRepairs: receiver.linkRepairs, commandQueueDepth: commands.depth,
            commands: commands.answers, sondeHubCalls: sondeHub.poll.calls + earlierTracks + sonde.calls,
            sondeHubErrors: sondeHub.errors, otherGateway: otherGateway.machine, car: HealthReport.Car(car, routing),
            counted: counted)
    }
}
