import FlightMath
import FoundationEssentials
public import Gateway
public import GatewayReports

/// A phone's position as the OwnTracks app publishes it: `{"_type":"location","lat":47.1,"lon":8.2,"acc":5,"alt":430,
/// "vel":50,"cog":90,"tst":1795314855}`; `vel` km/h, `tst` Unix seconds.
public enum OwnTracksFormat {
    /// The longest message that is read, bytes. A location has some 300, with a photo some 20 000. The broker passes on
    /// 64 kB at most.
    public static let longest = 65_536

    private struct Location: Decodable {
        var _type: String
        var lat, lon: Double
        var acc, alt, vel, cog, tst: Double?
    }

    private struct Kind: Decodable {
        var _type: String
    }

    /// The app's other messages. They hold no place of the phone.
    private static let others: Set = [
        "beacon", "card", "cmd", "configuration", "lwt", "request", "status", "steps", "transition", "waypoint",
        "waypoints",
    ]

    /// Why a message has no usable place.
    public struct Refusal: Error, Equatable {
        public var reason: CarFixRefusal
    }

    /// - Parameter isRetained: whether the message is a retained one.
    /// - Returns: nil for the app's messages of other types, and for an empty one, which clears a retained one.
    public static func decode(_ payload: [UInt8], isRetained: Bool) -> Result<CarFix?, Refusal> {
        guard !payload.isEmpty else { return .success(nil) }
        guard payload.count <= longest else { return .failure(Refusal(reason: .unreadable)) }
        let data = Data(payload)
        let kind = (try? JSONDecoder().decode(Kind.self, from: data))?._type
        if let kind, others.contains(kind) { return .success(nil) }
        if kind == "encrypted" { return .failure(Refusal(reason: .encrypted)) }
        guard kind == "location", let location = try? JSONDecoder().decode(Location.self, from: data) else {
            return .failure(Refusal(reason: .unreadable))
        }
        return .success(fix(location, isRetained: isRetained))
    }

    private static func fix(_ location: Location, isRetained: Bool) -> CarFix {
        CarFix(
            source: .owntracks, coordinate: Coordinate(latitude: location.lat, longitude: location.lon),
            altitudeMetres: location.alt,
            // The app writes -1 for an unknown speed or course.
            speed: location.vel.flatMap { $0 >= 0 ? $0 / 3.6 : nil },
            courseDegrees: location.cog.flatMap { $0 >= 0 ? $0 : nil }, accuracyMetres: location.acc,
            time: location.tst.flatMap { time($0) }, isRetained: isRetained)
    }

    /// - Returns: nil outside 1970 to 2200.
    private static func time(_ seconds: Double) -> WallTime? {
        guard 0..<7_258_118_400 ~= seconds else { return nil }
        return WallTime(millisecondsSince1970: Int64((seconds * 1000).rounded()))
    }
}
