import GatewayRuntime
import Glibc

/// What `doctor --report` prints for a report of a fault: the version, the system, the settings that differ, and each
/// check. A setting that `bridge/info` does not publish is named without its value, and its value is left out of the
/// checks' sentences, too.
struct DoctorReport {
    let configuration: Configuration
    let findings: [Finding]
    /// `/etc/os-release`; empty if it can't be read.
    var release = (try? SmallFile.text(of: "/etc/os-release", maximumLength: 65_536)) ?? ""

    var lines: [String] {
        [program] + settings + findings.map { withoutSecrets($0.line) }
    }

    private var program: String {
        var system = utsname()
        uname(&system)
        let kernel = "\(Self.text(&system.release)) \(Self.text(&system.machine))"
        let name = release.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let distribution = name.map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } } ?? "an unknown system"
        return "sondygo2mqtt \(Version.current) on \(distribution), \(kernel)".plainLine(limit: 200)
    }

    private static func text<Bytes>(_ bytes: inout Bytes) -> String {
        withUnsafeBytes(of: &bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private var settings: [String] {
        ConfigurationKey.all.compactMap { key in
            configuration.explicit[key.path].map { value in
                "\(key.path): \(key.isPublic ? value.plainLine(limit: 300) : "(left out)")"
            }
        }
    }

    /// The values that must not be told, each with the name of its setting. Longer ones come first, because one may
    /// hold another.
    private var secrets: [(value: String, key: String)] {
        ConfigurationKey.all.filter { !$0.isPublic }.flatMap { key in
            (configuration.explicit[key.path]?.split(separator: ",") ?? [])
                .map { (value: $0.trimmed, key: key.path) }
        }
        .filter { $0.value.count >= Self.shortest }
        .sorted { $0.value.count > $1.value.count }
    }

    /// A shorter value is a part of many words and can't be told from them.
    private static let shortest = 3

    private func withoutSecrets(_ line: String) -> String {
        secrets.reduce(line) { $0.replacing($1.value, with: "(\($1.key))") }
    }
}
