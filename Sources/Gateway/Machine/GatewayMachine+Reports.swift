import FlightMath
import GatewayReports
import ReceiverProtocol

// The contents of the reports that `stateReports` lists, and the health.

extension GatewayMachine {
    /// The phase to report. Without telemetry the last phase stays for three hours: a sonde that sinks at 10 km is not
    /// unknown.
    private var phase: PhaseVerdict {
        let verdict = sonde.flight.phase
        let isWithout = telemetry.state == .noTelemetry
        guard isWithout || telemetry.state == .waitingForAPRS, verdict.phase != .landed else { return verdict }
        guard verdict.phase.isFlying else { return isWithout ? PhaseVerdict(.unknown, .noTelemetry) : verdict }
        switch sonde.heard.silence {
        case .lost: return PhaseVerdict(.unknown, .noTelemetry)
        case .unheard, .silent: return PhaseVerdict(verdict.phase, .silentInFlight)
        case .none: return verdict
        }
    }

    var receiverFacts: StateReport.Receiver {
        let peer = receiver.link.peer
        return StateReport.Receiver(
            name: peer?.name, address: peer?.address, rssiDBm: peer?.rssiDBm, firmware: receiver.firmware)
    }

    var infoAnnouncement: InfoAnnouncement {
        InfoAnnouncement(info: run.info, startedAt: run.wallClock.rendered(run.startedAt), receiver: receiverFacts)
    }

    var stateReport: StateReport {
        StateReport(
            state: telemetry.state, since: run.wallClock.rendered(telemetry.since), reason: telemetry.reason,
            source: telemetry.source,
            phase: phase, link: receiver.link.state, receiver: receiverFacts, serial: sonde.serial,
            sondeHub: StateReport.SondeHub(
                isAvailable: sonde.news.isAvailable, lastAnswer: sonde.news.lastAnswer,
                pollInterval: sondeHub.options.isEnabled ? sondeHub.poll.interval : nil, error: sondeHub.lastError,
                stream: sondeHub.stream.status, streamDelay: sondeHub.stream.delay),
            search: tuning.search.progress)
    }

    var flight: FlightReport {
        var report = FlightReport(sonde.flight, serial: sonde.serial, phase: phase)
        report.otherName = sonde.names.second
        report.transmission = sonde.transmission(by: run.wallClock)
        return report
    }

    var landing: LandingReport? {
        mutating get {
            guard let point = sonde.landing.point else { return nil }
            var report = LandingReport(
                serial: sonde.serial, point: point, history: sonde.landing.book.history(by: run.wallClock),
                movedMetres: sonde.landing.book.movedMetres,
                score: sonde.landing.scores.score)
            report.near = towns.town(near: point.coordinate)
            if let car = road.car.position, let radius = point.radius50Metres {
                report.towards = towns.town(
                    towards: point.coordinate, radiusMetres: radius, from: car.coordinate)
            }
            return report
        }
    }

    /// Nil after the landing, because `landing` then holds the place and the time.
    var prediction: PredictionReport? {
        guard sonde.flight.phase.phase != .landed else { return nil }
        return sonde.landing.forecast.map {
            PredictionReport(
                serial: sonde.serial, forecast: $0.rendered(by: run.wallClock),
                ownWinds: $0.method == .ownWinds
                    ? nil : sonde.landing.predictions.own?.rendered(by: run.wallClock))
        }
    }

    var proposal: ProposalReport? {
        tuning.sync.open.map {
            ProposalReport(serial: sonde.serial, tuning: $0, listening: receiver.listening)
        }
    }

    func health(_ process: ProcessHealth, at now: Moment) -> HealthReport {
        var process = process
        if let shared = road.carSharing.counts { process.feeds.append(shared) }
        return HealthReport(
            at: now, uptime: now.duration(since: run.startedAt), process: process, frames: receiver.frames,
            rejects: counts.rejects, unconfirmed: receiver.unconfirmed, clamped: receiver.clamped,
            reconnects: max(0, receiver.session - 1),
            linkLosses: receiver.linkLosses, linkRepairs: receiver.linkRepairs, adapter: receiver.adapterCounters,
            commandQueueDepth: commands.depth, commands: commands.answers,
            sondeHubCalls: sondeHub.poll.errand.count + counts.earlierTracks + sonde.calls + road.crews.errand.count
                + sondesAround.errand.count
                + recoveries.calls + launches.calls,
            sondeHubErrors: sondeHub.errors, sondeHubStream: sondeHub.stream.counts,
            otherGateway: run.otherGateway.machine,
            storeFault: run.storeFault?.code,
            car: HealthReport.Car(road.car, road.routing),
            counted: counts.counters)
    }
}
