import RealModule

/// A car that drives along a line of places, or straight to one, at 60 km/h. The same seed gives the same drive.
public struct CarModel: Sendable {
    /// Degrees, WGS84.
    public struct Place: Equatable, Sendable {
        public var latitude: Double
        public var longitude: Double

        public init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    public private(set) var place: Place
    /// Metres per second over ground; 0 after it has arrived.
    public private(set) var speed = 0.0
    /// Degrees clockwise from true north. A car that stands keeps its last course.
    public private(set) var courseDegrees = 0.0
    /// The places that are still ahead, in order.
    private var way: [Place] = []

    /// 60 km/h in m/s.
    private static let cruisingSpeed = 60 / 3.6
    private static let metresPerDegree = 111_195.0

    /// Starts the car 3 to 8 km from `start`, at a place chosen by the seed.
    public init(seed: UInt64, near start: Place) {
        var random = SeededGenerator(seed: seed &+ 0xCA5)
        let metres = Double.random(in: 3000...8000, using: &random)
        let angle = Double.random(in: 0..<(2 * .pi), using: &random)
        place = Place(
            latitude: start.latitude + metres * Double.cos(angle) / Self.metresPerDegree,
            longitude: start.longitude + metres * Double.sin(angle) / Self.metresPerDegree / Self.narrowing(start))
    }

    /// Makes the car drive along `places`, from the nearest of them on, or from the next one if it has passed that. An
    /// empty list stops it.
    public mutating func follow(_ places: [Place]) {
        let nearest = places.indices.min { metres(to: places[$0]) < metres(to: places[$1]) }
        way = nearest.map { Array(places[$0...]) } ?? []
        guard way.count > 1, metres(to: way[1]) < Self.metres(from: way[0], to: way[1]) else { return }
        way.removeFirst()
    }

    /// Advances the car by one second.
    public mutating func advance() {
        var left = Self.cruisingSpeed
        let before = left
        while left > 0, let next = way.first {
            let distance = metres(to: next)
            guard distance > left else {
                if distance > 0.1 { turn(to: next) }
                place = next
                way.removeFirst()
                left -= distance
                continue
            }
            turn(to: next)
            place.latitude += (next.latitude - place.latitude) * left / distance
            place.longitude += (next.longitude - place.longitude) * left / distance
            left = 0
        }
        speed = before - left
    }

    private mutating func turn(to next: Place) {
        let (east, north) = Self.offset(from: place, to: next)
        let degrees = Double.atan2(y: east, x: north) * 180 / .pi
        courseDegrees = degrees < 0 ? degrees + 360 : degrees
    }

    private func metres(to other: Place) -> Double { Self.metres(from: place, to: other) }

    private static func metres(from start: Place, to end: Place) -> Double {
        let (east, north) = offset(from: start, to: end)
        return (east * east + north * north).squareRoot()
    }

    /// The offset in metres on a plane, which is exact enough for a drive.
    private static func offset(from start: Place, to end: Place) -> (east: Double, north: Double) {
        let east = (end.longitude - start.longitude) * metresPerDegree * narrowing(start)
        return (east, (end.latitude - start.latitude) * metresPerDegree)
    }

    private static func narrowing(_ place: Place) -> Double { max(0.01, Double.cos(place.latitude * .pi / 180)) }
}
