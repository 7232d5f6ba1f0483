import Gateway

/// Suggests keys for an unknown one.
enum KeySuggestion {
    /// Common words, each with the word that the keys use.
    private static let synonyms: [String: String] = [
        "addr": "address", "baudrate": "baud", "broker": "mqtt", "ca": "ca_file", "cafile": "ca_file",
        "cert": "cert_file", "certfile": "cert_file", "certificate": "cert_file", "clientid": "client_id",
        "debug": "log_level", "dir": "directory", "folder": "directory", "freq": "frequency", "ha": "homeassistant",
        "hass": "homeassistant", "hostname": "host", "interval": "poll_seconds", "key": "key_file", "lat": "latitude",
        "level": "log_level", "lng": "longitude", "loglevel": "log_level", "lon": "longitude", "long": "longitude",
        "mac": "address", "max": "max", "maximum": "max", "min": "min", "minimum": "min", "name": "names",
        "pass": "password_file", "passwd": "password_file", "password": "password_file",
        "passwordfile": "password_file", "path": "device", "poll": "poll_seconds", "prefix": "base_topic",
        "pw": "password_file", "pwd": "password_file", "radius": "radius_km", "retention": "retention_days",
        "secret": "password_file", "serial_port": "device", "server": "host", "ssl": "tls", "station": "site",
        "statedir": "state_directory",
        "topic": "base_topic", "tty": "device", "type": "transport", "user": "username", "version": "protocol",
    ]

    /// Keys of earlier versions that are gone, each with what serves instead.
    private static let retired: [String: String] = [
        "receiver.reset_adapter":
            "the gateway switches a faulty adapter off and on by itself, and says when to plug it in anew: remove the key"
    ]

    /// The message for an unknown key in the file or the environment, or for a section's name.
    static func unknown(_ key: String) -> String {
        let former = retired.first { key == $0.key || key == ConfigurationKey.environmentName(of: $0.key) }
        if let former { return "this key is gone: \(former.value)" }
        let keys = ConfigurationKey.all
        let isEnvironment = key.hasPrefix("SONDYGO_")
        // In the environment an underscore stands for a dot or for itself.
        let name = isEnvironment ? key.dropFirst(8).lowercased().replacing("_", with: ".") : key
        let near = near(name, among: keys.map(\.path) + (isEnvironment ? [] : ConfigurationKey.sections))
        guard !near.isEmpty else { return "unknown key; config.example.yaml lists every key" }
        let names = isEnvironment ? keys.filter { near.contains($0.path) }.map(\.environmentName) : near
        return "unknown key; did you mean \(names.joined(separator: " or "))?"
    }

    /// The nearest keys: two at most, if they are equally near; empty if no key is near.
    static func near(_ wrong: String, among keys: [String]) -> [String] {
        let wrong = String(wrong.lowercased().prefix(64))
        let spellings = Set([wrong, translated(wrong)])
        let distances = keys.map { key in
            (key: key, distance: spellings.map { distance(from: $0, to: key) }.min() ?? .max)
        }
        guard let least = distances.map(\.distance).min(), least <= max(1, wrong.count / 4) else { return [] }
        return Array(distances.filter { $0.distance == least }.map(\.key).prefix(2))
    }

    /// The edit distance. A name without a section is compared with the last parts of the key.
    private static func distance(from wrong: String, to key: String) -> Int {
        let end = key.split(separator: ".").dropFirst().joined(separator: ".")
        let withSection = flat(wrong).editDistance(to: flat(key))
        guard !wrong.contains("."), !end.isEmpty else { return withSection }
        return min(withSection, flat(wrong).editDistance(to: flat(end)))
    }

    private static func translated(_ key: String) -> String {
        key.split(separator: ".").map { synonyms[String($0)] ?? String($0) }.joined(separator: ".")
    }

    private static func flat(_ key: String) -> String {
        key.replacing(".", with: "").replacing("_", with: "").replacing("-", with: "")
    }
}
