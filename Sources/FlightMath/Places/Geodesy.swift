import RealModule
public import ReceiverProtocol

/// A place on the Earth, degrees, WGS84.
public struct Coordinate: Hashable, Codable, Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The length of the shortest line to `other` on the WGS84 ellipsoid, metres; exact to 0.1 % up to 3000 km.
    public func distanceMetres(to other: Coordinate) -> Double { Geodesic(from: self, to: other).metres }

    /// The direction in which the shortest line to `other` begins, degrees clockwise from true north, 0 ..< 360; exact
    /// to 0.1° up to 3000 km. 0 if both are the same place.
    package func bearingDegrees(to other: Coordinate) -> Double { Geodesic(from: self, to: other).bearingDegrees }

    /// Whether latitude and longitude are finite and in range.
    public var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 360 }

    // MARK: - On a sphere, exact enough for a flight

    /// The Earth's mean radius, metres.
    static let sphereMetres = 6_371_008.8
    static let radians = Double.pi / 180

    /// The offset from here to a near `other`, with the cosine of the mean latitude. Works across the date line.
    public func offsetMetres(to other: Coordinate) -> (east: Double, north: Double) {
        let scale = Self.sphereMetres * Self.radians
        let turn = (other.longitude - longitude).remainder(dividingBy: 360)
        let cosine = Double.cos((latitude + other.latitude) / 2 * Self.radians)
        return (turn * scale * cosine, (other.latitude - latitude) * scale)
    }

    /// The place at this distance along a great circle. Works across the date line and the poles.
    package func moved(east: Double, north: Double) -> Coordinate {
        let metres = (east * east + north * north).squareRoot()
        guard metres > 0 else { return self }
        let angle = metres / Self.sphereMetres
        let (sine, cosine) = (Double.sin(angle), Double.cos(angle))
        let (sineHere, cosineHere) = (Double.sin(latitude * Self.radians), Double.cos(latitude * Self.radians))
        let sineThere = min(1, max(-1, sineHere * cosine + cosineHere * sine * (north / metres)))
        let turn = Double.atan2(y: sine * (east / metres) * cosineHere, x: cosine - sineHere * sineThere)
        return Coordinate(
            latitude: Double.asin(sineThere) / Self.radians,
            longitude: (longitude + turn / Self.radians).remainder(dividingBy: 360))
    }
}

extension Position {
    public var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}
