import RealModule
import ReceiverProtocol

/// A place on the Earth, degrees, WGS84.
public struct Coordinate: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    private static let radians = Double.pi / 180

    /// Great-circle distance over a sphere of the Earth's mean radius, metres (haversine; good to 0.5 %).
    func distanceMetres(to other: Coordinate) -> Double {
        let halfLatitude = Double.sin((other.latitude - latitude) * Self.radians / 2)
        let halfLongitude = Double.sin((other.longitude - longitude) * Self.radians / 2)
        let chord =
            halfLatitude * halfLatitude
            + Double.cos(latitude * Self.radians) * Double.cos(other.latitude * Self.radians) * halfLongitude
            * halfLongitude
        return 2 * 6_371_008.8 * Double.asin(min(1, chord.squareRoot()))
    }

    /// The direction in which the great circle to `other` sets out, degrees clockwise from true north, 0 ..< 360.
    func bearingDegrees(to other: Coordinate) -> Double {
        let (from, to) = (latitude * Self.radians, other.latitude * Self.radians)
        let turn = (other.longitude - longitude) * Self.radians
        let east = Double.sin(turn) * Double.cos(to)
        let north = Double.cos(from) * Double.sin(to) - Double.sin(from) * Double.cos(to) * Double.cos(turn)
        let degrees = Double.atan2(y: east, x: north) / Self.radians
        return degrees < 0 ? degrees + 360 : degrees
    }
}

extension Position {
    var coordinate: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}
