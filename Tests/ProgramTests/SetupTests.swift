import BluetoothProtocol
import Foundation
import GatewayReports
import TestSupport
import Testing

@testable import sondygo2mqtt

/// `setup` writes the configuration, and keeps all keys that the answers do not change.
@Suite(.timeLimit(.minutes(10))) struct SetupTests {
    /// A file, a key and its value -> the file after it.
    @Test(
        arguments: [
            ("", "gateway.id", "\"car1\"", "gateway:\n  id: \"car1\"\n"),
            ("# All by default.\n", "gateway.id", "\"car1\"", "# All by default.\ngateway:\n  id: \"car1\"\n"),
            ("gateway:\n  id: car9\n", "gateway.id", "\"car1\"", "gateway:\n  id: \"car1\"\n"),
            (
                "# a\ngateway:\n    # b\n    log_level: debug # c\n\nmqtt:\n    port: 1\n", "gateway.id", "\"car1\"",
                "# a\ngateway:\n    # b\n    log_level: debug # c\n    id: \"car1\"\n\nmqtt:\n    port: 1\n"
            ),
            (
                "gateway: # c\nmqtt:\n  port: 1\n", "gateway.id", "\"a\"",
                "gateway: # c\n  id: \"a\"\nmqtt:\n  port: 1\n"
            ),
            ("gateway: {log_level: debug}\n", "gateway.id", "\"a\"", "gateway:\n  log_level: debug\n  id: \"a\"\n"),
            ("gateway: null\n", "gateway.id", "\"a\"", "gateway:\n  id: \"a\"\n"),
            (
                "feeds:\n  rdz:\n    enabled: true\n", "feeds.chase_car.enabled", "true",
                "feeds:\n  rdz:\n    enabled: true\n  chase_car:\n    enabled: true\n"
            ),
            (
                "receiver:\n  names:\n  - A\n  - B\n  baud: 9600\n", "receiver.names", "[\"C\"]",
                "receiver:\n  names: [\"C\"]\n  baud: 9600\n"
            ),
        ])
    func edits(_ old: String, _ key: String, _ value: String, _ new: String) {
        var editor = ConfigurationEditor(old)
        editor.set(key, to: value)
        #expect(editor.text == new)
    }

    @Test func flagsWriteTheConfigurationAndCanBeRepeated() async throws {
        let file = try configuration("# Ours.\nmqtt:\n  host: broker.example # in the club\n")
        let flags = [
            "--id", "car7", "--site", "10739", "--language", "de", "--receiver", "AA:BB:CC:DD:EE:FF", "--tablets",
            "open", "--call-sign", "HB9XYZ",
        ]
        #expect(try await setup(file, flags + ["--no-questions"]).code == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasPrefix("# Ours.\nmqtt:\n  host: broker.example # in the club\n"))
        let loaded = try ConfigurationLoader(path: file.path, environment: [:]).load()
        #expect(loaded.gateway.id == "car7")
        #expect(loaded.sondeHub.site == "10739")
        #expect(loaded.language == .german)
        #expect(loaded.receiver.address?.description == "AA:BB:CC:DD:EE:FF")
        #expect(loaded.dashboard.address == "::" && loaded.dashboard.keyFile == nil)
        #expect(loaded.feeds.chaseCar.callSign == "HB9XYZ")
        let again = try await setup(file, flags + ["--no-questions"])
        #expect(again.text.contains("says all of this already"))
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        // Sets a new box's values again.
        let defaults = [
            "--language", "en", "--receiver", "first", "--tablets", "no", "--call-sign", "none", "--no-questions",
        ]
        #expect(try await setup(file, defaults).code == 0)
        let back = try ConfigurationLoader(path: file.path, environment: [:]).load()
        #expect(back.language == .english)
        #expect(back.receiver.address == nil)
        #expect(back.dashboard.address == "127.0.0.1")
        #expect(!back.feeds.chaseCar.isEnabled)
    }

    /// `--key` makes a key once, readable by its owner only, and shows the link.
    @Test func aKeyForThePage() async throws {
        let file = try configuration("")
        let made = try await setup(file, ["--key", "--tablets", "yes", "--no-questions"])
        #expect(made.code == 0, "\(made.text)")
        let loaded = try ConfigurationLoader(path: file.path, environment: [:]).load()
        let key = try #require(loaded.pageKey)
        #expect(key.count == 20 && made.text.contains("/?key=\(key)"))
        let path = try #require(loaded.dashboard.keyFile)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600 && path == file.deletingLastPathComponent().path + "/page_key")
        let again = try await setup(file, ["--key", "--no-questions"])
        #expect(again.code == 0 && again.text.contains("/?key=\(key)"))
        // A file without a key is a fault of the configuration, never an open page.
        for text in ["", "short", "with space in it"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: ConfigurationProblems.self) {
                try ConfigurationLoader(path: file.path, environment: [:]).load()
            }
        }
        // A deleted file is made anew, with another key.
        try FileManager.default.removeItem(atPath: path)
        #expect(try await setup(file, ["--key", "--no-questions"]).code == 0)
        let new = try ConfigurationLoader(path: file.path, environment: [:]).load().pageKey
        #expect(new?.count == 20 && new != key)
        // The service may not read the file: systemd's credential has it.
        try FileManager.default.removeItem(atPath: path)
        let credentials = try temporaryDirectory()
        try Data("from-systemd\n".utf8).write(to: credentials.appendingPathComponent("page_key"))
        let environment = ["CREDENTIALS_DIRECTORY": credentials.path]
        #expect(try ConfigurationLoader(path: file.path, environment: environment).load().pageKey == "from-systemd")
        #expect(throws: ConfigurationProblems.self) {
            try ConfigurationLoader(path: file.path, environment: [:]).load()
        }
    }

    /// The key's file is root's alone. A user's commands that serve no page need no key; one that serves it says what to
    /// do.
    @Test(.enabled(if: getuid() == 0)) func aUserNeedsNoKey() async throws {
        let file = try configuration("dashboard:\n  port: \(Broker.freePort())\n")
        #expect(try await setup(file, ["--tablets", "yes", "--no-questions"]).code == 0)
        let asUser = ["--reuid=65534", "--regid=65534", "--clear-groups", GatewayProgram.path]
        for (command, code, text) in [
            (["check-config"], Int32(0), ""), (["doctor"], 1, "others need its key"),
            (["run"], 78, "page_key can't be read by this user; run it with sudo"),
        ] {
            let child = try Child("setpriv", asUser + command + ["--config", file.path])
            #expect(try await child.exitCode() == code, "\(command): \(child.text)")
            #expect(text.isEmpty || child.text.contains(text), "\(command): \(child.text)")
        }
    }

    /// The configuration may be a link, which stays. What is no plain file is never replaced.
    @Test(.enabled(if: getuid() == 0)) func aLinkStaysAndADeviceIsRefused() async throws {
        let file = try configuration("")
        let link = file.deletingLastPathComponent().appendingPathComponent("link.yaml")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(try await setup(link, ["--id", "linked", "--no-questions"]).code == 0)
        #expect(try ConfigurationLoader(path: file.path, environment: [:]).load().gateway.id == "linked")
        #expect(try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
        // The same device as /dev/null.
        let device = file.deletingLastPathComponent().appendingPathComponent("null").path
        try #require(mknod(device, S_IFCHR | 0o666, 0x103) == 0)
        let refused = try await setup(URL(fileURLWithPath: device), ["--id", "a", "--no-questions"])
        #expect(refused.code == 78 && refused.text.contains("is not a plain file"), "\(refused.text)")
        var status = stat()
        #expect(stat(device, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    /// Tablets get a key with "yes", keep it with "no", and lose it with "open".
    @Test func tabletsGetAKey() async throws {
        let file = try configuration("")
        func keyFile(after answer: String) async throws -> String? {
            let outcome = try await setup(file, ["--tablets", answer, "--no-questions"])
            #expect(outcome.code == 0 && outcome.text.contains("/?key=") == (answer == "yes"), "\(outcome.text)")
            return try ConfigurationLoader(path: file.path, environment: [:]).load().dashboard.keyFile
        }
        let path = file.deletingLastPathComponent().path + "/page_key"
        for answer in ["yes", "yes", "no", "yes"] { #expect(try await keyFile(after: answer) == path) }
        #expect(try await keyFile(after: "open") == nil)
    }

    /// Enter keeps a value, a wrong answer is asked again, and the end of the input keeps the rest.
    @Test func questions() async throws {
        let file = try configuration("")
        let answers = #"Car 1\ncar1\n\nxx\nfr\nusb\nperhaps\ny\n"#
        let child = try Child(
            "sh", ["-c", "printf '\(answers)' | '\(GatewayProgram.path)' setup --config '\(file.path)'"])
        #expect(try await child.exitCode() == 0)
        #expect(child.text.contains("\"Car 1\" is not accepted; give one topic level"), "\(child.text)")
        #expect(child.text.contains("\"perhaps\" is not accepted; give yes, open or no"))
        #expect(child.text.contains("\"xx\" is not accepted"))
        let loaded = try ConfigurationLoader(path: file.path, environment: [:]).load()
        #expect(loaded.gateway.id == "car1")
        #expect(loaded.language == .french)
        #expect(loaded.receiver.transport == .serial)
        #expect(loaded.dashboard.address == "::" && loaded.pageKey?.count == 20)
        #expect(child.text.contains("/?key="))
        #expect(loaded.explicit["sondehub.site"] == nil)
    }

    /// A file, flags -> the exit code, and a piece of what is said. The file stays as it is.
    @Test(
        arguments: [
            ("", ["--id", "Car 1"], 64, "--id: \"Car 1\" is not accepted"),
            ("", ["--tablets", "maybe"], 64, "yes, open or no"),
            ("", ["--tablets", "open", "--key"], 64, "open has no key"),
            ("", ["--language", "pl"], 64, "--language: \"pl\" is not accepted"),
            ("", ["--receiver", "AA:BB"], 64, "AA:BB:CC:DD:EE:FF"),
            ("", ["--call-sign", "x y"], 64, "3 to 20 letters"),
            ("gateway: {id: 7 8", ["--id", "a"], 78, "not valid YAML"),
            ("sondehub:\n  enabled: false\n", ["--call-sign", "HB9XYZ"], 78, "stays as it was"),
        ] as [(String, [String], Int32, String)])
    func refuses(_ old: String, _ flags: [String], _ code: Int32, _ text: String) async throws {
        let file = try configuration(old)
        let outcome = try await setup(file, flags + ["--no-questions"])
        #expect(outcome.code == code)
        #expect(outcome.text.contains(text), "\(outcome.text)")
        #expect(try String(contentsOf: file, encoding: .utf8) == old)
        let files = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(files == ["config.yaml"])
    }

    @Test func doctorSaysInFourLinesWhatToDoNext() async throws {
        let child = try GatewayProgram.start(
            ["doctor", "--next", "--transport", "serial", "--device", "/dev/nothing", "--mqtt-port", "1"])
        #expect(try await child.exitCode() == 1)
        #expect(child.lines.count == 4, "\(child.text)")
        #expect(child.lines.first?.hasPrefix("Missing: ") == true)
        #expect(child.text.contains("sudo sondygo2mqtt setup"))
    }

    private func configuration(_ text: String) throws -> URL {
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        return file
    }

    private func setup(_ file: URL, _ flags: [String]) async throws -> (code: Int32, text: String) {
        let child = try GatewayProgram.start(["setup", "--config", file.path] + flags)
        return (try await child.exitCode(), child.text)
    }
}
