import ReceiverProtocol

/// Turns frames into reports: checks for jumps, stamps times, keeps what spans several frames.
struct TelemetryChannels: Equatable, Sendable {
    /// A frame's yield.
    struct Reports: Equatable {
        var position: PositionReport?
        var radio: RadioReport
        var isJump = false
    }

    static let jumpLimitMetres = 1_000_000.0
    static let afcWindow = 20

    private var lastPosition: [SondeSerial: Position] = [:]
    /// The position published last of each sonde, the latest ``sondesRemembered``: one that comes back goes on from it.
    private var positionTimes: [SondeSerial?: WallTime] = [:]
    private var lastTime: WallTime?
    private static let sondesRemembered = 64
    private var afcValues: [Int] = []
    private var burstKillerAt: WallTime?
    private var tunedKHz: Int?

    /// Mean of the last ``afcWindow`` AFC values, Hz; nil before the first.
    var afcMeanHz: Double? {
        afcValues.isEmpty ? nil : Double(afcValues.reduce(0, +)) / Double(afcValues.count)
    }

    mutating func reports(for heard: HeardFrame) -> Reports {
        let frame = heard.frame
        observe(frame, at: heard.at)
        let time = stamp(heard.at.wall, of: heard.serial)
        var reports = Reports(
            position: nil,
            radio: RadioReport(
                serial: heard.serial, frame: frame, heardAt: heard.at, afcMeanHz: afcMeanHz, time: time,
                receivedAt: heard.at))
        guard case .plausible(let position) = frame.position else { return reports }
        guard !isJump(position, of: heard.serial) else {
            reports.isJump = true
            return reports
        }
        if let serial = heard.serial { lastPosition = [serial: position] }
        remember(time, of: heard.serial)
        reports.position = PositionReport(
            serial: heard.serial, name: frame.name, sondeType: frame.sondeType, coordinate: position.coordinate,
            altitudeMetres: position.altitudeMetres, horizontalSpeed: position.horizontalSpeed,
            verticalSpeed: position.verticalSpeed, burstKillerAt: burstKillerAt, time: time, receivedAt: heard.at,
            frameKind: frame.kind)
        return reports
    }

    /// Burst killer, AFC history and position belong to one sonde.
    mutating func sondeChanged() {
        lastPosition = [:]
        afcValues = []
        burstKillerAt = nil
    }

    /// What SondeHub says of the sonde, on the two channels; nil when it would go back in time.
    /// - Parameters:
    ///   - radio: the receiver's last frame: its own fields stay with it.
    ///   - age: of the record when SondeHub answered, seconds.
    mutating func reports(
        for record: SondeHubRecord, radio: HeardFrame?, age: Double, at now: Moment
    ) -> (position: PositionReport, radio: RadioReport)? {
        guard positionTimes[record.serial].map({ record.time > $0 }) ?? true else { return nil }
        remember(record.time, of: record.serial)
        lastTime = max(record.time, lastTime ?? record.time)
        var position = PositionReport(
            serial: record.serial, name: record.serial.canonical, sondeType: record.sondeType, source: .sondehub,
            coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            horizontalSpeed: record.horizontalSpeed, verticalSpeed: record.verticalSpeed, burstKillerAt: burstKillerAt,
            time: record.time, receivedAt: now, frameKind: nil,
            ageWhenReceived: Int(max(0, age) * 1000))
        position.headingDegrees = record.headingDegrees
        position.temperatureCelsius = record.temperatureCelsius
        position.humidityPercent = record.humidityPercent
        position.pressureHectopascal = record.pressureHectopascal
        var frame = radio?.frame ?? RadioFrame(kind: .noSonde, sondeType: record.sondeType)
        frame.sondeType = record.sondeType
        frame.name = record.serial.canonical
        frame.frequencyMHz = record.frequencyMHz
        return (
            position,
            RadioReport(
                serial: record.serial, source: .sondehub, frame: frame, heardAt: radio?.at, afcMeanHz: afcMeanHz,
                time: record.time, receivedAt: now)
        )
    }

    /// What an earlier run has published of a sonde: times go on from there.
    mutating func recall(_ times: [SondeSerial: WallTime], until now: WallTime) {
        for (serial, time) in times where time <= now { remember(time, of: serial) }
    }

    /// The wall clock was wrong and has been set: time may go back this once.
    mutating func clockSet(byMilliseconds change: Int64) {
        lastTime = nil
        positionTimes = [:]
        burstKillerAt = burstKillerAt?.advanced(byMilliseconds: change)
    }

    /// A new link session knows nothing of the burst killer yet.
    mutating func linkOpened() {
        burstKillerAt = nil
    }

    private mutating func observe(_ frame: RadioFrame, at now: Moment) {
        if let frequency = frame.frequencyMHz.flatMap(Tuning.kilohertz), frequency != tunedKHz {
            tunedKHz = frequency
            afcValues = []
        }
        if let afc = frame.afcHz {
            afcValues.append(afc)
            if afcValues.count > Self.afcWindow { afcValues.removeFirst() }
        }
        if let burstKiller = frame.burstKiller {
            burstKillerAt = burstKiller.secondsLeft.map { now.wall.advanced(byMilliseconds: Int64($0) * 1000) }
        }
    }

    /// Two frames in one millisecond: the second is stamped one later, so that times of a sonde strictly increase.
    private mutating func stamp(_ wall: WallTime, of serial: SondeSerial?) -> WallTime {
        let last = [lastTime, positionTimes[serial]].compactMap { $0 }.max()
        let time = max(wall, last?.advanced(byMilliseconds: 1) ?? wall)
        lastTime = time
        return time
    }

    private mutating func remember(_ time: WallTime, of serial: SondeSerial?) {
        positionTimes[serial] = time
        guard positionTimes.count > Self.sondesRemembered else { return }
        if let oldest = positionTimes.min(by: { $0.value < $1.value }) { positionTimes[oldest.key] = nil }
    }

    private func isJump(_ position: Position, of serial: SondeSerial?) -> Bool {
        guard let serial, let last = lastPosition[serial] else { return false }
        return last.coordinate.distanceMetres(to: position.coordinate) > Self.jumpLimitMetres
    }
}
