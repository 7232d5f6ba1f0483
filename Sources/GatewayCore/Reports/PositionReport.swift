public import FlightMath
public import ReceiverProtocol

/// Channel 1: where the sonde is.
public struct PositionReport: Equatable, Sendable {
    /// An older one is nobody's live position, whoever shows it (specification 2.3, 3.5, 5.2, 8).
    package static let freshLimit = Duration.seconds(120)

    public var serial: SondeSerial?
    /// As the receiver prints it.
    public var name: String?
    /// Nil when nobody names it.
    public var sondeType: SondeType?
    public var source: TelemetrySource
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s; vertical positive up.
    public var horizontalSpeed, verticalSpeed: Double?
    /// Degrees, of SondeHub only.
    public var headingDegrees: Double?
    public var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// When the burst killer ends the transmission.
    public var burstKillerAt: WallTime?
    /// Strictly increasing per sonde.
    public var time: WallTime
    public var receivedAt: Moment
    /// Of the receiver's frame; nil from SondeHub.
    public var frameKind: FrameKind?
    /// How old the measurement was when it was received.
    public var ageWhenReceived: Duration
}

extension PositionReport {
    init(
        _ position: Position, of heard: HeardFrame, serial: SondeSerial?, burstKillerAt: WallTime?, time: WallTime
    ) {
        self.init(
            serial: serial, name: heard.frame.name, sondeType: heard.frame.sondeType, source: .ble,
            coordinate: position.coordinate, altitudeMetres: position.altitudeMetres,
            horizontalSpeed: position.horizontalSpeed, verticalSpeed: position.verticalSpeed,
            burstKillerAt: burstKillerAt, time: time, receivedAt: heard.at, frameKind: heard.frame.kind,
            ageWhenReceived: .zero)
    }

    init(_ record: SondeHubRecord, burstKillerAt: WallTime?, age: Duration, at now: Moment) {
        self.init(
            serial: record.serial, name: record.serial.canonical, sondeType: record.sondeType.named, source: .sondehub,
            coordinate: record.coordinate, altitudeMetres: record.altitudeMetres,
            horizontalSpeed: record.horizontalSpeed, verticalSpeed: record.verticalSpeed,
            headingDegrees: record.headingDegrees, temperatureCelsius: record.temperatureCelsius,
            humidityPercent: record.humidityPercent, pressureHectopascal: record.pressureHectopascal,
            burstKillerAt: burstKillerAt, time: record.time, receivedAt: now, frameKind: nil,
            ageWhenReceived: max(.zero, age))
    }

    /// The frames carry no accuracy; a sonde's GPS is good to some ten metres.
    static let accuracyMetres = 10.0

    /// How old the measurement is.
    public func age(at now: MonotonicTime) -> Duration {
        ageWhenReceived + now.duration(since: receivedAt.monotonic)
    }

    /// - Parameter now: the age is counted to here.
    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("name", name)
        json.field("sonde_type", sondeType?.name)
        json.field("source", source.rawValue)
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("horizontal_speed_mps", horizontalSpeed, decimals: 2)
        json.field("vertical_speed_mps", verticalSpeed, decimals: 2)
        json.field("heading_deg", headingDegrees, decimals: 1)
        json.field("temperature_c", temperatureCelsius, decimals: 1)
        json.field("humidity_pct", humidityPercent, decimals: 1)
        json.field("pressure_hpa", pressureHectopascal, decimals: 2)
        json.field("burst_killer_at", burstKillerAt)
        json.field("time", time)
        json.field("received_at", receivedAt.wall)
        json.field("age_ms", Int(age(at: now).wholeMilliseconds))
        json.field("clock_synced", receivedAt.isClockSynced)
        json.field("frame_type", frameKind.map { Int($0.rawValue) })
        return json.object
    }

    /// What a map needs and nothing else: Home Assistant's device tracker reads it as attributes.
    func trackerPayload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        json.field("gps_accuracy", Int(Self.accuracyMetres))
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("serial", serial?.canonical)
        json.field("time", time)
        json.field("age_ms", Int(age(at: now).wholeMilliseconds))
        return json.object
    }
}

extension SondeType {
    /// Nil where nobody gave a word for it.
    var named: SondeType? { isNamed ? self : nil }
    var isNamed: Bool { self != .other("") }
}
