import FlightMath
import GatewayReports

/// A JSON object from another program. Its members are read by key.
struct FeedObject {
    private var members: [String: JSONValue]

    /// Whether the key has a value other than null.
    func contains(_ key: String) -> Bool { members[key].map { $0 != .null } ?? false }

    /// The finite number under the key; nil if there is no such number.
    subscript(number key: String) -> Double? {
        members[key]?.asDouble.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The whole number under the key; nil if the value has a fraction or is no number.
    subscript(integer key: String) -> Int? {
        self[number: key].flatMap { Int(exactly: $0) }
    }

    subscript(text key: String) -> String? {
        if case .string(let text) = members[key] { text } else { nil }
    }

    subscript(flag key: String) -> Bool? {
        if case .bool(let flag) = members[key] { flag } else { nil }
    }

    /// The object under the key; nil if the value is no object.
    subscript(object key: String) -> FeedObject? {
        if case .object(let members) = members[key] { FeedObject(members: members) } else { nil }
    }

    /// A place on the Earth; nil if a number is missing or out of range. 0, 0 counts as missing, because GPS receivers
    /// without a fix report it.
    func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = self[number: latitude], let longitude = self[number: longitude],
            abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// A course in degrees, 0 ..< 360; nil if the value is outside 0 to 360.
    func course(_ key: String) -> Double? {
        self[number: key].flatMap { 0...360 ~= $0 ? $0.truncatingRemainder(dividingBy: 360) : nil }
    }

    /// A speed in m/s; nil if it is negative, or above 150 m/s, which no car reaches.
    /// - Parameter unit: the value's unit in m/s.
    func speed(_ key: String, metresPerSecond unit: Double) -> Double? {
        self[number: key].flatMap { 0...150 ~= $0 * unit ? $0 * unit : nil }
    }
}

extension FeedObject {
    /// - Returns: nil if the bytes are not a JSON object.
    init?(_ bytes: some Collection<UInt8>) {
        guard case .object(let members) = JSONValue(json: Array(bytes)) else { return nil }
        self.init(members: members)
    }
}
