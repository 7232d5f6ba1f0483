import BluetoothProtocol
import FlightMath
import Gateway
import GatewayReports
import MosquittoClient
import SondeHubClient

/// A question of `setup`, and the keys that its answer sets. The terminal and the flags ask the same ones.
enum SetupQuestion: String, CaseIterable, Sendable {
    case language
    case broker = "mqtt-host"
    case user = "mqtt-user"
    /// Answered with the password itself on the terminal, with a file that holds it by the flag.
    case password = "mqtt-password-file"
    case id, receiver, place, site, tablets
    case callSign = "call-sign"
    case roads, route

    /// The flag that answers it: `--site`.
    var flag: String { "--\(rawValue)" }

    /// The keys that an answer may set.
    var keys: [String] {
        switch self {
        case .language: ["announce.language"]
        case .broker: ["mqtt.host", "mqtt.port"]
        case .user: ["mqtt.username"]
        case .password: []
        case .id: ["gateway.id"]
        case .receiver: Configuration.Receiver.answeredKeys
        case .place: ["sondehub.latitude", "sondehub.longitude"]
        case .site: ["sondehub.site"]
        case .tablets: ["dashboard.address", "dashboard.key_file"]
        case .callSign: ["feeds.chase_car.enabled", "feeds.chase_car.callsign"]
        case .roads: ["dashboard.tiles.url", "dashboard.tiles.attribution"]
        case .route: ["route.url", "route.api"]
        }
    }

    /// The value in the configuration, as an answer.
    func present(in configuration: Configuration) -> String {
        switch self {
        case .language: configuration.language.rawValue
        case .broker: configuration.mqtt.place
        case .user: configuration.mqtt.username ?? Self.none
        case .password: configuration.password == nil ? Self.none : "***"
        case .id: configuration.gateway.id
        case .receiver: configuration.receiver.chosen.answer
        case .place: configuration.sondeHubOptions.place.map { "\($0.latitude),\($0.longitude)" } ?? "gps"
        case .site: configuration.sondeHub.site ?? Self.none
        case .tablets:
            switch configuration.dashboard.address {
            case "127.0.0.1", "::1": "no"
            case _: configuration.dashboard.keyFile == nil ? "open" : "yes"
            }
        case .callSign:
            configuration.feeds.chaseCar.isEnabled ? configuration.feeds.chaseCar.callSign ?? Self.none : Self.none
        case .roads: configuration.dashboard.tiles.url == nil ? "no" : "yes"
        case .route: configuration.services.route.url == nil ? "no" : "yes"
        }
    }

    static let none = "none"
    private static let roadMap = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
    private static let roadMapCredit = "© OpenStreetMap contributors"

    /// Yes and no in the languages of the questions.
    private static let (yes, no) = (words("yes"), words("no"))
    /// What people say who want none: also a no, if it is longer than a letter. Whoever says "nein" to a call sign must not
    /// find the car on SondeHub under that name.
    private static let noneWords = words("none").union([none]).union(no.filter { $0.count > 1 })

    /// Whether an answer means none, in any language.
    static func isNone(_ answer: String) -> Bool { noneWords.contains(answer.lowercased()) }

    /// The value as the language says it.
    static func shown(_ value: String, in language: Language) -> String {
        guard value == "yes" || value == "no" else { return value }
        return language.phrasebook.setup(value).split(separator: " ").first.map { String($0) } ?? value
    }

    private static func words(_ key: String) -> Set<String> {
        Set(Language.allCases.flatMap { $0.phrasebook.setup(key).split(separator: " ").map(String.init) })
    }

    /// Whether the answer about tablets needs a key.
    static func needsKey(_ answer: String?) -> Bool { answer.map { yes.contains($0.lowercased()) } ?? false }

    /// - Returns: the values that the answer sets, nil for null; or nil if the answer is none.
    private func settings(_ answer: String) -> KeyValuePairs<String, String?>? {
        let word = answer.lowercased()
        switch self {
        case .language:
            let named = Language.allCases.first { $0.phrasebook.name.lowercased() == word }
            return ["announce.language": named?.rawValue ?? word]
        case .broker:
            let host = BrokerAddress(answer, port: 1883).host
            guard MosquittoConfiguration.fault(ofHost: host) == nil else { return nil }
            let parts = answer.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return ["mqtt.host": answer, "mqtt.port": nil] }
            return ["mqtt.host": String(parts[0]), "mqtt.port": String(parts[1])]
        case .user: return ["mqtt.username": Self.isNone(word) ? nil : answer]
        case .password: return [:]
        case .id: return ["gateway.id": answer]
        case .receiver: return Configuration.Receiver.values(for: answer)
        case .place:
            if word == "gps" || Self.isNone(word) { return ["sondehub.latitude": nil, "sondehub.longitude": nil] }
            return PlaceText.place(in: answer).map {
                ["sondehub.latitude": "\($0.latitude)", "sondehub.longitude": "\($0.longitude)"]
            }
        case .site: return ["sondehub.site": Self.isNone(word) ? nil : answer]
        case .tablets:
            if Self.yes.contains(word) { return ["dashboard.address": "::"] }
            if Self.no.contains(word) { return ["dashboard.address": "127.0.0.1"] }
            return word == "open" ? ["dashboard.address": "::", "dashboard.key_file": nil] : nil
        case .callSign:
            return Self.isNone(word)
                ? ["feeds.chase_car.enabled": "false"]
                : ["feeds.chase_car.enabled": "true", "feeds.chase_car.callsign": answer]
        case .roads:
            if Self.yes.contains(word) {
                return ["dashboard.tiles.url": Self.roadMap, "dashboard.tiles.attribution": Self.roadMapCredit]
            }
            return Self.no.contains(word) ? ["dashboard.tiles.url": nil, "dashboard.tiles.attribution": nil] : nil
        case .route:
            if Self.yes.contains(word) { return ["route.url": RouteClient.publicServer, "route.api": "osrm"] }
            return Self.no.contains(word) ? ["route.url": nil] : nil
        }
    }

    /// The keys that the answer sets, with their values as they stand in the file.
    /// - Returns: nil if the answer is not accepted.
    func values(for answer: String) -> [String: String]? {
        guard let settings = settings(answer) else { return nil }
        var values: [String: String] = [:]
        for (path, text) in settings {
            var scratch = Configuration()
            guard let key = ConfigurationKey.named(path), ConfigurationLoader.isSound(text ?? ""),
                key.apply(&scratch, text ?? Self.standard[path])
            else { return nil }
            let isText = key.type == .text || key.type == .list || key.type == .textOrNumber
            values[path] = (text ?? Self.standard[path]).map { isText ? "\"\($0)\"" : $0 } ?? "null"
        }
        return values
    }

    /// The values of keys that null does not reset.
    private static let standard = ["mqtt.port": "1883"]

    /// The codes of all languages.
    static let languages = Language.allCases.map(\.rawValue).joined(separator: ", ")
}
