import GatewayReports
import ReceiverProtocol

/// The words of commands. A command takes every name and form that the reports and the plain topics use
/// (specification 5.3).
///
/// | said | read as |
/// | --- | --- |
/// | `frequency_mhz`, `sonde_type` | `frequency`, `type` |
/// | `lat`, `lon`, `lng` | `latitude`, `longitude` |
/// | `frequency_offset_hz` in `tune` | `offset_hz` |
/// | `rs41_rxbw`, `callsign` in `settings` | `rs41.rxbw`, `myCall` |
/// | `"404.2"` where a number is meant | `404.2` |
/// | `"ON"`, `"off"`, `1`, `0`, `"true"` where a truth value is meant | `true` or `false` |
package enum Vocabulary {
    private static let verbs = ["frequency_mhz": "frequency", "sonde_type": "type"]
    static let place = ["lat": "latitude", "lon": "longitude", "lng": "longitude"]
    static let offset = ["frequency_offset_hz": "offset_hz"]

    /// The members of a command with the commands' own names, without an `id` of null, which is no id.
    static func command(_ members: [String: JSONValue]) throws(CommandRefusal) -> [String: JSONValue] {
        var members = members
        if members["id"] == .null { members["id"] = nil }
        return try renamed(members, by: verbs)
    }

    /// - Throws: if a member stands twice, by both names.
    static func renamed(
        _ members: [String: JSONValue], by names: [String: String]
    ) throws(CommandRefusal) -> [String: JSONValue] {
        var renamed: [String: JSONValue] = [:]
        for (name, value) in members {
            guard renamed.updateValue(value, forKey: names[name] ?? name) == nil else {
                throw CommandRefusal(.badJSON, "\"\(names[name] ?? name)\" stands twice, by two names; send it once")
            }
        }
        return renamed
    }

    /// Nil if the value is no truth value.
    static func truth(_ value: JSONValue) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .integer(1), .number(1): true
        case .integer(0), .number(0): false
        case .string(let text): truth(text)
        case .null, .integer, .number, .digits, .array, .object: nil
        }
    }

    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "on", "1", "true": true
        case "off", "0", "false": false
        default: nil
        }
    }

    /// A number, also as a text. Nil for anything else.
    static func number(_ value: JSONValue) -> Double? {
        guard case .string(let text) = value else { return value.asDouble }
        return PlainDecimal.parse(Array(text.utf8).span)
    }

    /// A whole number, also as a text. Nil for anything else.
    static func wholeNumber(_ value: JSONValue) -> Int? { number(value).flatMap { Int(exactly: $0) } }

    /// The known names that are nearest to a wrong one, for an error message: two at most; empty if none is near.
    package static func suggestion(for wrong: String, among names: some Sequence<String>) -> String {
        let wrong = String(wrong.lowercased().prefix(64))
        let distances = names.map { (name: $0, distance: wrong.editDistance(to: $0.lowercased())) }
        guard let least = distances.map(\.distance).min(), least <= max(1, wrong.count / 3) else { return "" }
        let near = distances.filter { $0.distance == least }.map { "\"\($0.name)\"" }.sorted().prefix(2)
        return "; did you mean \(near.joined(separator: " or "))?"
    }
}
