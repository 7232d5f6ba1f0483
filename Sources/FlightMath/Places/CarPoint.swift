/// A point of the car's own way.
public struct CarPoint: Equatable, Sendable {
    /// When the car was there.
    public var time: WallTime
    /// Degrees, WGS84.
    public var coordinate: Coordinate
    /// Metres above mean sea level; nil if unknown.
    public var altitudeMetres: Double?

    public init(time: WallTime, coordinate: Coordinate, altitudeMetres: Double?) {
        self.time = time
        self.coordinate = coordinate
        self.altitudeMetres = altitudeMetres
    }
}

extension CarPoint: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { time = replacement(time) }
}
