// The names of keys and sections.

extension ConfigurationKey {
    /// Earlier names of keys, each with the present one. They are read until the next major version.
    static let formerNames = ["dashboard.units": "units"]

    /// The key of this name, which may be an earlier one.
    static func named(_ path: String) -> ConfigurationKey? {
        let path = formerNames[path] ?? path
        return all.first { $0.path == path }
    }

    /// The key of a variable such as `SONDYGO_MQTT_HOST`, and the name by which the variable calls it.
    static func named(inEnvironment variable: String) -> (key: ConfigurationKey, path: String)? {
        let names = all.map(\.path) + formerNames.keys
        return names.first { environmentName(of: $0) == variable }.flatMap { path in named(path).map { ($0, path) } }
    }

    /// For example `SONDYGO_MQTT_TLS_CA_FILE`.
    var environmentName: String { Self.environmentName(of: path) }

    static func environmentName(of path: String) -> String {
        "SONDYGO_" + path.uppercased().replacing(".", with: "_")
    }

    /// Whether the name is a section, which holds keys.
    static func isSection(_ path: String) -> Bool { sections.contains(path) }

    /// All sections: `mqtt`, `mqtt.tls`, …
    static let sections: [String] = Set(
        all.flatMap { key in
            let levels = key.path.split(separator: ".")
            return (1..<levels.count).map { levels.prefix($0).joined(separator: ".") }
        }
    ).sorted()
}

extension Configuration {
    /// Notes an earlier name of a key, so that the user can be told the present one.
    mutating func note(_ name: String) {
        if let path = ConfigurationKey.formerNames[name] { formerNames[path] = name }
    }

    /// Which keys were set by an earlier name: `dashboard.units is now units`; nil if none was.
    var formerNamesText: String? {
        let texts = formerNames.sorted { $0.key < $1.key }.map { "\($1) is now \($0)" }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
