import Glibc

/// A file that holds the broker's password and nothing else; the end of its line is no part of it.
struct PasswordFile {
    static let name = "mqtt_password"
    /// Bytes.
    private static let maximumLength = 4096

    var path: String

    init(_ path: String) {
        self.path = path
    }

    /// The one in that folder.
    init(in folder: String) {
        path = folder + "/" + Self.name
    }

    /// The one beside a file.
    init(beside file: String) {
        // `config.yaml` lies here, `/config.yaml` in the root directory.
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        self.init(in: folder.isEmpty ? "." : folder.joined(separator: "/"))
    }

    /// There is none, or it is not for us: whoever may read the configuration may not read the password.
    var isAbsent: Bool {
        var status = stat()
        // A link that leads nowhere is not nothing.
        if lstat(path, &status) != 0 { return true }
        return access(path, R_OK) != 0 && errno == EACCES
    }

    var isEmpty: Bool { (try? password())?.isEmpty == true }

    /// - Throws: what is wrong, behind the file's name.
    func password() throws(SmallFile.Fault) -> String {
        let text = try SmallFile.text(of: path, maximumLength: Self.maximumLength)
        // `\r\n` is one character.
        return text.last == "\n" || text.last == "\r\n" ? String(text.dropLast()) : text
    }
}
