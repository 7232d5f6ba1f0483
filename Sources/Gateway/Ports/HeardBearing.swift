public import FlightMath

/// A bearing of a crew or of a direction finder, as it arrives.
public struct HeardBearing: Equatable, Sendable {
    /// Clockwise from true north, or from the car's course; 0 ..< 360.
    public var degrees: Double
    /// Whether ``degrees`` count from the car's course.
    public var isRelative: Bool
    /// Where it was taken; nil for the car's place.
    public var place: Coordinate?

    public init(degrees: Double, isRelative: Bool, place: Coordinate? = nil) {
        self.degrees = degrees
        self.isRelative = isRelative
        self.place = place
    }
}
