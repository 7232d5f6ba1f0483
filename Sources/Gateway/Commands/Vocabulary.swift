import GatewayReports
import ReceiverProtocol

/// The words of commands. A command takes every name and form that the reports and the plain topics use.
///
/// | said | read as |
/// | --- | --- |
/// | `frequency_mhz` or `sonde_frequency_mhz`, `sonde_type` | `frequency`, `type` |
/// | `{"tune":{"frequency":404.2,"type":"RS41"}}`, as answers call it | the same without `tune` |
/// | `lat`, `lon`, `lng` | `latitude`, `longitude` |
/// | `frequency_offset_hz` in `tune` | `offset_hz` |
/// | `rs41_rxbw`, `callsign` in `settings` | `rs41.rxbw`, `myCall` |
/// | `rs41_rxbw_khz` in `settings` | the number of that bandwidth |
/// | `degrees`, `azimuth_deg`; `sigma` in `bearing` | `bearing_deg`; `sigma_deg` |
/// | `altitude_m`, `time`, `at` in a place | nothing: a landing point has none |
/// | `"404.2"` where a number is meant | `404.2` |
/// | `"ON"`, `"off"`, `1`, `0`, `"true"` where a truth value is meant | `true` or `false` |
/// | `false` where `null` ends something | `null` |
/// | `"Not found"` where one of several words is meant | `not_found` |
package enum Vocabulary {
    private static let verbs = [
        "frequency_mhz": "frequency", "sonde_frequency_mhz": "frequency", "sonde_type": "type",
    ]
    static let place = ["lat": "latitude", "lon": "longitude", "lng": "longitude"]
    /// The members of a place in reports that a landing point does not have.
    static let besidesPlace: Set = ["altitude_m", "time", "at"]
    static let bearing = ["degrees": "bearing_deg", "azimuth_deg": "bearing_deg", "sigma": "sigma_deg"]
    static let offset = ["frequency_offset_hz": "offset_hz"]

    /// The members of a command with the commands' own names, without an `id` of null, which is no id.
    static func command(_ members: [String: JSONValue]) throws(CommandRefusal) -> [String: JSONValue] {
        var members = members
        if members["id"] == .null { members["id"] = nil }
        if case .object(let tuning)? = members["tune"], !tuning.isEmpty,
            tuning.keys.allSatisfy({ ["frequency", "type"].contains(verbs[$0] ?? $0) && members[$0] == nil })
        {
            members["tune"] = nil
            members.merge(tuning) { first, _ in first }
        }
        return try renamed(members, by: verbs)
    }

    /// One of several words, as commands write it: in small letters, with `_` for a blank or a dash. Nil if the value is
    /// no text.
    static func word(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value else { return nil }
        return String(text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }

    /// Whether the value ends what a command began.
    static func isNone(_ value: JSONValue) -> Bool { value == .null || value == .bool(false) }

    /// The command in which a name stands that is no command itself, for an error message; empty if there is none.
    static func home(of name: String) -> String {
        let command: String
        if ReceiverSetting.all.contains(where: { [$0.key, $0.field].contains(name) }) {
            command = "{\"settings\":{\"\(name)\":…}}"
        } else if CommandDecoder.optionNames.contains(name) {
            command = "{\"options\":{\"\(name)\":…}}"
        } else if CommandDecoder.requests.contains(where: { $0.key == name }) {
            command = "{\"request\":\"\(name)\"}"
        } else if name == "serial" {
            command = "{\"hunt\":\"…\"}"
        } else if ["latitude", "longitude"].contains(place[name] ?? name) {
            command = "{\"landing_point\":{\"latitude\":…,\"longitude\":…}}"
        } else {
            return ""
        }
        return "; did you mean \(command)?"
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
        // A part of a name, or a name with more behind it.
        let parts = names.filter {
            let name = $0.lowercased()
            return min(wrong.count, name.count) >= 4 && (name.contains(wrong) || wrong.contains(name))
        }
        let distances = names.map { (name: $0, distance: wrong.editDistance(to: $0.lowercased())) }
        let least = distances.map(\.distance).min() ?? .max
        let isNear = least <= max(1, wrong.count / 3)
        let found = isNear ? distances.filter { $0.distance == least }.map(\.name) : parts
        guard !found.isEmpty else { return "" }
        let near = found.map { "\"\($0)\"" }.sorted().prefix(2)
        return "; did you mean \(near.joined(separator: " or "))?"
    }
}
