import RealModule
import ReceiverProtocol

extension Position {
    /// Great-circle distance over a sphere of the Earth's mean radius, metres (haversine; good to 0.5 %).
    func distanceMetres(to other: Position) -> Double {
        let radians = Double.pi / 180
        let halfLatitude = Double.sin((other.latitude - latitude) * radians / 2)
        let halfLongitude = Double.sin((other.longitude - longitude) * radians / 2)
        let chord =
            halfLatitude * halfLatitude
            + Double.cos(latitude * radians) * Double.cos(other.latitude * radians) * halfLongitude * halfLongitude
        return 2 * 6_371_008.8 * Double.asin(min(1, chord.squareRoot()))
    }
}
