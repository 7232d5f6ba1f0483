import BluetoothProtocol
import FlightMath
import Foundation
import Gateway
import GatewayReports
import TestSupport
import Testing

@testable import sondygo2mqtt

/// `setup` writes the configuration, and keeps all keys that the answers do not change.
@Suite(.timeLimit(.minutes(10))) struct SetupTests {
    /// The keys of one file, each section once.
    @Test func theFileOfTheAnswers() {
        let entries = [
            "mqtt.host": "\"a\"", "gateway.id": "\"car1\"", "feeds.chase_car.enabled": "true",
            "feeds.rdz.enabled": "true",
        ]
        #expect(
            SetupFile.yaml(entries) == """
                feeds:
                  chase_car:
                    enabled: true
                  rdz:
                    enabled: true
                gateway:
                  id: "car1"
                mqtt:
                  host: "a"

                """)
    }

    @Test func flagsWriteTheConfigurationAndCanBeRepeated() async throws {
        let ours = "# Ours.\nmqtt:\n  host: broker.example # in the club\nsondehub: {url: 'http://127.0.0.1:1'}\n"
        let file = try configuration(ours)
        let flags = [
            "--id", "car7", "--site", "10739", "--place", "52.52,13.4", "--language", "de", "--receiver",
            "AA:BB:CC:DD:EE:FF", "--tablets",
            "open", "--call-sign", "HB9XYZ",
        ]
        #expect(try await setup(file, flags + ["--no-questions"]).code == 0)
        let answers = try String(contentsOf: answersFile(of: file), encoding: .utf8)
        #expect(try String(contentsOf: file, encoding: .utf8) == ours, "the user's own file stays as it is")
        let loaded = try load(file)
        #expect(loaded.gateway.id == "car7" && loaded.mqtt.hosts == ["broker.example"])
        #expect(loaded.sondeHub.latitude == 52.52 && loaded.sondeHub.longitude == 13.4)
        #expect(loaded.sondeHub.site == "10739")
        #expect(loaded.language == .german)
        #expect(loaded.receiver.ble.address?.description == "AA:BB:CC:DD:EE:FF")
        #expect(loaded.dashboard.address == "::" && loaded.dashboard.keyFile == nil)
        #expect(loaded.feeds.chaseCar.callSign == "HB9XYZ")
        let again = try await setup(file, flags + ["--no-questions"])
        #expect(again.text.contains("Alle Antworten gelten schon"), "\(again.text)")
        #expect(try String(contentsOf: answersFile(of: file), encoding: .utf8) == answers)
        // Sets a new box's values again.
        let defaults = [
            "--language", "en", "--receiver", "first", "--tablets", "no", "--call-sign", "none", "--place", "gps",
            "--site", "none", "--no-questions",
        ]
        #expect(try await setup(file, defaults).code == 0)
        let back = try load(file)
        #expect(back.language == .english)
        #expect(back.receiver.ble.address == nil)
        #expect(back.dashboard.address == "127.0.0.1")
        #expect(!back.feeds.chaseCar.isEnabled)
        #expect(back.sondeHub.site == nil && back.sondeHub.latitude == nil)
    }

    /// What the user's own file says counts, and setup says so.
    @Test func theUsersOwnFileCounts() async throws {
        let file = try configuration("announce: {language: fr}\n")
        let refused = try await setup(file, ["--language", "de", "--no-questions"])
        #expect(refused.code == 78)
        #expect(refused.text.contains("announce.language stands in \(file.path), and that counts"), "\(refused.text)")
        #expect(try await setup(file, ["--language", "fr", "--id", "car1", "--no-questions"]).code == 0)
        let loaded = try load(file)
        #expect(loaded.language == .french && loaded.gateway.id == "car1")
    }

    /// The broker is tested before it is kept. Its password is in a file that only the owner reads.
    @Test func theBroker() async throws {
        let file = try configuration("")
        let port = Broker.freePort()
        let silent = try await setup(file, ["--mqtt-host", "127.0.0.1:\(port)", "--no-questions"])
        #expect(silent.code == 69 && silent.text.contains("the broker stays as it was"), "\(silent.text)")
        #expect(silent.text.contains("no broker at 127.0.0.1:\(port): is mosquitto running?"), "\(silent.text)")
        #expect(access(answersFile(of: file).path, F_OK) != 0)
        let broker = try await Broker()
        let secret = file.deletingLastPathComponent().appendingPathComponent("secret")
        try Data("to the club\n".utf8).write(to: secret)
        let kept = try await setup(
            file,
            [
                "--mqtt-host", "127.0.0.1:\(broker.port)", "--mqtt-user", "anna", "--mqtt-password-file", secret.path,
                "--no-questions",
            ])
        #expect(kept.code == 0, "\(kept.text)")
        let loaded = try load(file)
        #expect(loaded.mqtt.hosts == ["127.0.0.1"] && loaded.mqtt.port == broker.port)
        #expect(loaded.mqtt.username == "anna" && loaded.password == "to the club")
        let password = file.deletingLastPathComponent().path + "/mqtt_password"
        let mode = try FileManager.default.attributesOfItem(atPath: password)[.posixPermissions] as? Int
        #expect(mode == 0o600 && !kept.text.contains("to the club"))
    }

    /// A site by its name, by a number of the list, with an accent; what is not in the list is refused.
    @Test(
        arguments: [
            ("Payerne", "06610", nil), ("payer", "06610", nil), ("06610", "06610", nil), ("none", "none", nil),
            ("munchen", "10868", nil), ("6610", nil, "06610 (Payerne)"), ("99999", nil, ""), ("Pay", "06610", nil),
            ("Berlin", nil, ""), ("chen", nil, "10868 (München-Oberschleißheim)"),
        ] as [(String, String?, String?)])
    func sites(_ answer: String, _ number: String?, _ suggestion: String?) throws {
        func site(_ id: String, _ name: String, _ latitude: Double) -> LaunchSite {
            LaunchSite(
                id, name: name, coordinate: Coordinate(latitude: latitude, longitude: 10), altitudeMetres: 400,
                times: [])
        }
        let list = SiteList([
            site("06610", "Payerne", 46.8), site("10868", "München-Oberschleißheim", 48.2),
            site("10393", "Lindenberg", 52.2),
        ])
        switch SetupDialog.site(answer, in: list) {
        case .success(let found): #expect(found == number)
        case .failure(let refusal):
            #expect(number == nil)
            let text = try #require(suggestion)
            #expect(text.isEmpty ? refusal.suggestion.isEmpty : refusal.suggestion.contains(text))
        }
        #expect(list.nearest(to: Coordinate(latitude: 52.5, longitude: 10)).first?.site.name == "Lindenberg")
    }

    /// Without SondeHub the number can't be checked, but must look like one.
    @Test func sitesWithoutANetwork() {
        for (answer, isTaken) in [("10393", true), ("Payerne", false), ("none", true), ("", false)] {
            switch SetupDialog.site(answer, in: nil) {
            case .success: #expect(isTaken)
            case .failure: #expect(!isTaken)
            }
        }
    }

    /// Each language has every question, and what it accepts.
    @Test(arguments: Language.allCases) func everyQuestionInEachLanguage(_ language: Language) {
        let texts = SetupTexts(language)
        #expect(SetupQuestion.allCases.allSatisfy { !texts.question($0).isEmpty && !texts.accepted($0).isEmpty })
        #expect(Set(SetupQuestion.allCases.map(texts.question)).count == SetupQuestion.allCases.count)
        #expect(texts.accepted(.language) == SetupQuestion.languages)
        let refused = texts.refused("purple", .roads)
        #expect(refused.contains("purple") && refused.contains(texts.accepted(.roads)))
        #expect(texts.noSuchSite("Atlantis", SetupDialog.NoSuchSite()).contains("Atlantis"))
    }

    /// The old name's device leaves Home Assistant.
    @Test func theOldNameIsForgotten() async throws {
        let broker = try await Broker()
        let file = try configuration("mqtt: {host: 127.0.0.1, port: \(broker.port)}\n")
        #expect(try await setup(file, ["--id", "old", "--no-questions"]).code == 0)
        for topic in ["sondygo/old/state", "homeassistant/device/sondygo_old/config"] {
            let child = try Child(
                "mosquitto_pub", ["-p", "\(broker.port)", "-r", "-t", topic, "-m", "{}"])
            #expect(try await child.exitCode() == 0)
        }
        let renamed = try await setup(file, ["--id", "car1", "--no-questions"])
        #expect(renamed.code == 0)
        #expect(renamed.text.contains("Removed what old had left"), "\(renamed.text)")
    }

    /// `--key` makes a key once, readable by its owner only, and shows the link.
    @Test func aKeyForThePage() async throws {
        let file = try configuration("")
        let made = try await setup(file, ["--key", "--tablets", "yes", "--no-questions"])
        #expect(made.code == 0, "\(made.text)")
        let loaded = try load(file)
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
                try load(file)
            }
        }
        // A deleted file is made anew, with another key.
        try FileManager.default.removeItem(atPath: path)
        #expect(try await setup(file, ["--key", "--no-questions"]).code == 0)
        let new = try load(file).pageKey
        #expect(new?.count == 20 && new != key)
        // The service may not read the file: systemd's credential has it.
        try FileManager.default.removeItem(atPath: path)
        let credentials = try temporaryDirectory()
        try Data("credential-of-systemd\n".utf8).write(to: credentials.appendingPathComponent("page_key"))
        let environment = ["CREDENTIALS_DIRECTORY": credentials.path]
        #expect(
            try ConfigurationLoader(
                path: file.path, environment: environment.merging(stateDirectory(of: file)) { $1 }
            ).load().pageKey == "credential-of-systemd")
        #expect(throws: ConfigurationProblems.self) {
            try load(file)
        }
    }

    /// The key's file is root's alone. A user's commands that serve no page need no key; one that serves it says what to
    /// do.
    @Test(.enabled(if: getuid() == 0)) func aUserNeedsNoKey() async throws {
        let file = try configuration("")
        let folder = file.deletingLastPathComponent().path
        let text = "dashboard:\n  port: \(Broker.freePort())\ngateway: {state_directory: '\(folder)'}\n"
        try Data(text.utf8).write(to: file)
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
        #expect(try load(file).gateway.id == "linked")
        #expect(try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
        // The same device as /dev/null.
        let device = file.deletingLastPathComponent().appendingPathComponent("null").path
        try #require(mknod(device, S_IFCHR | 0o666, 0x103) == 0)
        // The answers go into a file of their own, so the device stays.
        _ = try await setup(URL(fileURLWithPath: device), ["--id", "a", "--no-questions"])
        var status = stat()
        #expect(stat(device, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    /// Tablets get a key with "yes", keep it with "no", and lose it with "open".
    @Test func tabletsGetAKey() async throws {
        let file = try configuration("")
        func keyFile(after answer: String) async throws -> String? {
            let outcome = try await setup(file, ["--tablets", answer, "--no-questions"])
            #expect(outcome.code == 0 && outcome.text.contains("/?key=") == (answer == "yes"), "\(outcome.text)")
            return try load(file).dashboard.keyFile
        }
        let path = file.deletingLastPathComponent().path + "/page_key"
        for answer in ["yes", "yes", "no", "yes"] { #expect(try await keyFile(after: answer) == path) }
        #expect(try await keyFile(after: "open") == nil)
    }

    /// A word for none in any language is no call sign: else everybody would see the car under that name.
    @Test(arguments: ["none", "no", "nein", "Keines", "aucun", "nessuno", "ninguno", "brak", "nope"])
    func aWordForNoneIsNone(_ word: String) {
        #expect(SetupQuestion.callSign.values(for: word) == ["feeds.chase_car.enabled": "false"])
        #expect(SetupQuestion.user.values(for: word) == ["mqtt.username": "null"])
        #expect(SetupQuestion.site.values(for: word) == ["sondehub.site": "null"])
    }

    /// Languages are taken by their names, too, and yes and no are shown in the language.
    @Test func languagesByName() {
        #expect(SetupQuestion.language.values(for: "Deutsch") == ["announce.language": "\"de\""])
        #expect(SetupQuestion.shown("no", in: .german) == "nein" && SetupQuestion.shown("car1", in: .german) == "car1")
    }

    /// Without SondeHub's list the fault is not the name's.
    @Test func aSiteWhileSondeHubIsSilent() {
        guard case .failure(let refusal) = SetupDialog.site("Payerne", in: nil) else {
            Issue.record("a name was taken unchecked")
            return
        }
        let text = SetupTexts(.english).noSuchSite("Payerne", refusal)
        #expect(text.contains("SondeHub does not answer") && !text.contains("Payerne"))
    }

    /// Enter keeps a value, a wrong answer is asked again, and the end of the input keeps the rest. The first question is
    /// the language, and the others are asked in it.
    @Test func questions() async throws {
        let file = try configuration("sondehub: {url: 'http://127.0.0.1:1'}\n")
        let answers = #"xx\nfr\n\n\nCar 1\ncar1\nusb\n52.52,13.4\n\nperhaps\noui\n"#
        let command = "printf '\(answers)' | '\(GatewayProgram.path)' setup --config '\(file.path)'"
        let child = try Child(
            "env", stateDirectory(of: file).map { "\($0.key)=\($0.value)" } + ["sh", "-c", command])
        #expect(try await child.exitCode() == 0, "\(child.text)")
        #expect(child.text.contains("\"xx\" is not accepted; give \(SetupQuestion.languages)"), "\(child.text)")
        #expect(child.text.contains("« Car 1 » n'est pas accepté"), "\(child.text)")
        #expect(child.text.contains("« perhaps » n'est pas accepté ; donnez oui, open ou non"))
        #expect(child.text.contains("Question au broker …\n  "), "the broker is asked")
        let loaded = try load(file)
        #expect(loaded.gateway.id == "car1" && loaded.language == .french)
        #expect(loaded.receiver.transport == SerialSettings.name && loaded.sondeHub.latitude == 52.52)
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
            ("", ["--language", "nl"], 64, "--language: \"nl\" is not accepted"),
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
        let child = try GatewayProgram.start(
            ["setup", "--config", file.path] + flags, environment: stateDirectory(of: file))
        return (try await child.exitCode(), child.text)
    }

    private func stateDirectory(of file: URL) -> [String: String] {
        ["SONDYGO_GATEWAY_STATE_DIRECTORY": file.deletingLastPathComponent().path]
    }

    private func answersFile(of file: URL) -> URL {
        file.deletingLastPathComponent().appendingPathComponent("setup.yaml")
    }

    private func load(_ file: URL) throws -> Configuration {
        try ConfigurationLoader(path: file.path, environment: stateDirectory(of: file)).load()
    }
}
