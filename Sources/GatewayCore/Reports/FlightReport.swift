public import FlightMath
public import ReceiverProtocol

/// The followed sonde's flight.
public struct FlightReport: Equatable, Sendable {
    public var serial: SondeSerial?
    package var phase: PhaseVerdict
    /// Smoothed.
    package var motion: Motion?
    /// Between the last two points.
    var rawMotion: Motion?
    /// m/s, negative.
    var descentRate: Double?
    package var highestMetres: Double?
    public var burst, landed, last: TrackPoint?
    package var firstAt: WallTime?
    var trackPoints: Int
    /// It has landed and is being carried.
    var hasMoved: Bool
    /// It has come down from a height.
    package var hasDescended: Bool

    init(_ flight: Flight, serial: SondeSerial?, phase: PhaseVerdict) {
        self.serial = serial
        self.phase = phase
        motion = flight.motion
        rawMotion = flight.rawMotion
        descentRate = flight.adjustedDescentRate
        highestMetres = flight.highest?.altitudeMetres
        burst = flight.burst
        landed = flight.landingPlace
        last = flight.newest
        firstAt = flight.track.points.first?.time
        trackPoints = flight.track.points.count
        hasMoved = flight.hasMoved
        hasDescended = flight.hasDescended
    }

    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
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
        json.field("landed", landed) { $0.fields(of: $1) }
        json.field("last", last) { $0.fields(of: $1) }
        json.field("first_at", firstAt)
        json.field("track_points", trackPoints)
        return json.object
    }
}

extension JSONText {
    mutating func fields(of place: Coordinate) {
        field("latitude", place.latitude, decimals: 6)
        field("longitude", place.longitude, decimals: 6)
    }

    mutating func fields(of point: TrackPoint) {
        fields(of: point.coordinate)
        field("altitude_m", point.altitudeMetres, decimals: 1)
        field("time", point.time)
    }
}
