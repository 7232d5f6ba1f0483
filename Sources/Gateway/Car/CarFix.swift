public import FlightMath

/// Where the car is, as one source tells it once. Nothing of it has been judged yet: that is ``Car``'s.
public struct CarFix: Equatable, Sendable {
    public var source: CarSource
    /// Degrees, WGS84.
    public var coordinate: Coordinate
    /// Above mean sea level.
    public var altitudeMetres: Double?
    /// Over ground, m/s; nil where the source doesn't tell.
    public var speed: Double?
    /// Over ground, degrees clockwise from true north.
    public var courseDegrees: Double?
    /// The horizontal error as the source estimates it.
    public var accuracyMetres: Double?
    /// When the source was there, by its own clock; nil where it doesn't tell.
    public var time: WallTime?
    /// The broker has kept it for nobody knows how long: its ``time`` alone tells how old it is.
    public var isRetained: Bool

    public init(
        source: CarSource, coordinate: Coordinate, altitudeMetres: Double? = nil, speed: Double? = nil,
        courseDegrees: Double? = nil, accuracyMetres: Double? = nil, time: WallTime? = nil, isRetained: Bool = false
    ) {
        self.source = source
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.speed = speed
        self.courseDegrees = courseDegrees
        self.accuracyMetres = accuracyMetres
        self.time = time
        self.isRetained = isRetained
    }
}
