import FlightMath
public import GatewayReports
import ReceiverProtocol

/// SondeHub's reports of recovery, `[{"serial":"V3240531","lat":46.9,"lon":7.9,"alt":430,"recovered":true,
/// "planned":false,"recovered_by":"HB9XYZ","description":"…","datetime":"…"},…]`: the newest of each sonde.
public enum RecoveryFormat {
    /// The most reports of an answer that are used.
    public static let limit = 256

    /// Leaves out reports without a serial or a time.
    /// - Throws: `refused` if the answer is no JSON; `malformed` if it is broken; `status` if it is an error object.
    public static func decode(_ answer: [UInt8]) throws(OnlineServiceError) -> [Recovery] {
        let text = answer.span
        var cursor = try JSONCursor(in: answer, behind: UInt8(ascii: "["), "list")
        var recoveries: [Recovery] = []
        while try cursor.nextElement(text) {
            guard try cursor.enter(UInt8(ascii: "{"), text) else { continue }
            var fields = Fields()
            try fields.read(text, &cursor)
            if recoveries.count < limit, let recovery = fields.recovery { recoveries.append(recovery) }
        }
        return recoveries
    }

    /// The body of a report for SondeHub.
    /// - Parameter software: the name and version of this program.
    public static func encode(_ recovery: Recovery, software: String) -> [UInt8] {
        var json = JSONText()
        json.field("serial", recovery.serial.canonical)
        json.field("lat", recovery.coordinate?.latitude, decimals: 6)
        json.field("lon", recovery.coordinate?.longitude, decimals: 6)
        json.field("alt", recovery.altitudeMetres, decimals: 1)
        json.field("recovered", recovery.state == .recovered)
        json.field("planned", recovery.state == .planned)
        json.field("recovered_by", recovery.by)
        json.field("description", recovery.note)
        json.field("recovery_software", software)
        json.field("datetime", recovery.time)
        return json.object
    }
}

private struct Fields {
    private var serial, by, note: String?
    private var time: WallTime?
    private var latitude, longitude, altitude: Double?
    private var isRecovered = false
    private var isPlanned = false

    mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) {
        while let key = try cursor.nextKey(text) {
            if JSONCursor.isEqual(text, key, to: "serial") {
                serial = try cursor.text(text)
            } else if JSONCursor.isEqual(text, key, to: "recovered_by") {
                by = try cursor.text(text)
            } else if JSONCursor.isEqual(text, key, to: "description") {
                note = try cursor.text(text)
            } else if JSONCursor.isEqual(text, key, to: "datetime") {
                time = try cursor.word(text).flatMap { SondeHubTime.parse(text.extracting($0)) }
            } else if JSONCursor.isEqual(text, key, to: "lat") {
                latitude = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "lon") {
                longitude = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "alt") {
                altitude = try cursor.number(text)
            } else if JSONCursor.isEqual(text, key, to: "recovered") {
                isRecovered = try cursor.flag(text)
            } else if JSONCursor.isEqual(text, key, to: "planned") {
                isPlanned = try cursor.flag(text)
            } else {
                try cursor.pass(text)
            }
        }
    }

    /// The reported place; nil if the report has none, or has 0, 0, which programs send for an unknown place.
    private var coordinate: Coordinate? {
        guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180, (latitude, longitude) != (0, 0)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The report; nil without a serial or a time. Names and notes come from people, so control characters are replaced
    /// and the length is limited.
    var recovery: Recovery? {
        guard let serial = serial.flatMap({ SondeSerial(name: $0, type: .other("")) }), let time else { return nil }
        let name = Self.shortened(by ?? "", to: Recovery.longestName)
        return Recovery(
            serial, isRecovered ? .recovered : isPlanned ? .planned : .notFound,
            by: name.isEmpty ? "somebody" : name, note: Self.shortened(note ?? "", to: Recovery.longestNote), at: time,
            coordinate: coordinate,
            altitudeMetres: altitude.map { min(max($0, -500), 60_000) } ?? 0)
    }

    private static func shortened(_ text: String, to limit: Int) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            plain.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(plain)
    }
}
