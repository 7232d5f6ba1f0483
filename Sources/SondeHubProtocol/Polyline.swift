import FlightMath
import GatewayReports

/// An encoded polyline: differences of latitude and longitude in base 64, five bits a character, the lowest bits first.
///
///     "_p~iF~ps|U"     at 5 digits: 38.5 N, 120.2 W
enum Polyline {
    /// A valid difference has no bits beyond this shift.
    private static let mostBits: Int64 = 35

    static func decode(_ text: [UInt8], unitsPerDegree: Double) throws(OnlineServiceError) -> [Coordinate] {
        var points: [Coordinate] = []
        var (latitude, longitude): (Int64, Int64) = (0, 0)
        var rest = text[...]
        while !rest.isEmpty {
            guard points.count < RouteLine.longest else { throw RouteReply.tooLong }
            guard let north = next(&rest), let east = next(&rest) else {
                throw .malformed("the route's encoded line is damaged")
            }
            (latitude, longitude) = (latitude &+ north, longitude &+ east)
            points.append(
                Coordinate(latitude: Double(latitude) / unitsPerDegree, longitude: Double(longitude) / unitsPerDegree))
        }
        return points
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var (value, shift): (Int64, Int64) = (0, 0)
        while let byte = rest.popFirst() {
            guard 63...126 ~= byte, shift <= mostBits else { return nil }
            let bits = Int64(byte) - 63
            value |= (bits & 0x1f) << shift
            shift += 5
            // The lowest bit holds the sign.
            if bits < 0x20 { return value & 1 == 0 ? value >> 1 : ~(value >> 1) }
        }
        return nil
    }
}
