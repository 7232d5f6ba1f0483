import Glibc

/// A file with the broker's password. Newlines at its end are not part of the password.
struct PasswordFile {
    static let name = "mqtt_password"
    /// The longest file in bytes.
    private static let maximumLength = 4096

    var path: String

    init(_ path: String) {
        self.path = path
    }

    /// The file `mqtt_password` in a folder.
    init(in folder: String) {
        path = folder + "/" + Self.name
    }

    /// The file `mqtt_password`, or another, beside another file.
    init(beside file: String, named name: String = Self.name) {
        // The folder of `config.yaml` is the current one, that of `/config.yaml` the root directory.
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        self.init((folder.isEmpty ? "." : folder.joined(separator: "/")) + "/" + name)
    }

    /// - Returns: the first password in these files, as they are now; nil if none holds one that can be read.
    static func firstPassword(in paths: [String]) -> String? {
        paths.lazy.compactMap { try? Self($0).password() }.first { !$0.isEmpty }
    }

    /// The file is missing, or this user may not read it. More users may read the configuration than the password.
    var isAbsent: Bool {
        var status = stat()
        // A broken link is a fault, so it does not count as missing.
        if lstat(path, &status) != 0 { return true }
        return access(path, R_OK) != 0 && errno == EACCES
    }

    /// The file exists, but this user may not read it.
    var isHidden: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && access(path, R_OK) != 0 && errno == EACCES
    }

    var isEmpty: Bool { (try? password())?.isEmpty == true }

    /// Without a byte order mark, with which some editors begin a file.
    /// - Throws: the fault, as text behind the file's name.
    func password() throws(SmallFile.Fault) -> String {
        let whole = try SmallFile.text(of: path, maximumLength: Self.maximumLength)
        let text = whole.unicodeScalars.first == "\u{FEFF}" ? String(whole.unicodeScalars.dropFirst()) : whole
        // In Swift `\r\n` is one character.
        let end = text.lastIndex { $0 != "\n" && $0 != "\r\n" && $0 != "\r" }
        return end.map { String(text[...$0]) } ?? ""
    }
}
