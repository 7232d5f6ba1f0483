import FlightMath
import GatewayReports

/// A JSON object that another program sent: its numbers and texts by key.
struct FeedObject {
    private var members: [String: JSONValue]

    /// - Returns: nil when the bytes are no JSON object.
    init?(_ bytes: some Collection<UInt8>) {
        guard case .object(let members) = JSONValue(json: Array(bytes)) else { return nil }
        self.members = members
    }

    /// Null stands for nothing.
    func contains(_ key: String) -> Bool { members[key].map { $0 != .null } ?? false }

    /// Finite; nil when there is none.
    subscript(number key: String) -> Double? {
        members[key]?.asDouble.flatMap { $0.isFinite ? $0 : nil }
    }

    /// A whole number; nil when there is none.
    subscript(integer key: String) -> Int? {
        self[number: key].flatMap { Int(exactly: $0) }
    }

    subscript(text key: String) -> String? {
        if case .string(let text) = members[key] { text } else { nil }
    }

    subscript(flag key: String) -> Bool? {
        if case .bool(let flag) = members[key] { flag } else { nil }
    }

    /// Nil when there is none.
    subscript(object key: String) -> FeedObject? {
        if case .object(let members) = members[key] { FeedObject(members: members) } else { nil }
    }

    private init(members: [String: JSONValue]) {
        self.members = members
    }

    /// A place on the Earth that somebody's GPS has found; nil where it has none.
    func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = self[number: latitude], let longitude = self[number: longitude],
            abs(latitude) <= 90, abs(longitude) <= 180, latitude != 0 || longitude != 0
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Degrees, 0 ..< 360; nil for what is none.
    func course(_ key: String) -> Double? {
        self[number: key].flatMap { 0...360 ~= $0 ? $0.truncatingRemainder(dividingBy: 360) : nil }
    }

    /// Nil for what is negative, or no car's.
    func speed(_ key: String, metresPerSecond unit: Double) -> Double? {
        self[number: key].flatMap { 0...150 ~= $0 * unit ? $0 * unit : nil }
    }
}
