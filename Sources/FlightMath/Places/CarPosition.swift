public import ReceiverProtocol

/// The car's position, from the source that the gateway uses at present.
public struct CarPosition: Equatable, Sendable {
    public var source: CarSource
    /// Degrees, WGS84.
    public var coordinate: Coordinate
    /// Metres above mean sea level; nil if unknown.
    public var altitudeMetres: Double?
    /// Over ground, m/s; nil if unknown.
    public var speed: Double?
    /// Degrees clockwise from true north; nil if unknown. While the car hardly moves, this is its last course, see
    /// ``isCourseHeld``.
    public var courseDegrees: Double?
    /// The car is too slow to have a course, so ``courseDegrees`` is from its last drive.
    public var isCourseHeld = false
    /// The horizontal error as the source estimates it, metres; nil if it does not say.
    public var accuracyMetres: Double?
    /// When the car was there, by the source's own clock; if that is unknown, when the fix arrived.
    public var time: WallTime
    /// When the fix arrived. Ages count from here.
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

    /// No car is faster, m/s: a faster step is an error of the source.
    public static let fastest = 90.0

    /// Below this speed (5 km/h) a course is random, m/s.
    public static let slowest = 5 / 3.6
}
