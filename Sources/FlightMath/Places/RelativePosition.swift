import RealModule
import ReceiverProtocol

/// A place relative to the car.
public struct RelativePosition: Equatable, Sendable {
    /// The distance over ground.
    public var distanceMetres: Double
    /// Degrees clockwise from true north.
    public var bearingDegrees: Double
    /// Relative to the car's course, -180 ..< 180, negative to the left; nil while the course is unknown.
    public var relativeBearingDegrees: Double?
    /// The angle above the horizontal; nil if one of the altitudes is unknown.
    public var elevationDegrees: Double?
    /// How fast the place comes nearer, over about 10 s, m/s; nil if unknown.
    public var closingSpeed: Double?
    /// Neither a hill nor the Earth's curve is in between; nil while that is unknown.
    public var isInSight: Bool?
    public var isWithin200Metres: Bool { distanceMetres <= Self.nearMetres }

    /// Within this distance somebody is at a place.
    public static let nearMetres = 200.0

    /// - Parameter altitudeMetres: the place's altitude above sea level.
    public init(of place: Coordinate, altitudeMetres: Double? = nil, from car: CarPosition, closingSpeed: Double? = nil)
    {
        let way = Geodesic(from: car.coordinate, to: place)
        distanceMetres = way.metres
        bearingDegrees = way.bearingDegrees
        relativeBearingDegrees = car.courseDegrees.map { course in
            let turned = (way.bearingDegrees - course).remainder(dividingBy: 360)
            return turned < 180 ? turned : -180
        }
        if let here = car.altitudeMetres, let there = altitudeMetres {
            elevationDegrees = Self.elevation(metres: way.metres, from: here, to: there)
        }
        self.closingSpeed = closingSpeed
    }

    /// Computed on a round Earth, without refraction.
    private static func elevation(metres: Double, from here: Double, to there: Double) -> Double {
        let angle = metres / Coordinate.sphereMetres
        let (low, high) = (Coordinate.sphereMetres + here, Coordinate.sphereMetres + there)
        let rise = high * Double.cos(angle) - low
        let run = high * Double.sin(angle)
        return Double.atan2(y: rise, x: run) / Coordinate.radians
    }
}
