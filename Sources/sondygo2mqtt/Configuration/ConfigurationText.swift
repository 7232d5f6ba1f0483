/// The text of a configuration file, read within bounds.
enum ConfigurationText {
    /// Bytes; the example with every key and its explanation has a tenth of it.
    static let maximumLength = 65_536

    /// - Returns: the text, or what is wrong, for a line that begins with the file's name.
    static func read(_ path: String) -> Result<String, Fault> {
        do throws(SmallFile.Fault) {
            return .success(try SmallFile.text(of: path, maximumLength: maximumLength))
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
