import FoundationEssentials
import Glibc

/// The configuration file that `setup` changes.
struct SetupFile {
    /// The file itself, if the path is a link.
    let path: String

    /// - Throws: if this is no plain file. A device must never be replaced.
    init(path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(.configuration, "\(path) is not a plain file")
        }
        guard let whole = realpath(path, nil) else {
            self.path = path
            return
        }
        defer { free(whole) }
        self.path = String(cString: whole)
    }

    /// Sets the keys. The file changes at once and as a whole, and only if the result is a valid configuration.
    /// - Returns: false if the file has these values already.
    /// - Throws: what is wrong with the result, or with the file.
    func set(_ values: [(key: String, value: String)]) throws(CommandFailure) -> Bool {
        let old: String
        if access(path, F_OK) == 0 {
            switch ConfigurationText.read(path) {
            case .success(let text): old = text
            case .failure(let fault): throw CommandFailure(.configuration, "\(path) \(fault.text)")
            }
        } else {
            old = "# Every key with its meaning: /usr/share/doc/sondygo2mqtt/examples/config.example.yaml\n"
        }
        var editor = ConfigurationEditor(old)
        for (key, value) in values { editor.set(key, to: value) }
        guard editor.text != old else { return false }
        let draft = path + ".new"
        try write(editor.text, to: draft)
        defer { unlink(draft) }
        try check(draft, holds: values)
        guard rename(draft, path) == 0 else { throw Self.cannotWrite(path) }
        return true
    }

    private func write(_ text: String, to draft: String) throws(CommandFailure) {
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Self.cannotWrite(draft) }
        defer { close(descriptor) }
        try writeWhole(Array(text.utf8), to: descriptor)
        // A power cut leaves the old file or the new one.
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw Self.cannotWrite(draft) }
    }

    /// Checks that the draft is valid, has the keys that were set, and has all other entries as before.
    private func check(_ draft: String, holds values: [(key: String, value: String)]) throws(CommandFailure) {
        let before = ConfigurationFile(path: path).entries.map { Said($0) }
        do throws(ConfigurationProblems) {
            _ = try ConfigurationLoader(path: draft, environment: [:]).load()
        } catch {
            let text = error.description.replacing(draft, with: path)
            throw CommandFailure(.configuration, "the configuration would be wrong, so it stays as it was:\n\(text)")
        }
        let keys = Set(values.map(\.key))
        let after = ConfigurationFile(path: draft).entries.map { Said($0) }
        let isKept = before.filter { !keys.contains($0.key) } == after.filter { !keys.contains($0.key) }
        guard isKept, keys.isSubset(of: after.map(\.key)) else {
            let block = values.map { "  \($0.key): \($0.value)" }.joined(separator: "\n")
            throw CommandFailure(
                .configuration, "\(path) is laid out in an unusual way; set these keys by hand:\n\(block)")
        }
    }

    private static func cannotWrite(_ path: String) -> CommandFailure {
        let hint = errno == EACCES ? "; run it with sudo" : ""
        return CommandFailure(.unavailable, "can't write \(path): \(String(cString: strerror(errno)))\(hint)")
    }

    /// An entry of the file without its place.
    private struct Said: Equatable {
        var key: String
        var items: [YAMLScalar]

        init(_ entry: ConfigurationFile.Entry) {
            key = entry.key
            switch entry.value {
            case .scalar(let scalar): items = [scalar]
            case .list(let list): items = list
            }
        }
    }
}
