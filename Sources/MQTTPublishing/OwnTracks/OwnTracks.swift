import FlightMath
import GatewayReports
import ReceiverProtocol

/// Where phones with OwnTracks find the sonde.
public struct OwnTracksOptions: Equatable, Sendable {
    /// `owntracks/<user>/<device>`
    public var user: String
    public var device: String

    public init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}

/// OwnTracks' messages: two friends who are never tired, the sonde and its landing point. Metres, km/h, whole degrees.
enum OwnTracks {
    private static let kilometresPerHour = 3.6

    /// A place, and when it was measured.
    struct Place: Equatable, Sendable {
        var coordinate: Coordinate
        var altitudeMetres: Double?
        /// Nil where nobody can say.
        var accuracyMetres: Double?
        /// m/s.
        var speed: Double?
        var courseDegrees: Double?
        var time: WallTime
    }

    /// - Parameters:
    ///   - trackerID: two characters that the map shows.
    ///   - topic: of this message, by which the app knows whose it is.
    static func location(_ place: Place, trackerID: String, topic: String) -> [UInt8] {
        var json = JSONText()
        json.field("_type", "location")
        json.field("tid", trackerID)
        json.field("lat", place.coordinate.latitude, decimals: 6)
        json.field("lon", place.coordinate.longitude, decimals: 6)
        if let metres = place.altitudeMetres.flatMap(whole) { json.field("alt", metres) }
        if let metres = place.accuracyMetres.flatMap(whole) { json.field("acc", metres) }
        if let speed = place.speed.flatMap({ whole($0 * kilometresPerHour) }) { json.field("vel", speed) }
        if let course = place.courseDegrees.flatMap(whole) { json.field("cog", course % 360) }
        json.field("tst", Int(place.time.wholeSeconds))
        json.field("t", "p")
        json.field("topic", topic)
        return json.object
    }

    /// What the app calls it.
    static func card(name: String, trackerID: String) -> [UInt8] {
        var json = JSONText()
        json.field("_type", "card")
        json.field("tid", trackerID)
        json.field("name", name)
        return json.object
    }

    /// The first two letters and digits: `V4`.
    static func trackerID(of serial: SondeSerial) -> String {
        String(serial.canonical.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(2))
    }

    private static func whole(_ value: Double) -> Int? { Int(exactly: value.rounded()) }
}
