import Glibc

/// The file `setup.yaml` in the state directory, with the answers of `setup`. What the user's own file says counts
/// before it.
struct SetupFile {
    let path: String
    private let heading = """
        # The answers of "sondygo2mqtt setup", on the terminal or in the browser, which writes this file anew. Your own
        # settings belong into \(ConfigurationLoader.defaultPath); they count before these.

        """

    init(stateDirectory: String) {
        path = Self.path(in: stateDirectory)
    }

    /// The file with the broker's password that the page got. The service can't write beside the configuration.
    var password: PasswordFile { PasswordFile(beside: path) }

    static func path(in stateDirectory: String) -> String { stateDirectory + "/setup.yaml" }

    /// Sets the keys. The file changes at once and as a whole, and only if the whole configuration is valid with it.
    /// - Parameters:
    ///   - values: as they stand in the file.
    ///   - check: loads the configuration with the file that it gets, and throws what is wrong with it.
    /// - Returns: false if the file has these values already.
    func set(
        _ values: [String: String], check: (String) throws(ConfigurationProblems) -> Void
    ) throws(CommandFailure) -> Bool {
        var entries: [String: String] = [:]
        if access(path, F_OK) == 0 {
            let file = ConfigurationFile(path: path)
            guard file.problems.isEmpty else {
                throw CommandFailure(
                    .configuration, "\(path) \(file.problems[0].text); delete it, and answer setup's questions again")
            }
            for entry in file.entries { entries[entry.key] = Self.written(entry.value) }
        }
        let merged = entries.merging(values) { _, new in new }
        guard merged != entries else { return false }
        let draft = path + ".new"
        try write(heading + Self.yaml(merged), to: draft)
        defer { unlink(draft) }
        do throws(ConfigurationProblems) {
            try check(draft)
        } catch {
            let text = error.description.replacing(draft, with: path)
            throw CommandFailure(.configuration, "the configuration would be wrong, so it stays as it was:\n\(text)")
        }
        guard rename(draft, path) == 0 else { throw Self.cannotWrite(path) }
        return true
    }

    private static func written(_ value: ConfigurationFile.Value) -> String {
        func text(_ scalar: YAMLScalar) -> String {
            switch scalar.kind {
            case .text, .quotedText: "\"\(scalar.text)\""
            case .null: "null"
            case .truth, .wholeNumber, .number: scalar.text
            }
        }
        return switch value {
        case .scalar(let scalar): text(scalar)
        case .list(let items): "[" + items.map(text).joined(separator: ", ") + "]"
        }
    }

    /// The keys, each section once, in alphabetical order.
    static func yaml(_ entries: [String: String]) -> String {
        var lines: [String] = []
        var open: [Substring] = []
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            let names = key.split(separator: ".")
            let shared = zip(open, names.dropLast()).prefix { $0 == $1 }.count
            for level in shared..<(names.count - 1) {
                lines.append(String(repeating: "  ", count: level) + "\(names[level]):")
            }
            lines.append(String(repeating: "  ", count: names.count - 1) + "\(names[names.count - 1]): \(value)")
            open = Array(names.dropLast())
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func write(_ text: String, to draft: String) throws(CommandFailure) {
        // On a new box the service has not made its folder yet. systemd takes over one that exists.
        mkdir(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)), 0o755)
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.cannotWrite(draft) }
        defer { close(descriptor) }
        try writeWhole(Array(text.utf8), to: descriptor)
        // A power cut leaves the old file or the new one.
        guard fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0 else { throw Self.cannotWrite(draft) }
    }

    private static func cannotWrite(_ path: String) -> CommandFailure {
        let hint = errno == EACCES ? "; run it with sudo" : ""
        return CommandFailure(.unavailable, "can't write \(path): \(String(cString: strerror(errno)))\(hint)")
    }
}
