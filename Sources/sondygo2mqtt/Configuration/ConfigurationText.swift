/// Reads a configuration file of limited length.
enum ConfigurationText {
    /// The longest file in bytes. The example with all keys and comments has a fifth of it.
    static let maximumLength = 65_536

    /// - Returns: the text, or the fault, for a line that begins with the file's name.
    static func read(_ path: String) -> Result<String, Fault> {
        do throws(SmallFile.Fault) {
            let text = try SmallFile.text(of: path, maximumLength: maximumLength)
            // Some editors begin a file with a byte order mark.
            return .success(text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text)
        } catch {
            return .failure(Fault(text: error.text + advice(for: error)))
        }
    }

    struct Fault: Error {
        var text: String
    }

    private static func advice(for fault: SmallFile.Fault) -> String {
        switch fault {
        case .unreadable: "; give another with --config"
        case .directory, .notPlain: "; give a YAML file with --config"
        case .tooLong: "; is it the right file?"
        case .notText: "; save it in that encoding"
        }
    }
}
