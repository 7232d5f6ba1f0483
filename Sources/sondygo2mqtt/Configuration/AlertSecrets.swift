import Alerts
import Glibc

/// The secrets of the alerts, one `name: secret` a line, in a file for root alone. systemd hands it to the service
/// (`LoadCredential=alert_secrets:…`), whose user could not read it.
struct AlertSecrets {
    static let name = "alert_secrets"
    /// The longest file in bytes.
    private static let maximumLength = 4096

    struct Missing: Error, Equatable {
        var text: String
    }

    private enum Content {
        case lines([String: String])
        /// This user may not read the file.
        case hidden
        case fault(String)
    }

    /// The place where a person writes them.
    private let path: String
    private let content: Content

    /// Reads systemd's credential, or else the file beside the configuration.
    init(beside configuration: String, environment: [String: String]) {
        path = PasswordFile(beside: configuration, named: Self.name).path
        let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" + Self.name }
        let files = [credential, path].compactMap(\.self).filter { access($0, F_OK) == 0 }
        var content = Content.fault("there is no file \(path)")
        for file in files {
            content = Self.read(file)
            // systemd hands over an empty one if the file is missing.
            if case .lines(let lines) = content, lines.isEmpty { continue }
            break
        }
        self.content = content
    }

    private static func read(_ file: String) -> Content {
        do throws(SmallFile.Fault) {
            let lines = try SmallFile.text(of: file, maximumLength: maximumLength).split(whereSeparator: \.isNewline)
            let pairs = lines.filter { !$0.hasPrefix("#") }.compactMap { line -> (String, String)? in
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmed }
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            }
            return .lines(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        } catch .unreadable(EACCES) {
            return .hidden
        } catch {
            return .fault("\(file) \(error.text)")
        }
    }

    static func isName(_ text: String) -> Bool {
        1...32 ~= text.utf8.count
            && text.utf8.allSatisfy {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0)
            }
    }

    /// - Returns: nil if this user may not read it.
    func secret(for target: AlertTarget) throws(Missing) -> String? {
        guard let name = target.secretName else {
            throw Missing(text: "{secret} needs the name of a line of \(path)")
        }
        guard target.needsSecret else { throw Missing(text: "\(name) has no place: write {secret} in url or headers") }
        switch content {
        case .hidden: return nil
        case .fault(let text): throw Missing(text: "\(text); write a line \"\(name): …\" into \(path)")
        case .lines(let lines):
            guard let secret = lines[name], secret.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 })
            else { throw Missing(text: "\(path) has no line \"\(name): …\"") }
            return secret
        }
    }
}
