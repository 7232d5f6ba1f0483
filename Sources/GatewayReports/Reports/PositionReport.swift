public import FlightMath
public import ReceiverProtocol

/// Channel 1: where the sonde is.
public struct PositionReport: Equatable, Sendable {
    /// An older one is nobody's live position, whoever shows it (specification 2.3, 3.5, 5.2, 8).
    public static let freshLimit = Duration.seconds(120)

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

    public init(
        serial: SondeSerial? = nil, name: String? = nil, sondeType: SondeType? = nil, source: TelemetrySource,
        coordinate: Coordinate, altitudeMetres: Double, horizontalSpeed: Double? = nil, verticalSpeed: Double? = nil,
        headingDegrees: Double? = nil, temperatureCelsius: Double? = nil, humidityPercent: Double? = nil,
        pressureHectopascal: Double? = nil, burstKillerAt: WallTime? = nil, time: WallTime, receivedAt: Moment,
        frameKind: FrameKind? = nil, ageWhenReceived: Duration
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
    }
}

extension PositionReport {
    /// The frames carry no accuracy; a sonde's GPS is good to some ten metres.
    public static let accuracyMetres = 10.0

    /// How old the measurement is.
    public func age(at now: MonotonicTime) -> Duration {
        ageWhenReceived + now.duration(since: receivedAt.monotonic)
    }

    /// The position with the speeds and the heading that its source doesn't give, by the track's motion.
    /// - Parameter flight: ignored if it is another sonde's.
    public func completed(by flight: FlightReport?) -> PositionReport {
        guard let flight, flight.serial == serial, let motion = flight.motion else { return self }
        var position = self
        position.horizontalSpeed = horizontalSpeed ?? motion.horizontalSpeed
        position.verticalSpeed = verticalSpeed ?? motion.verticalSpeed
        position.headingDegrees = headingDegrees ?? motion.courseDegrees
        return position
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

    /// What a map needs and nothing else.
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
    /// Nil where nobody gave a word for it.
    public var named: SondeType? { isNamed ? self : nil }
    public var isNamed: Bool { self != .other("") }
}
