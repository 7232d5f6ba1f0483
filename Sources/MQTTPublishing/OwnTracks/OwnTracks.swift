import FlightMath
import GatewayReports
import ReceiverProtocol

/// The user and the device under which phones with OwnTracks see the sonde: `owntracks/<user>/<device>`.
public struct OwnTracksOptions: Equatable, Sendable {
    public var user: String
    public var device: String

    public init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}

/// OwnTracks' messages. They show the sonde and its landing point as two friends. Units: metres, km/h, whole degrees.
enum OwnTracks {
    private static let kilometresPerHour = 3.6

    /// A place, and when it was measured.
    struct Place: Equatable, Sendable {
        var coordinate: Coordinate
        var altitudeMetres: Double?
        /// Nil if unknown.
        var accuracyMetres: Double?
        /// m/s.
        var speed: Double?
        var courseDegrees: Double?
        var time: WallTime
    }

    /// - Parameters:
    ///   - trackerID: two characters that the map shows.
    ///   - topic: the topic of this message. The app tells devices apart by it.
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

    /// The message that gives a device its name in the app.
    static func card(name: String, trackerID: String) -> [UInt8] {
        var json = JSONText()
        json.field("_type", "card")
        json.field("tid", trackerID)
        json.field("name", name)
        return json.object
    }

    /// The first two letters or digits of the serial: `V4`.
    static func trackerID(of serial: SondeSerial) -> String {
        String(serial.canonical.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(2))
    }

    private static func whole(_ value: Double) -> Int? { Int(exactly: value.rounded()) }
}
