public import ReceiverProtocol

/// Where the car is, by the source that counts.
public struct CarPosition: Equatable, Sendable {
    public var source: CarSource
    /// Degrees, WGS84.
    public var coordinate: Coordinate
    /// Above mean sea level.
    public var altitudeMetres: Double?
    /// Over ground, m/s.
    public var speed: Double?
    /// Degrees clockwise from true north; the last one while it hardly moves, see ``isCourseHeld``.
    public var courseDegrees: Double?
    /// The car is too slow for a course: it is the one of its last drive.
    public var isCourseHeld = false
    /// The horizontal error as the source estimates it.
    public var accuracyMetres: Double?
    /// When it was there: by the source's own clock, else when the fix came.
    public var time: WallTime
    /// Ages count from here.
    public var heardAt: MonotonicTime

    public init(
        source: CarSource, coordinate: Coordinate, altitudeMetres: Double? = nil, speed: Double? = nil,
        courseDegrees: Double? = nil, isCourseHeld: Bool = false, accuracyMetres: Double? = nil, time: WallTime,
        heardAt: MonotonicTime
    ) {
        self.source = source
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
        self.speed = speed
        self.courseDegrees = courseDegrees
        self.isCourseHeld = isCourseHeld
        self.accuracyMetres = accuracyMetres
        self.time = time
        self.heardAt = heardAt
    }

    /// Slower than this (5 km/h), a course says nothing, m/s.
    public static let slowest = 5 / 3.6
}
