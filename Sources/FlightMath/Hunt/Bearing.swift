/// The direction in which a signal was strongest, seen from a place.
public struct Bearing: Equatable, Sendable {
    /// Where the crew was.
    public var place: Coordinate
    /// Clockwise from true north, 0 ..< 360.
    public var degrees: Double
    /// The standard deviation of ``degrees``.
    public var errorDegrees: Double
    /// A direction finder took it. It sends many, so a person's bearings come first.
    public var isByFinder: Bool

    /// The standard deviation of a bearing that names none: what a hand-held antenna or the body's shadow gives.
    public static let usualErrorDegrees = 20.0

    public init(
        from place: Coordinate, degrees: Double, errorDegrees: Double = usualErrorDegrees, isByFinder: Bool = false
    ) {
        self.place = place
        self.degrees = degrees
        self.errorDegrees = errorDegrees
        self.isByFinder = isByFinder
    }
}
