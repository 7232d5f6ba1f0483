import RealModule

/// Places at even distances along a great circle, for the heights of the ground there.
public struct GroundLine: Equatable, Sendable {
    public let start: Coordinate
    /// Degrees clockwise from true north.
    public let bearingDegrees: Double
    /// From the start to the last place.
    public let metres: Double
    /// The number of places, the start and the end among them; at least two.
    public let count: Int

    public init(from start: Coordinate, bearingDegrees: Double, metres: Double, count: Int) {
        self.start = start
        self.bearingDegrees = bearingDegrees
        self.metres = metres
        self.count = max(2, count)
    }

    /// The distance between two neighbouring places.
    var stepMetres: Double { metres / Double(count - 1) }

    public func place(_ index: Int) -> Coordinate {
        let angle = bearingDegrees * Coordinate.radians
        let way = stepMetres * Double(index)
        return start.moved(east: way * Double.sin(angle), north: way * Double.cos(angle))
    }
}

/// The path of radio waves over the ground. The air bends them, so that the Earth's radius seems larger by a third.
enum RadioWave {
    static let earthMetres = Coordinate.sphereMetres * 4 / 3
    /// An antenna on a car's roof, above the ground.
    static let antennaMetres = 2.0
    /// The ground is nowhere higher, metres.
    static let highestGroundMetres = 9000.0

    /// How far away the horizon is over the sea, seen from an altitude, metres.
    static func horizonMetres(from altitudeMetres: Double) -> Double {
        (2 * earthMetres * max(1, altitudeMetres)).squareRoot()
    }

    /// How far the Earth's curve rises above the straight line between two places, metres.
    /// - Parameters:
    ///   - metres: the distance from one of the places.
    ///   - whole: the distance between the two places.
    static func bulge(at metres: Double, of whole: Double) -> Double { metres * (whole - metres) / (2 * earthMetres) }
}
