public import FlightMath

/// A position of the car from one source, not yet checked. ``Car`` checks it.
public struct CarFix: Equatable, Sendable {
    public var source: CarSource
    /// The name of the source's device that sent the fix; nil if the source names none.
    public var device: String?
    /// Degrees, WGS84.
    public var coordinate: Coordinate
    /// Metres above mean sea level; nil if unknown.
    public var altitudeMetres: Double?
    /// Over ground, m/s; nil if unknown.
    public var speed: Double?
    /// Over ground, degrees clockwise from true north; nil if unknown.
    public var courseDegrees: Double?
    /// The horizontal error as the source estimates it, metres; nil if unknown.
    public var accuracyMetres: Double?
    /// The time of the fix by the source's own clock; nil if unknown.
    public var time: WallTime?
    /// The message was retained by the broker. Only ``time`` shows how old it is.
    public var isRetained: Bool

    public init(
        source: CarSource, coordinate: Coordinate, altitudeMetres: Double? = nil, speed: Double? = nil,
        courseDegrees: Double? = nil, accuracyMetres: Double? = nil, time: WallTime? = nil, isRetained: Bool = false,
        device: String? = nil
    ) {
        self.source = source
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.speed = speed
        self.courseDegrees = courseDegrees
        self.accuracyMetres = accuracyMetres
        self.time = time
        self.isRetained = isRetained
        self.device = device
    }
}
