import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

/// Forty wrong values for each key of the configuration: every refusal names the key, the value and what is accepted.
@Suite struct WrongInputTests {
    private static let values = [
        "", "~", "true", "off", "0", "-1", "1.5", "1e9", "99999999999999999999", ".nan", ".inf", "\"\"", "\" \"", "x y",
        "ü",
        "\"1883\"", "'yes'", "[]", "[1]", "[a, b]", "[[a]]", "{}", "{a: 1}", "!!str x", "\"\\u0000\"", "\"\\n\"", "*a",
        "http://x",
        "https://", "localhost:99999", "/nowhere/at/all", "-", "12:30", "0x1F", "1_000", "2026-11-28", "404,2",
        "\"a,b\"",
        "\"\u{FFFD}\"", String(repeating: "9", count: 300),
    ]

    @Test func everyRefusalSaysWhatIsAccepted() throws {
        #expect(Self.values.count == 40)
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("config.yaml")
        let environment = ["SONDYGO_GATEWAY_STATE_DIRECTORY": folder.path]
        for key in ConfigurationKey.all {
            for value in Self.values {
                let names = key.path.split(separator: ".")
                let lines = names.enumerated().map { level, name in
                    String(repeating: "  ", count: level) + "\(name):" + (level == names.count - 1 ? " \(value)" : "")
                }
                try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
                do throws(ConfigurationProblems) {
                    _ = try ConfigurationLoader(path: file.path, environment: environment).load()
                } catch {
                    let text = error.description
                    let words = [
                        "accepted", "give", "needed", "did you mean", "needs", "not valid YAML", "write", "remove",
                        "makes one",
                    ]
                    #expect(words.contains { text.contains($0) }, "\(key.path): \(value): \(text)")
                }
            }
        }
    }
}
