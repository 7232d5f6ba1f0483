import ArgumentParser
import Foundation
import GatewayReports
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

    /// Forty wrong words for each option that the command line itself reads: the answer has the help with what is accepted.
    /// All other options are keys of the configuration, or answers of `setup`.
    @Test(
        arguments: [
            (["scan"], "--seconds", "1 to 3600"), (["send", "{}"], "--timeout", "0.1 to 3600"),
            (["flights"], "--limit", "1 to 100000"), (["maps", "fetch", "--around", "47,7"], "--km", "0.1 to 500"),
            (["simulate"], "--firmware", "2.30 or 3.10"), (["simulate"], "--frequency", "400 to 406 MHz"),
            (["simulate"], "--launch-delay", "0 to 86400"), (["simulate"], "--burst", "500 to 50000 metres"),
            (["export", "V4210150"], "--format", "gpx, kml, csv or geojson"),
        ] as [([String], String, String)])
    func theCommandLineSaysWhatIsAccepted(_ command: [String], _ option: String, _ accepted: String) {
        var refused = 0
        for value in Self.values {
            do {
                _ = try SondyGo2MQTT.parseAsRoot(command + ["\(option)=\(value)"])
            } catch {
                refused += 1
                let text = SondyGo2MQTT.fullMessage(for: error)
                #expect(text.contains(option) && text.contains(accepted), "\(value): \(text)")
            }
        }
        #expect(refused > 25)
    }

    /// Forty wrong words for each option that is checked after the command line was read.
    @Test(
        arguments: [
            (["simulate"], "--sonde", "give one of RS41"), (["simulate"], "--fault", "KIND@START:SECONDS"),
            (["simulate"], "--frequency", "400 to 406 MHz"), (["simulate"], "--launch-delay", "0 to 86400"),
            (["simulate"], "--burst", "500 to 50000 metres"),
            (["maps", "fetch", "--km", "1"], "--around", "for example 47.1,7.4"),
            (["maps", "fetch", "--around", "47,7"], "--km", "0.1 to 500"),
            (["maps", "fetch", "--around", "47,7", "--km", "1"], "--zoom", "give two levels"),
            (["setup"], "--mqtt-host", "a host name or address"), (["setup"], "--receiver", "first, usb"),
            (["setup"], "--place", "such as 52.52,13.40"), (["setup"], "--id", "one topic level"),
            (["setup"], "--language", "en, de"), (["setup"], "--tablets", "yes, open or no"),
            (["setup"], "--call-sign", "3 to 20 letters"), (["setup"], "--roads", "yes or no"),
            (["setup"], "--route", "yes or no"),
            (["setup"], "--mqtt-password-file", "a text file with the password"),
        ] as [([String], String, String)])
    func theCommandSaysWhatIsAccepted(_ command: [String], _ option: String, _ accepted: String) {
        var refused = 0
        let hosts = ["host:", "host:0", ":1883", "[::1", "::1]:1883", "host:1883:1883", "mqtt://host"]
        for value in Self.values + (option == "--mqtt-host" ? hosts : []) {
            guard let parsed = try? SondyGo2MQTT.parseAsRoot(command + ["\(option)=\(value)"]) else { continue }
            do throws(CommandFailure) {
                switch parsed {
                case let simulate as Simulate: _ = try simulate.simulatorOptions()
                case let fetch as MapsFetch: _ = try fetch.area(upTo: 18)
                case let setup as Setup: _ = try setup.givenAnswers()
                default: Issue.record("\(command) is not checked")
                }
            } catch {
                refused += 1
                #expect(error.kind == .usage)
                let text = error.message
                #expect(text.contains(option) && text.contains(accepted), "\(value): \(text)")
                // The advice is not behind a whole screen of what was given.
                #expect(text.count < 300 && !text.contains("\n"), "\(value): \(text)")
            }
        }
        #expect(refused > 2)
    }

    /// A host that the client refuses is a wrong command line, and no wrong file.
    @Test(arguments: ["host:", "[::1", "::1]:1883", "mqtt://host", "host:1883:1883"])
    func aWrongHostIsAWrongFlag(_ host: String) throws {
        var loader = ConfigurationLoader(path: "/dev/null", environment: [:])
        loader.flags["mqtt.host"] = ("--mqtt-host", host)
        let problems = #expect(throws: ConfigurationProblems.self) { _ = try loader.load() }
        #expect(problems?.isUsage == true && problems?.description.contains("mqtt.host: ") == true)
    }

    /// What `setup` refuses, on the terminal and on the page, it answers with what it accepts, in each language.
    @Test(arguments: Language.allCases) func setupSaysWhatIsAccepted(_ language: Language) {
        var refused: Set<SetupQuestion> = []
        for question in SetupQuestion.allCases {
            for value in Self.values where question.values(for: value) == nil {
                refused.insert(question)
                #expect(!SetupTexts(language).accepted(question).isEmpty, "\(question): \(value)")
            }
        }
        #expect(refused.count > 6)
    }

    @Test func eachKeySaysWhatIsAccepted() throws {
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
