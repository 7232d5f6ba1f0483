import FoundationEssentials
import Logging

/// Puts the configuration together: defaults, file, environment, flags, each over the one before. All problems at once.
struct ConfigurationLoader {
    static let defaultPath = "/etc/sondygo2mqtt/config.yaml"

    /// Given with `--config`; nil takes ``defaultPath`` if it exists.
    var path: String?
    var environment: [String: String]
    /// `mqtt.port` -> the flag's name and text.
    var flags: [String: (name: String, text: String)] = [:]

    /// What is wrong, a line each: where, key, value, what is accepted.
    struct Problems: Error, CustomStringConvertible {
        var lines: [String]
        var description: String { lines.joined(separator: "\n") }
    }

    func load() throws(Problems) -> Configuration {
        var configuration = Configuration()
        var problems: [String] = []
        let known = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0) })

        func apply(_ key: String, _ text: String?, from source: String) {
            guard let definition = known[key] else {
                problems.append("\(source): \(key): unknown key\(Self.suggestion(for: key))")
                return
            }
            if definition.apply(&configuration, text) {
                configuration.explicit[key] = text ?? "null"
            } else {
                problems.append("\(source): \(key): \(Self.shown(text)) is not accepted; give \(definition.accepted)")
            }
        }

        if let file {
            let content = ConfigurationFile(path: file)
            problems += content.problems
            for (key, entry) in content.entries.sorted(by: { $0.value.line < $1.value.line }) {
                let isSection = known.keys.contains { $0.hasPrefix(key + ".") }
                if entry.isList, isSection || known[key]?.isList == false {
                    problems.append("\(file):\(entry.line): \(key): a list is not accepted here")
                } else {
                    apply(key, entry.text, from: "\(file):\(entry.line)")
                }
            }
        }
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("SONDYGO_") {
            let key = ConfigurationKey.all.first { $0.environmentName == name }
            apply(key?.path ?? name, text, from: "environment \(name)")
        }
        for (key, flag) in flags.sorted(by: { $0.key < $1.key }) { apply(key, flag.text, from: flag.name) }
        problems += Self.contradictions(in: configuration)
        readPassword(&configuration, &problems)
        guard problems.isEmpty else { throw Problems(lines: problems) }
        return configuration
    }

    /// The configuration file; nil when there is none.
    private var file: String? {
        path ?? (FileManager.default.fileExists(atPath: Self.defaultPath) ? Self.defaultPath : nil)
    }

    private static func contradictions(in configuration: Configuration) -> [String] {
        var problems: [String] = []
        let (mqtt, receiver) = (configuration.mqtt, configuration.receiver)
        if receiver.frequencyMinimum >= receiver.frequencyMaximum {
            problems.append(
                "receiver.frequency_min: \(receiver.frequencyMinimum) is not below "
                    + "receiver.frequency_max \(receiver.frequencyMaximum)")
        }
        if receiver.transport == .replay, receiver.file == nil {
            problems.append("receiver.file: needed for receiver.transport replay; give the path of a raw log")
        }
        if (mqtt.certificateFile == nil) != (mqtt.keyFile == nil) {
            problems.append("mqtt.tls: cert_file and key_file belong together; give both or none")
        }
        if !mqtt.usesTLS, mqtt.caFile != nil || mqtt.certificateFile != nil || mqtt.keyFile != nil {
            problems.append("mqtt.tls.enabled: false, but TLS files are given; set it to true or remove them")
        }
        if (configuration.sondeHub.latitude == nil) != (configuration.sondeHub.longitude == nil) {
            problems.append("sondehub: latitude and longitude belong together; give both or none")
        }
        if mqtt.passwordFile != nil, mqtt.username == nil {
            problems.append("mqtt.username: needed with mqtt.password_file")
        }
        return problems
    }

    /// From `mqtt.password_file`; else from systemd's `LoadCredential=mqtt_password:…`; else, for who may read it, from
    /// the file `mqtt_password` beside the configuration. An empty credential or such file is none.
    private func readPassword(_ configuration: inout Configuration, _ problems: inout [String]) {
        guard configuration.mqtt.username != nil else { return }
        guard let file = configuration.mqtt.passwordFile else {
            let beside = (file ?? Self.defaultPath).split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let folders = [environment["CREDENTIALS_DIRECTORY"], beside.joined(separator: "/")].compactMap { $0 }
            let passwords = folders.lazy.compactMap { Self.password(in: $0 + "/mqtt_password") }
            configuration.password = passwords.first { !$0.isEmpty }
            return
        }
        configuration.password = Self.password(in: file)
        if configuration.password == nil {
            problems.append("mqtt.password_file: \(file) can't be read; give a text file with the password")
        }
    }

    private static func password(in file: String) -> String? {
        guard let data = FileManager.default.contents(atPath: file), data.count <= 4096,
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func shown(_ text: String?) -> String {
        guard let text else { return "null" }
        return "\"\(text.count > 60 ? text.prefix(60) + "…" : text[...])\""
    }

    /// The nearest known key, where one is near.
    private static func suggestion(for key: String) -> String {
        let name = key.hasPrefix("SONDYGO_") ? String(key.dropFirst(8)).lowercased().replacing("_", with: ".") : key
        let words = Set(name.split { $0 == "." || $0 == "_" })
        let near = ConfigurationKey.all.max { left, right in
            words.intersection(left.path.split { $0 == "." || $0 == "_" }).count
                < words.intersection(right.path.split { $0 == "." || $0 == "_" }).count
        }
        guard let near, !words.isDisjoint(with: near.path.split { $0 == "." || $0 == "_" }) else {
            return "; config.example.yaml lists every key"
        }
        return key.hasPrefix("SONDYGO_") ? "; did you mean \(near.environmentName)?" : "; did you mean \(near.path)?"
    }
}
