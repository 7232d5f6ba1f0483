import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

/// The members of one record that the gateway uses. Old records write numbers as strings.
struct RecordFields {
    /// Nil if the member is missing, null or blank.
    var type: String?
    /// The time as reported; ``reportsGPSTime`` tells whether it is GPS time or UTC.
    var time: WallTime?
    var latitude, longitude, altitude: Double?
    var horizontalSpeed, verticalSpeed, heading: Double?
    var temperature, humidity, pressure: Double?
    /// In MHz: the frequency the sonde transmits on, and the one its receiver measured.
    var nominalFrequency, measuredFrequency: Double?
    /// The sonde's own timer, seconds.
    var burstTimer: Double?
    var uploader: Coordinate?
    var uploaderAltitude: Double?
    /// The uploader's callsign.
    private var uploaderName: String?
    /// The uploader's clock minus SondeHub's, seconds. The difference contains the upload's delay.
    private var uploadDifference: Double?
    private var timeReference: String?

    /// The types of sondes that report GPS time if the record does not name its time scale. The receiver hears no RS92,
    /// LMS6 and iMet-1.
    private static let gpsTypes = SondeType.namesWithGPSTime + ["RS92", "LMS6", "iMet-1"]

    var reportsGPSTime: Bool {
        timeReference.map { $0 == "GPS" } ?? Self.gpsTypes.contains { type?.hasPrefix($0) ?? false }
    }

    /// The types of sondes whose frames hold the time. For others the uploader's clock may stand in.
    private static let timedTypes = SondeType.namesWithTime + ["RS92"]

    /// - Returns: nil if the sonde itself sends the time, or the uploader has no name.
    func stamp(at utc: WallTime) -> StationStamp? {
        let isTimed = timeReference == "GPS" || Self.timedTypes.contains { type?.hasPrefix($0) ?? false }
        guard !isTimed, let station else { return nil }
        return StationStamp(
            station: station, time: utc,
            ahead: uploadDifference.flatMap { abs($0) <= Self.largestDifference ? .seconds($0) : nil })
    }

    /// The uploader's callsign; nil if it is missing.
    var station: String? { uploaderName.map { String($0.prefix(Self.longestName)) } }

    /// A day, seconds.
    private static let largestDifference = 86_400.0

    /// The most characters of a callsign that are kept.
    private static let longestName = 64

    /// Reads the object that begins at the cursor.
    /// - Returns: false if `text` ends first; the cursor's position is then undefined.
    /// - Throws: `malformed` if the bytes are no object.
    mutating func read(_ text: Span<UInt8>, _ cursor: inout JSONCursor) throws(OnlineServiceError) -> Bool {
        cursor.position += 1
        while let next = cursor.skip(UInt8(ascii: ","), text) {
            if next == UInt8(ascii: "}") {
                cursor.position += 1
                return true
            }
            guard next == UInt8(ascii: "\"") else { throw .malformed("a key was expected in a record") }
            guard let key = cursor.string(text), let value = cursor.skip(UInt8(ascii: ":"), text) else { return false }
            switch value {
            case UInt8(ascii: "\""):
                guard let range = cursor.string(text) else { return false }
                setText(text, key, in: range)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard cursor.skipValue(text) else { return false }
            default:
                guard let range = cursor.scalar(text) else { return false }
                guard !range.isEmpty else { throw .malformed("a value is missing in a record") }
                setNumber(text, key, in: range)
            }
        }
        return false
    }

    private mutating func setText(_ text: Span<UInt8>, _ key: Range<Int>, in range: Range<Int>) {
        switch Key(text, key) {
        case Key.datetime: time = SondeHubTime.parse(text.extracting(range))
        case Key.type: type = Self.word(text, range)
        case Key.referenceOfTime: timeReference = JSONCursor.decoded(text, range)
        case Key.uploaderPosition: uploader = Self.coordinate(text, range)
        case Key.uploaderName: uploaderName = Self.word(text, range)
        case let key where key.isNumeric: set(key, Self.number(text, range))
        default: break
        }
    }

    private mutating func setNumber(_ text: Span<UInt8>, _ key: Range<Int>, in range: Range<Int>) {
        let key = Key(text, key)
        if key.isNumeric { set(key, Self.number(text, range)) }
    }

    private mutating func set(_ key: Key, _ value: Double?) {
        switch key {
        case Key.latitude: latitude = value
        case Key.longitude: longitude = value
        case Key.altitude: altitude = value
        case Key.horizontalSpeed: horizontalSpeed = value
        case Key.verticalSpeed: verticalSpeed = value
        case Key.heading: heading = value
        case Key.temperature: temperature = value
        case Key.humidity: humidity = value
        case Key.pressure: pressure = value
        case Key.nominalFrequency: nominalFrequency = value
        case Key.uploaderAltitude: uploaderAltitude = value
        case Key.burstTimer: burstTimer = value
        case Key.uploadDifference: uploadDifference = value
        default: measuredFrequency = value
        }
    }

    private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
        JSONNumber.parse(text.extracting(range))
    }

    /// Nil if the string is empty or blank.
    private static func word(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        guard let word = JSONCursor.decoded(text, range), !word.allSatisfy(\.isWhitespace) else { return nil }
        return word
    }

    /// Reads `"46.8131,6.9435"`; nil for anything else.
    private static func coordinate(_ text: Span<UInt8>, _ range: Range<Int>) -> Coordinate? {
        guard let comma = range.first(where: { text[$0] == UInt8(ascii: ",") }),
            let latitude = number(text, range.lowerBound..<comma),
            let longitude = number(text, (comma + 1)..<range.upperBound), abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

/// A member's name, packed for fast comparison: its length, its first eight bytes and its last eight. The first eight
/// alone would not distinguish `uploader_position` from `uploader_callsign`.
private struct Key: Equatable {
    private let count: Int
    private let first: UInt64
    private let last: UInt64

    init(_ text: Span<UInt8>, _ range: Range<Int>) {
        count = range.count
        first = Self.packed(text, range.prefix(8))
        last = range.count > 8 ? Self.packed(text, range.suffix(8)) : first
    }

    private static func packed(_ text: Span<UInt8>, _ part: Range<Int>) -> UInt64 {
        var word: UInt64 = 0
        for index in part { word = word << 8 | UInt64(text[unchecked: index]) }
        return word
    }

    private init(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        func packed(_ part: Range<Int>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64(name.utf8Start[$1]) } }
        self.count = count
        first = packed(0..<min(8, count))
        last = packed(max(0, count - 8)..<count)
    }

    var isNumeric: Bool {
        switch self {
        case Self.latitude, Self.longitude, Self.altitude, Self.horizontalSpeed, Self.verticalSpeed, Self.heading,
            Self.temperature, Self.humidity, Self.pressure, Self.nominalFrequency, Self.measuredFrequency,
            Self.uploaderAltitude, Self.burstTimer, Self.uploadDifference:
            true
        default: false
        }
    }

    static let datetime = Key("datetime")
    static let type = Key("type")
    static let referenceOfTime = Key("ref_datetime")
    static let uploaderPosition = Key("uploader_position")
    static let uploaderAltitude = Key("uploader_alt")
    static let uploaderName = Key("uploader_callsign")
    static let burstTimer = Key("burst_timer")
    static let uploadDifference = Key("upload_time_delta")
    static let latitude = Key("lat")
    static let longitude = Key("lon")
    static let altitude = Key("alt")
    static let horizontalSpeed = Key("vel_h")
    static let verticalSpeed = Key("vel_v")
    static let heading = Key("heading")
    static let temperature = Key("temp")
    static let humidity = Key("humidity")
    static let pressure = Key("pressure")
    static let nominalFrequency = Key("tx_frequency")
    static let measuredFrequency = Key("frequency")
}
