public import FlightMath
public import ReceiverProtocol

/// Channel 1: the sonde's position.
public struct PositionReport: Equatable, Sendable {
    /// A position older than this is never shown as live.
    public static let freshLimit = Silence.silent.begins

    public var serial: SondeSerial?
    /// The name as the receiver prints it.
    public var name: String?
    /// Nil if unknown.
    public var sondeType: SondeType?
    public var source: TelemetrySource
    public var coordinate: Coordinate
    /// Metres above mean sea level.
    public var altitudeMetres: Double
    /// m/s; vertical positive up.
    public var horizontalSpeed, verticalSpeed: Double?
    /// Degrees clockwise from true north. Only SondeHub sends it.
    public var headingDegrees: Double?
    public var temperatureCelsius, humidityPercent, pressureHectopascal: Double?
    /// When the burst killer ends the transmission.
    public var burstKillerAt: WallTime?
    /// Strictly increasing per sonde.
    public var time: WallTime
    public var receivedAt: Moment
    /// The kind of the receiver's frame; nil from SondeHub.
    public var frameKind: FrameKind?
    /// The measurement's age when it arrived.
    public var ageWhenReceived: Duration
    /// The position was sent before, with other times: the sonde is elsewhere by now.
    public var isRepeat: Bool

    public init(
        serial: SondeSerial? = nil, name: String? = nil, sondeType: SondeType? = nil, source: TelemetrySource,
        coordinate: Coordinate, altitudeMetres: Double, horizontalSpeed: Double? = nil, verticalSpeed: Double? = nil,
        headingDegrees: Double? = nil, temperatureCelsius: Double? = nil, humidityPercent: Double? = nil,
        pressureHectopascal: Double? = nil, burstKillerAt: WallTime? = nil, time: WallTime, receivedAt: Moment,
        frameKind: FrameKind? = nil, ageWhenReceived: Duration, isRepeat: Bool = false
    ) {
        self.serial = serial
        self.name = name
        self.sondeType = sondeType
        self.source = source
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.horizontalSpeed = horizontalSpeed
        self.verticalSpeed = verticalSpeed
        self.headingDegrees = headingDegrees
        self.temperatureCelsius = temperatureCelsius
        self.humidityPercent = humidityPercent
        self.pressureHectopascal = pressureHectopascal
        self.burstKillerAt = burstKillerAt
        self.time = time
        self.receivedAt = receivedAt
        self.frameKind = frameKind
        self.ageWhenReceived = ageWhenReceived
        self.isRepeat = isRepeat
    }
}

extension PositionReport {
    /// The assumed accuracy. The frames carry none; a sonde's GPS is good to some ten metres.
    public static let accuracyMetres = 10.0

    /// The measurement's age.
    public func age(at now: MonotonicTime) -> Duration {
        ageWhenReceived + now.duration(since: receivedAt.monotonic)
    }

    /// The position with missing speeds and heading filled in from the track's motion.
    /// - Parameter flight: ignored if it belongs to another sonde.
    public func completed(by flight: FlightReport?) -> PositionReport {
        guard let flight, flight.serial == serial, let motion = flight.motion else { return self }
        var position = self
        position.horizontalSpeed = horizontalSpeed ?? motion.horizontalSpeed
        position.verticalSpeed = verticalSpeed ?? motion.verticalSpeed
        position.headingDegrees = headingDegrees ?? motion.courseDegrees
        return position
    }

    /// - Parameter now: the time for which the age is computed.
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
        if isRepeat { json.field("repeated", true) }
        return json.object
    }

    /// Only the fields that a map needs.
    public func trackerPayload(at now: MonotonicTime) -> [UInt8] {
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
    /// Nil if the type has no name.
    public var named: SondeType? { isNamed ? self : nil }
    public var isNamed: Bool { self != .other("") }
}
