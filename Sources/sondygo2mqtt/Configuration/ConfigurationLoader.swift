import Dashboard
import FoundationEssentials
import Glibc
import Logging
import MosquittoClient

/// Loads the configuration: defaults, the answers of `setup`, the user's file, environment, flags; a later one overrides
/// an earlier one. Reports all problems at once.
struct ConfigurationLoader {
    static let defaultPath = "/etc/sondygo2mqtt/config.yaml"

    /// The file of `--config`; nil for ``defaultPath``, if it exists.
    var path: String?
    var environment: [String: String]
    /// The flags' names and texts by key (`mqtt.port`).
    var flags: [String: (name: String, text: String)] = [:]
    /// Whether the command serves the page, and so needs its key. The key's file is root's alone.
    var servesPage = false
    /// The file with the answers of `setup`; nil for `setup.yaml` in the state directory, if it exists.
    var setupPath: String?

    typealias Problems = ConfigurationProblems

    func load() throws(Problems) -> Configuration {
        var configuration = Configuration()
        var problems = Problems()
        let own = file.map { (path: $0, content: ConfigurationFile(path: $0)) }
        let answers = setupPath ?? SetupFile.path(in: stateDirectory(own?.content))
        if access(answers, F_OK) == 0 {
            let content = ConfigurationFile(path: answers)
            apply(content, of: answers, to: &configuration, &problems)
            if !content.problems.isEmpty {
                problems.add("\(answers) is damaged: delete it, and answer the questions of sondygo2mqtt setup again")
            }
        } else {
            configuration.hidesSetup = errno == EACCES
        }
        if let own { apply(own.content, of: own.path, to: &configuration, &problems) }
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("SONDYGO_") {
            guard let (key, path) = ConfigurationKey.named(inEnvironment: name) else {
                problems.add("environment \(name): \(KeySuggestion.unknown(name))")
                continue
            }
            configuration.note(path)
            if let refusal = apply(Self.value(text), to: key, &configuration) {
                problems.add("environment \(name): \(key.path): \(refusal)")
            }
        }
        for (name, flag) in flags.sorted(by: { $0.key < $1.key }) {
            guard let key = ConfigurationKey.named(name) else { continue }  // A test checks that each flag has a key.
            if let refusal = apply(Self.value(flag.text), to: key, &configuration) {
                problems.add("\(flag.name): \(key.path): \(refusal)", isUsage: true)
            }
        }
        for contradiction in Contradiction.all(in: configuration) {
            problems.add(contradiction.text, isUsage: contradiction.keys.contains { flags[$0] != nil })
        }
        let secrets = AlertSecrets(beside: file ?? Self.defaultPath, environment: environment)
        for problem in configuration.alerts.complete(with: secrets) { problems.add(problem) }
        readPassword(&configuration, &problems)
        readPageKey(&configuration, &problems)
        guard problems.isEmpty else { throw problems }
        return configuration
    }

    /// In the environment and in flags, an empty text and `null` mean null.
    private static func value(_ text: String) -> String? { text.isEmpty || text == "null" ? nil : text }

    private func apply(
        _ content: ConfigurationFile, of file: String, to configuration: inout Configuration,
        _ problems: inout Problems
    ) {
        var found = content.problems
        // More problems are not printed, and each unknown key costs a search for suggestions.
        for entry in content.entries where found.count <= Problems.limit {
            let refusal =
                switch entry.value {
                case let value where (entry.key + ".").hasPrefix(ConfigurationFile.entryList + "."):
                    configuration.alerts.apply(
                        value, to: String(entry.key.dropFirst(ConfigurationFile.entryList.count + 1)))
                case .scalar(let scalar): apply(scalar, to: entry.key, &configuration)
                case .list(let items): apply(items, to: entry.key, &configuration)
                }
            configuration.note(entry.key)
            if let refusal { found.append((entry.line, "\(entry.key): \(refusal)")) }
        }
        for problem in found.sorted(by: { $0.line ?? 0 < $1.line ?? 0 }) {
            problems.add(problem.line.map { "\(file):\($0): \(problem.text)" } ?? "\(file): \(problem.text)")
        }
    }

    /// - Returns: the reason if the value is refused; nil otherwise.
    private func apply(_ scalar: YAMLScalar, to key: String, _ configuration: inout Configuration) -> String? {
        guard let definition = ConfigurationKey.named(key) else { return KeySuggestion.unknown(key) }
        if scalar.kind == .null { return apply(nil, to: definition, &configuration) }
        // A list of one may also be a single text.
        guard definition.type.accepts(scalar.kind) else {
            return refusal(scalar.shown, of: definition) + Self.hint(definition.type, scalar)
        }
        return apply(scalar.text, to: definition, &configuration)
    }

    private func apply(_ items: [YAMLScalar], to key: String, _ configuration: inout Configuration) -> String? {
        guard let definition = ConfigurationKey.named(key) else { return KeySuggestion.unknown(key) }
        let shown = "[" + items.prefix(8).map(\.shown).joined(separator: ", ") + (items.count > 8 ? ", …]" : "]")
        guard definition.type == .list, !items.isEmpty || definition.isOptional else {
            return refusal(shown, of: definition)
        }
        guard items.allSatisfy({ definition.type.accepts($0.kind) }) else {
            return refusal(shown, of: definition) + "; texts that look like something else need quotes"
        }
        return apply(items.map(\.text).joined(separator: ","), to: definition, &configuration)
    }

    private func apply(
        _ text: String?, to key: ConfigurationKey, _ configuration: inout Configuration
    ) -> String? {
        guard text.map(Self.isSound) ?? true, key.apply(&configuration, text) else {
            let shown =
                text.map(key.displayed).map { YAMLScalar($0, isPlain: key.type != .text && key.type != .list).shown }
                ?? "null"
            return refusal(shown, of: key)
        }
        configuration.explicit[key.path] = text ?? "null"
        return nil
    }

    /// Whether the text has neither control characters, which could end it in a C library or begin a new line, nor
    /// U+FFFD, which replaces bytes that are not UTF-8.
    static func isSound(_ text: String) -> Bool {
        if !text.isEmpty, text.allSatisfy(\.isWhitespace) { return false }
        return !text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{FFFD}" }
    }

    private func refusal(_ shown: String, of key: ConfigurationKey) -> String {
        "\(shown.withoutLogin) is not accepted; give \(key.accepted)"
    }

    /// Tells the user to add or to remove quotes.
    private static func hint(_ type: ConfigurationKey.ValueType, _ scalar: YAMLScalar) -> String {
        switch type {
        case .text, .list: "; a text that looks like something else needs quotes: \"\(scalar.text)\""
        case .wholeNumber, .number, .truth: scalar.kind == .quotedText ? "; without quotes" : ""
        case .textOrNumber: ""
        }
    }

    /// The folder that holds the answers of `setup`, before the configuration is complete.
    private func stateDirectory(_ own: ConfigurationFile?) -> String {
        let key = "gateway.state_directory"
        if let named = environment[ConfigurationKey.named(key)?.environmentName ?? ""], !named.isEmpty { return named }
        if case .scalar(let scalar)? = own?.entries.last(where: { $0.key == key })?.value { return scalar.text }
        return Configuration().gateway.stateDirectory
    }

    /// The configuration file; nil if there is none.
    private var file: String? {
        path ?? (FileManager.default.fileExists(atPath: Self.defaultPath) ? Self.defaultPath : nil)
    }

    /// Reads the password from `mqtt.password_file`; else from systemd's `LoadCredential=mqtt_password:…`; else from
    /// the file `mqtt_password` beside the configuration, if it is readable. An empty credential is ignored: systemd
    /// provides one if the password's file is missing.
    private func readPassword(_ configuration: inout Configuration, _ problems: inout Problems) {
        guard configuration.mqtt.username != nil else { return }
        if let path = configuration.mqtt.passwordFile {
            let (file, name) = (PasswordFile(path), "mqtt.password_file: \(path)")
            configuration.passwordFiles = [path]
            if file.isHidden {
                configuration.unreadablePasswordFile = path
                if servesPage { problems.add("\(name) can't be read by this user; run it with sudo") }
                return
            }
            configuration.password = password(in: file, named: name, else: "remove the key", &problems)
            return
        }
        let credential = environment["CREDENTIALS_DIRECTORY"].map { PasswordFile(in: $0) }
        let found = [credential.flatMap { $0.isEmpty ? nil : $0 }, PasswordFile(beside: file ?? Self.defaultPath)]
        configuration.passwordFiles = [credential?.path, PasswordFile(beside: file ?? Self.defaultPath).path].compactMap
        { $0 }
        guard let file = found.compactMap({ $0 }).first(where: { !$0.isAbsent }) else {
            configuration.unreadablePasswordFile = found.compactMap { $0 }.first { $0.isHidden }?.path
            return
        }
        configuration.password = password(in: file, named: file.path, else: "remove it", &problems)
    }

    /// Reads the page's key from its file. If the service may not read the file, reads systemd's
    /// `LoadCredential=page_key:…` instead.
    private func readPageKey(_ configuration: inout Configuration, _ problems: inout Problems) {
        guard configuration.dashboard.isEnabled, let path = configuration.dashboard.keyFile else { return }
        let credential = environment["CREDENTIALS_DIRECTORY"].map { PasswordFile($0 + "/page_key") }
        let file = PasswordFile(path)
        let usesCredential = file.isAbsent && credential.map { !$0.isAbsent && !$0.isEmpty } ?? false
        do throws(SmallFile.Fault) {
            let key = try (usesCredential ? credential ?? file : file).password()
            configuration.pageKey = key
            guard !DashboardOptions.isKey(key) else { return }
            problems.add(
                "dashboard.key_file: \(path) holds no key (16 to 128 letters, digits, - and _); delete it, and "
                    + "sudo sondygo2mqtt setup --key makes one")
        } catch .unreadable(EACCES) {
            configuration.hidesPageKey = true
            if servesPage { problems.add("dashboard.key_file: \(path) can't be read by this user; run it with sudo") }
        } catch {
            problems.add("dashboard.key_file: \(path) \(error.text); sudo sondygo2mqtt setup --key makes one")
        }
    }

    /// - Parameters:
    ///   - name: begins the message of a problem.
    ///   - remedy: what to do if there should be no password.
    private func password(
        in file: PasswordFile, named name: String, else remedy: String, _ problems: inout Problems
    ) -> String? {
        do throws(SmallFile.Fault) {
            let password = try file.password()
            if !password.isEmpty { return password }
            problems.add("\(name) is empty; write the password into it, or \(remedy)")
        } catch {
            problems.add("\(name) \(error.text); give a text file with the password, or \(remedy)")
        }
        return nil
    }
}
