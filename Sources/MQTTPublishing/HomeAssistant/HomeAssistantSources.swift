import FlightMath
import GatewayReports
import ReceiverProtocol

/// The newest reports that Home Assistant's entities show.
struct HomeAssistantSources: Sendable {
    var state: StateReport?
    var isReceiverOnline = false
    var position: PositionReport?
    var radio: RadioReport?
    var flight: FlightReport?
    var proposal: ProposalReport?
    var landing: LandingReport?
    var prediction: PredictionReport?
    var chase: HomeAssistantChase?
    var launches: LaunchesReport?
    var language = Language.english
    /// The units of the entity `status`.
    var units = Units.metric
    /// The range that a command may tune to, MHz.
    var frequencies = 400.0...406.0

    /// The choices of the entity `sonde_type`.
    static let sondeTypes = SondeType.tunable.map(\.name)

    /// Whether the sonde's entities are available.
    var isSondeThere: Bool { state?.source != nil }

    /// - Returns: whether a measured value may have changed.
    mutating func update(with report: Report) -> Bool {
        if case .state(let report) = report {
            state = report
        } else if case .receiverState(let report) = report {
            isReceiverOnline = report
        } else if case .position(let report) = report {
            position = report
        } else if case .radio(let report) = report {
            radio = report
        } else if case .flight(let report) = report {
            flight = report
        } else if case .proposal(let report) = report {
            proposal = report
        } else if case .landing(let report) = report {
            landing = report
        } else if case .prediction(let report) = report {
            prediction = report
        } else if case .chase(let report) = report {
            chase = HomeAssistantChase(report)
        } else if case .launches(let report) = report {
            launches = report
        } else {
            // No entity shows another report's values.
            if case .info(let report) = report {
                (frequencies, language, units) = (
                    report.info.frequencyRange, report.info.language, report.info.units
                )
            }
            return false
        }
        return true
    }

    /// When the next report becomes too old to be shown; nil if none will.
    func nextExpiry(after now: MonotonicTime) -> MonotonicTime? {
        func end(of time: MonotonicTime?, _ limit: Duration) -> MonotonicTime? {
            guard let end = time?.advanced(by: limit), end > now else { return nil }
            return end
        }
        return .earliest(
            end(of: position?.receivedAt.monotonic, PositionReport.freshLimit),
            end(of: radio?.receivedAt.monotonic, PositionReport.freshLimit),
            end(of: chase?.at, HomeAssistantChase.expiry))
    }

    func value(of key: HomeAssistantKey, at now: MonotonicTime) -> HomeAssistantValue {
        switch key {
        case .serial: .init(state?.serial?.canonical)
        case .state: .init(state?.state.rawValue)
        case .phase: .init(state?.phase.phase.rawValue)
        case .source: .init(state?.source?.rawValue)
        case .link: .flag(isReceiverOnline)
        case .frequency: .init(frequency(at: now), decimals: 3)
        case .sondeType: .init(sondeType(at: now))
        case .mute: .init(heard(at: now)?.isMuted)
        case .proposedFrequency: .init(proposal?.tuning.frequencyMHz, decimals: 3)
        case .burstAltitude: .init(flight?.burst?.altitudeMetres, decimals: 1)
        case .altitude: .init(livePosition(at: now)?.altitudeMetres, decimals: 1)
        case .horizontalSpeed: .init(livePosition(at: now)?.horizontalSpeed, decimals: 2)
        case .verticalSpeed: .init(livePosition(at: now)?.verticalSpeed, decimals: 2)
        case .heading: .init(livePosition(at: now)?.headingDegrees, decimals: 1)
        case .rssi: .init(heard(at: now)?.rssiDBm, decimals: 1)
        case .afc: .init(heard(at: now)?.afcHz)
        case .battery: .init(heard(at: now)?.batteryPercent)
        case .batteryVoltage: .init(heard(at: now)?.batteryMillivolts.map { Double($0) / 1000 }, decimals: 2)
        case .lastSeen: .init(lastSeen)
        case .lastKnown: .init(lastKnown)
        case .nextLaunch: .init(launches?.launches.first?.launchAt)
        case .status: .init(status(at: now))
        case .predictionMethod: .init(prediction?.method.rawValue)
        case .landing: .init(landingPlace)
        case .landingAt: .init(landing?.point.landingAt?.inWholeMinutes)
        case .landingIn: .init(secondsToLanding(at: now))
        case .landingRadius: .init(landing?.point.radius90Metres, decimals: 1)
        case .car: .init(liveChase(at: now)?.car)
        case .distanceToSonde: .init(liveChase(at: now)?.distanceToSonde, decimals: 1)
        case .distanceToLanding: .init(liveChase(at: now)?.distanceToLanding, decimals: 1)
        case .arrivalAt: .init(liveChase(at: now)?.arrivalAt?.inWholeMinutes)
        case .margin: .init(liveChase(at: now)?.margin.map { Int(clamping: $0.components.seconds) })
        }
    }

    /// The position while it is live: a source hears the sonde, and the position is younger than
    /// ``PositionReport/freshLimit``.
    func livePosition(at now: MonotonicTime) -> PositionReport? {
        guard let state, let position, now.duration(since: position.receivedAt.monotonic) < PositionReport.freshLimit
        else { return nil }
        // After a time without a source, the first position arrives before the state that names the source.
        let isNews = position.receivedAt.monotonic >= state.since.monotonic
        return state.source != nil || isNews ? position.completed(by: flight) : nil
    }

    /// The receiver's own frame; nil if it is too old. SondeHub's data about the transmitter must not appear in a
    /// control.
    private func heard(at now: MonotonicTime) -> RadioFrame? {
        guard isReceiverOnline, let radio, radio.source == .ble,
            now.duration(since: radio.receivedAt.monotonic) < PositionReport.freshLimit
        else { return nil }
        return radio.frame
    }

    /// Nil outside the range: Home Assistant would log an error for each message.
    private func frequency(at now: MonotonicTime) -> Double? {
        heard(at: now)?.frequencyMHz.flatMap { frequencies.contains($0) ? $0 : nil }
    }

    private func sondeType(at now: MonotonicTime) -> String? {
        heard(at: now).map(\.sondeType.name).flatMap { Self.sondeTypes.contains($0) ? $0 : nil }
    }

    /// The time of the newest position, also of one that is not part of the track.
    private var lastSeen: WallTime? {
        let heard = position.flatMap { $0.serial == flight?.serial ? $0.time : nil }
        return [flight?.last?.time, heard].compactMap { $0 }.max()
    }

    private var lastKnown: HomeAssistantPlace? {
        guard let flight, let last = flight.last else { return nil }
        return HomeAssistantPlace(
            coordinate: last.coordinate, accuracyMetres: PositionReport.accuracyMetres,
            altitudeMetres: last.altitudeMetres, serial: flight.serial?.canonical)
    }
}

extension WallTime {
    fileprivate static let minute: Int64 = 60_000

    /// Rounded to the minute. A crew needs no more, and each change is a row in Home Assistant's activity.
    fileprivate var inWholeMinutes: WallTime {
        WallTime(
            millisecondsSince1970: (millisecondsSince1970 + Self.minute / 2) / Self.minute * Self.minute)
    }
}
