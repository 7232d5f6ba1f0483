public import FlightMath
public import ReceiverProtocol

/// The followed sonde's flight.
public struct FlightReport: Equatable, Sendable {
    public var serial: SondeSerial?
    /// SondeHub's name for the sonde, if that differs from the receiver's.
    public var otherName: SondeSerial?
    public var phase: PhaseVerdict
    /// The smoothed motion.
    public var motion: Motion?
    /// The motion between the last two points.
    var rawMotion: Motion?
    /// m/s, negative; 0 after the landing; nil while the sonde doesn't descend.
    var descentRate: Double?
    public var highestMetres: Double?
    public var burst, landed, last: TrackPoint?
    /// How the time of ``landed`` is known; nil without it.
    public var landingTime: LandingTime?
    public var firstAt: WallTime?
    public var trackPoints: Int
    /// The sonde has landed and somebody has carried it away.
    public var hasMoved: Bool
    /// The sonde has come down from a height.
    public var hasDescended: Bool
    /// How long the sonde can still be heard; nil if that is unknown.
    public var transmission: TransmissionEnd?

    public init(
        serial: SondeSerial? = nil, phase: PhaseVerdict, motion: Motion? = nil, rawMotion: Motion? = nil,
        descentRate: Double? = nil, highestMetres: Double? = nil, burst: TrackPoint? = nil, landed: TrackPoint? = nil,
        landingTime: LandingTime? = nil, last: TrackPoint? = nil, firstAt: WallTime? = nil, trackPoints: Int,
        hasMoved: Bool, hasDescended: Bool
    ) {
        self.serial = serial
        self.phase = phase
        self.motion = motion
        self.rawMotion = rawMotion
        self.descentRate = descentRate
        self.highestMetres = highestMetres
        self.burst = burst
        self.landed = landed
        self.landingTime = landingTime
        self.last = last
        self.firstAt = firstAt
        self.trackPoints = trackPoints
        self.hasMoved = hasMoved
        self.hasDescended = hasDescended
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("also_known_as", otherName?.canonical)
        json.field("phase", phase.phase.rawValue)
        json.field("phase_reason", phase.reason?.rawValue)
        json.field("moved", hasMoved)
        json.field("horizontal_speed_mps", motion?.horizontalSpeed, decimals: 2)
        json.field("course_deg", motion?.courseDegrees, decimals: 1)
        json.field("vertical_speed_mps", motion?.verticalSpeed, decimals: 2)
        json.field("raw_horizontal_speed_mps", rawMotion?.horizontalSpeed, decimals: 2)
        json.field("raw_vertical_speed_mps", rawMotion?.verticalSpeed, decimals: 2)
        json.field("descent_rate_mps", descentRate, decimals: 2)
        json.field("highest_m", highestMetres, decimals: 1)
        json.field("burst", burst) { $0.fields(of: $1) }
        json.field("landed", landed) { $0.fields(of: $1, landed: landingTime ?? .seen) }
        json.field("last", last) { $0.fields(of: $1) }
        json.field("first_at", firstAt)
        json.field("track_points", trackPoints)
        json.field("transmits_until_at", transmission?.at)
        json.field("transmits_basis", transmission?.basis.rawValue)
        return json.object
    }
}

/// How long the sonde can still be heard.
public struct TransmissionEnd: Equatable, Sendable {
    /// What the time is based on.
    public enum Basis: String, Sendable {
        /// The sonde's own timer, by SondeHub's record.
        case burstTimer = "burst_timer"
        /// The same timer, by the receiver's frame.
        case burstKiller = "burst_killer"
        /// No timer runs. The batteries of this type last at least so long by the maker's word.
        case type
    }

    public var at: WallTime
    public var basis: Basis

    public init(at: WallTime, basis: Basis) { (self.at, self.basis) = (at, basis) }
}

extension JSONText {
    mutating func fields(of place: Coordinate) {
        field("latitude", place.latitude, decimals: 6)
        field("longitude", place.longitude, decimals: 6)
    }

    /// The next element of an array: milliseconds since 1970, latitude, longitude, metres above mean sea level.
    mutating func values(_ place: Coordinate, altitudeMetres: Double, at time: WallTime) {
        values { numbers in
            numbers.value(Int(time.millisecondsSince1970))
            numbers.value(place.latitude, decimals: 6)
            numbers.value(place.longitude, decimals: 6)
            numbers.value(altitudeMetres, decimals: 1)
        }
    }

    mutating func fields(of point: TrackPoint) {
        fields(of: point.coordinate)
        field("altitude_m", point.altitudeMetres, decimals: 1)
        field("time", point.time)
    }

    /// The landing point with its time, which is null if nobody knows it.
    mutating func fields(of point: TrackPoint, landed time: LandingTime) {
        fields(of: point.coordinate)
        field("altitude_m", point.altitudeMetres, decimals: 1)
        field("time", time == .unknown ? nil : point.time)
        field("time_is_estimate", time != .seen)
    }
}
