import Alerts
import Foundation
import GatewayReports
import MosquittoClient
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The password and the alerts, which hold secrets.
extension ConfigurationTests {
    /// A password in an address is in no message.
    @Test(
        arguments: [
            ("mqtt://user:Secret99@host", "mqtt://***@host"), ("user:Secret99@host:1883", "***@host:1883"),
            ("broker.example", "broker.example"), ("mqtt://host", "mqtt://host"), ("a@b@host", "***@host"),
        ])
    func aPasswordInAnAddressIsNotTold(_ text: String, _ shown: String) throws {
        #expect(text.withoutLogin == shown)
    }

    @Test(arguments: ["\u{FEFF}secret\n", "secret\r\n", "secret", "secret\n\n\r\n"])
    func aPasswordFileOfAnEditor(_ text: String) throws {
        let path = try temporaryDirectory().appendingPathComponent("p").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try PasswordFile(path).password() == "secret")
    }

    @Test func thePasswordIsReadFromFileOrCredential() throws {
        let folder = try temporaryDirectory()
        try Data("secret\n".utf8).write(to: folder.appendingPathComponent("mqtt_password"))
        let credential = ConfigurationLoader(
            path: try file("mqtt: {username: u}"), environment: ["CREDENTIALS_DIRECTORY": folder.path])
        #expect(try credential.load().password == "secret")
        let path = folder.appendingPathComponent("mqtt_password").path
        let direct = ConfigurationLoader(
            path: try file("mqtt: {username: u, password_file: \(path)}"), environment: [:])
        let configuration = try direct.load()
        #expect(configuration.password == "secret")
        #expect(!configuration.explicit.values.contains { $0.contains("secret") })
        // systemd provides an empty credential if the file is missing.
        let empty = try temporaryDirectory()
        try Data("\n".utf8).write(to: empty.appendingPathComponent("mqtt_password"))
        let none = ConfigurationLoader(
            path: try file("mqtt: {username: u}"), environment: ["CREDENTIALS_DIRECTORY": empty.path])
        #expect(try none.load().password == nil)
        // For `sudo sondygo2mqtt send`.
        try Data("mqtt: {username: u}".utf8).write(to: folder.appendingPathComponent("config.yaml"))
        let beside = ConfigurationLoader(
            path: folder.path + "/config.yaml", environment: ["CREDENTIALS_DIRECTORY": empty.path])
        #expect(try beside.load().password == "secret")
    }

    /// A thing in the password file's place -> the message. The file beside the configuration gives the same message.
    @Test func unreadablePasswordFilesAreRefused() throws {
        let folder = try temporaryDirectory()
        let path = { (name: String) in folder.appendingPathComponent(name).path }
        let write = { (name: String, bytes: Data) in try bytes.write(to: folder.appendingPathComponent(name)) }
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: path("dangling"), withDestinationPath: "/nonexistent")
        try write("empty", Data())
        try write("line", Data("\n".utf8))
        try write("latin1", Data([0x73, 0xE9, 0x0A]))
        try write("long", Data(repeating: 65, count: 70_000))
        let cases = [
            ("folder", "is a directory; give a text file"), ("pipe", "is not a plain file; give a text file"),
            ("dangling", "can't be read: No such file or directory"), ("empty", "is empty; write the password into it"),
            ("line", "is empty"), ("latin1", "is not UTF-8 text"), ("long", "is longer than 4096 bytes"),
        ]
        for (name, words) in cases {
            let named = try problems("mqtt: {username: u, password_file: \(path(name))}")
            #expect(named?.count == 1)
            #expect(named?.first?.hasPrefix("mqtt.password_file: \(path(name)) \(words)") == true, "\(named ?? [])")
            let configuration = try file("mqtt: {username: u}")
            let beside = configuration.replacingOccurrences(of: "config.yaml", with: "mqtt_password")
            try FileManager.default.moveItem(atPath: path(name), toPath: beside)
            let error = #expect(throws: ConfigurationLoader.Problems.self) {
                try ConfigurationLoader(path: configuration, environment: [:]).load()
            }
            #expect(error?.lines.count == 1)
            #expect(error?.lines.first?.hasPrefix("\(beside) \(words)") == true, "\(error?.lines ?? [])")
        }
        let without = ConfigurationLoader(path: try file("mqtt: {username: u}"), environment: [:])
        #expect(try without.load().password == nil)
    }

    /// The file's text -> the password.
    @Test(arguments: [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a"), ("a \n", "a "), ("a\r", "a")])
    func onlyNewlinesAreCutFromThePassword(_ text: String, _ password: String) throws {
        let configuration = try file("mqtt: {username: u}")
        let beside = configuration.replacingOccurrences(of: "config.yaml", with: "mqtt_password")
        try Data(text.utf8).write(to: URL(fileURLWithPath: beside))
        // Compares bytes.
        let loaded = try ConfigurationLoader(path: configuration, environment: [:]).load()
        #expect(loaded.password.map { Array($0.utf8) } == Array(password.utf8))
    }

    /// With `--config config.yaml` it is the current directory, not the root.
    @Test(arguments: [
        ("config.yaml", "./mqtt_password"), ("a/config.yaml", "a/mqtt_password"), ("/config.yaml", "/mqtt_password"),
        ("/etc/sondygo2mqtt/config.yaml", "/etc/sondygo2mqtt/mqtt_password"),
    ])
    func thePasswordIsLookedForBesideTheFile(_ configuration: String, _ password: String) {
        #expect(PasswordFile(beside: configuration).path == password)
    }

    @Test(arguments: [
        ("alerts: 5", "alerts: give a list of entries with url"), ("alerts: {url: x}", "alerts.url: give a list"),
        ("alerts: [x]", "alerts: give entries with keys"), ("alerts: [{method: PUT}]", "alerts.1: needs a url"),
        ("alerts: [{url: http://ntfy.sh/x}]", "alerts.1.url: not accepted; give an https URL"),
        ("alerts: [{url: https://u:p@ntfy.sh/x}]", "alerts.1.url: not accepted"),
        ("alerts: [{url: \"https://a/{txt}\"}]", "alerts.1.url: {txt} is no placeholder here; known are {text}"),
        ("alerts: [{url: \"https://a/{\"}]", "alerts.1.url: \"{\" can't stand in an address; write %7B"),
        ("alerts: [{url: https://a/, body: \"{text} {speed}\"}]", "alerts.1.body: {speed} is no placeholder"),
        ("alerts: [{url: https://a/, body: '{\"a\":\"{Text}\"}'}]", "alerts.1.body: {Text} is no placeholder"),
        ("alerts: [{url: https://a/, headers: {X: \"{url}\"}}]", "alerts.1.headers.X: {url} is no placeholder"),
        ("alerts: [{url: \"https://a/b c?t={text}\"}]", "alerts.1.url: \" \" can't stand in an address; write %20"),
        ("alerts: [{url: \"https://a/ü\"}]", "\"ü\" can't stand in an address; write %C3%BC"),
        ("alerts: [{url: \"https://a/100%\"}]", "\"%\" can't stand in an address; write %25"),
        ("alerts: [{url: https://a/, events: [bang]}]", "alerts.1.events: give names of events, not \"bang\""),
        (
            "alerts: [{url: https://a/, events: [receiver_los]}]",
            "alerts.1.events: give names of events, not \"receiver_los\"; did you mean \"receiver_lost\"?"
        ),
        ("alerts: [{url: https://a/, method: DELETE}]", "alerts.1.method: give POST"),
        ("alerts: [{url: https://a/, max_per_hour: 0}]", "alerts.1.max_per_hour: give a whole number"),
        ("alerts: [{url: https://a/, max_per_hour: \"20\"}]", "alerts.1.max_per_hour: give a whole number"),
        ("alerts: [{url: https://a/, body: 5}]", "alerts.1.body: give a text"),
        ("alerts: [{url: 5}]", "alerts.1.url: give a text"),
        ("alerts: [{url: https://a/, only_if: {within_km: \"5\"}}]", "alerts.1.only_if.within_km: give a number"),
        ("alerts: [{url: \"https://{text}/\"}]", "alerts.1.url: a placeholder can't stand in the host"),
        ("alerts: [{url: https://a/, only_if: {within_km: near}}]", "alerts.1.only_if.within_km: give a number"),
        ("alerts: [{url: https://a/, headers: {Host: b}}]", "alerts.1.headers.Host: is no header"),
        ("alerts: [{url: https://a/, headers: {X: \"a\\nb\"}}]", "alerts.1.headers.X: is no header"),
        ("alerts: [{url: https://a/, headers_file: /nonexistent}]", "can't be read"),
        ("alerts: [{url: https://a/, headers_file: /etc/hostname}]", "a line that is no header"),
        ("alerts: [{url: https://a/, colour: red}]", "alerts.1.colour: unknown key"),
        ("alerts: [\(String(repeating: "{url: https://a/},", count: 9))]", "alerts.9.url: more than 8"),
    ])
    func alertsAreChecked(_ text: String, _ part: String) throws {
        let problems = try problems(text) ?? []
        #expect(problems.contains { $0.contains(part) }, "\(problems)")
    }

    /// A row of the configuration says whether its value is public. Of an address only the host is ever shown.
    @Test func keysInAddressesStaySecret() throws {
        let text = """
            route: {url: "https://route.example/v1/k3y"}
            prediction: {url: "https://tawhiri.example:8443/api/k3y/"}
            sondehub: {url: "https://hub.example/k3y", stream: "wss://stream.example/k3y", site: "10739"}
            dashboard:
              tiles: {url: "https://tiles.example/{z}/{x}/{y}.png?key=k3y", attribution: the maker}
              satellite: {url: "https://pictures.example/{z}/{x}/{y}.jpg?key=k3y", attribution: the maker}
              maps: /home/crew/maps
            mqtt: {host: broker.example, client_id: k3y}
            flight: {terrain: /home/crew/terrain}
            """
        let path = try file(text)
        let configuration = try ConfigurationLoader(path: path, environment: [:]).load()
        let info = configuration.info.settings.map { "\($0)" }.joined()
        #expect(!info.contains("k3y") && !info.contains("crew"), "\(info)")
        let keys: Set = [
            "sondehub.site", "mqtt.host", "dashboard.tiles.attribution", "dashboard.satellite.attribution",
        ]
        #expect(Set(configuration.info.settings.map(\.key)) == keys)
        for key in ConfigurationKey.all where key.isAddress {
            #expect(!key.isPublic)
            let shown = configuration.explicit[key.path].map(key.displayed)
            #expect(shown?.contains("k3y") != true && shown?.hasSuffix("/…") == true, "\(shown ?? "")")
        }
        #expect(ConfigurationKey.withoutKey("https://u:k3y@a.example:1/") == "https://a.example:1")
        // A refused value is not shown either.
        let refused = try problems("dashboard: {tiles: {url: \"https://tiles.example/{z}?key=k3y\"}}") ?? []
        #expect(refused.count == 1 && !refused.joined().contains("k3y"), "\(refused)")
    }

    /// The secret comes from systemd's credential, or from the file beside the configuration, and is never shown.
    @Test func theSecretsOfAlertsAreRead() throws {
        let text = """
            alerts:
            - url: https://api.telegram.org/bot{secret}/sendMessage
              secret: telegram
            - url: https://gotify.example/message
              headers: {X-Gotify-Key: "{secret}"}
              secret: gotify
            """
        let path = try file(text)
        let lines = "# comment\ntelegram: 12:AB\ngotify:  k3y\n"
        try Data(lines.utf8).write(to: URL(fileURLWithPath: path.replacing("config.yaml", with: "alert_secrets")))
        let beside = try ConfigurationLoader(path: path, environment: [:]).load()
        #expect(beside.alerts.targets.map(\.secret) == ["12:AB", "k3y"])
        // systemd hands over an empty file if there is none.
        let empty = try temporaryDirectory()
        try Data("\n".utf8).write(to: empty.appendingPathComponent("alert_secrets"))
        let service = ["CREDENTIALS_DIRECTORY": empty.path]
        #expect(try ConfigurationLoader(path: path, environment: service).load().alerts == beside.alerts)
        try Data("telegram: a\ngotify: b\n".utf8).write(to: empty.appendingPathComponent("alert_secrets"))
        let loaded = try ConfigurationLoader(path: path, environment: service).load()
        #expect(loaded.alerts.targets.map(\.secret) == ["a", "b"])
        let shown = beside.alerts.findings.map(\.line).joined() + beside.info.settings.map { "\($0)" }.joined()
        #expect(!shown.contains("k3y") && !shown.contains("12:AB"))
    }

    @Test(
        arguments: [
            ("{url: \"https://a/{secret}\"}", "alerts.1.secret: {secret} needs the name of a line of"),
            ("{url: \"https://a/{secret}\", secret: x}", "alerts.1.secret: there is no file"),
            ("{url: https://a/, secret: x}", "alerts.1.secret: x has no place: write {secret} in url or headers"),
            ("{url: https://a/, secret: \"a b\"}", "alerts.1.secret: give a name of 1 to 32 letters"),
            ("{url: https://a/, body: \"{secret}\"}", "alerts.1.body: {secret} is no placeholder here"),
            ("{url: \"https://{secret}/\"}", "alerts.1.url: a placeholder can't stand in the host"),
        ])
    func secretsThatAreMissingAreTold(_ entry: String, _ part: String) throws {
        let problems = try problems("alerts: [\(entry)]") ?? []
        #expect(problems.contains { $0.contains(part) }, "\(problems)")
    }

    /// JSON's own braces are no placeholders, and the value of a header file is not shown.
    @Test func onlyWordsInBracesArePlaceholders() throws {
        let json = #"{"a": {}, "b": {"c": "{text}{"}, "d": "{ x }"}"#
        #expect(try problems("alerts: [{url: https://a/, body: '\(json)'}]") == nil)
        let secret = try file("X-Key: {token}\n")
        let problems = try #require(try problems("alerts: [{url: https://a/, headers_file: \(secret)}]"))
        #expect(problems.contains { $0.contains("has an unknown placeholder; known are {text}") }, "\(problems)")
        #expect(!problems.contains { $0.contains("token") })
    }

    @Test func theAlertsOfTheDocumentationAreAccepted() throws {
        let text = try Fixtures.text("deploy/doc/alerts.md")
        let example = try #require(
            text.components(separatedBy: "```yaml\n").dropFirst().first { $0.hasPrefix("alerts:") })
        let path = try file(example.components(separatedBy: "```")[0])
        try Data("telegram: bot123456\ngotify: a\nmatrix: secret\n".utf8)
            .write(to: URL(fileURLWithPath: path.replacing("config.yaml", with: "alert_secrets")))
        let configuration = try ConfigurationLoader(path: path, environment: [:]).load()
        let targets = configuration.alerts.targets
        #expect(targets.map(\.host).first == "ntfy.sh" && targets.count == 5)
        #expect(targets[3].headers == [.init("Authorization", value: "Bearer {secret}")])
        #expect(targets[3].secret == "secret")
        #expect(targets.last?.withinKilometres == 30 && targets.last?.events == [.landed])
        let shown = configuration.info.settings.map { "\($0)" } + configuration.alerts.findings.map(\.line)
        #expect(shown.allSatisfy { !$0.contains("secret") && !$0.contains("bot123456") })
    }
}
