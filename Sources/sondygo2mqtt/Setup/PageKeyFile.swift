import Glibc

/// The file with the page's key that `setup --key` makes.
struct PageKeyFile {
    private static let name = "page_key"
    private static let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    /// In letters; these have 100 random bits.
    private static let length = 20

    /// Absolute.
    let path: String
    /// The file was missing, so this run made it.
    let isNew: Bool

    /// Makes the file if it is missing. A key that exists stays, because tablets have it.
    /// - Parameter configuration: the configuration's file. It may name another key file than the one beside it.
    init(beside configuration: String) throws(CommandFailure) {
        let wanted = Self.configured(in: configuration) ?? PasswordFile(beside: configuration, named: Self.name).path
        path = wanted.hasPrefix("/") ? wanted : Self.workingDirectory + "/" + wanted
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        isNew = descriptor >= 0
        guard isNew else {
            if errno == EEXIST { return }
            let hint = errno == EACCES ? "; run it with sudo" : ""
            throw CommandFailure(.unavailable, "can't write \(path): \(String(cString: strerror(errno)))\(hint)")
        }
        defer { close(descriptor) }
        var random = SystemRandomNumberGenerator()
        let key = String(
            (0..<Self.length).map { _ in Self.letters[Int.random(in: Self.letters.indices, using: &random)] })
        try writeWhole(Array((key + "\n").utf8), to: descriptor)
        guard fsync(descriptor) == 0 else {
            throw CommandFailure(.unavailable, "can't write \(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func configured(in file: String) -> String? {
        let entry = ConfigurationFile(path: file).entries.last { $0.key == "dashboard.key_file" }
        guard case .scalar(let scalar)? = entry?.value, scalar.text.hasPrefix("/") else { return nil }
        return scalar.text
    }

    private static var workingDirectory: String {
        guard let name = getcwd(nil, 0) else { return "" }
        defer { free(name) }
        return String(cString: name)
    }
}
