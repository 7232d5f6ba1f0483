import Foundation
import GatewayReports
import TestSupport
import Testing
import Yams

@testable import sondygo2mqtt

/// The add-on for Home Assistant OS follows the documented rules of add-ons, and its options are keys of ours.
/// Rules: https://developers.home-assistant.io/docs/add-ons/configuration
@Suite(.timeLimit(.minutes(10))) struct AddonTests {
    private static let folder = "deploy/homeassistant/addon/"

    private func yaml(_ name: String) throws -> [String: Any] {
        try #require(try Yams.load(yaml: try Fixtures.text(Self.folder + name)) as? [String: Any])
    }

    private var schema: [String: String] {
        get throws { try #require(try yaml("config.yaml")["schema"] as? [String: String]) }
    }

    /// The documented keys that are used, with the type of each. Those of the first row are required.
    private static let required: KeyValuePairs<String, Any.Type> = [
        "name": String.self, "version": String.self, "slug": String.self, "description": String.self,
        "arch": [String].self,
    ]
    private static let optional: KeyValuePairs<String, Any.Type> = [
        "url": String.self, "startup": String.self, "services": [String].self, "host_network": Bool.self,
        "privileged": [String].self, "uart": Bool.self, "tmpfs": Bool.self, "ingress": Bool.self,
        "ingress_port": Int.self,
        "panel_icon": String.self, "panel_title": String.self, "watchdog": String.self, "map": [[String: String]].self,
        "options": [String: Any].self, "schema": [String: String].self,
    ]

    @Test func theKeysAreDocumented() throws {
        let config = try yaml("config.yaml")
        let known = Dictionary(
            uniqueKeysWithValues: (Array(Self.required) + Array(Self.optional)).map { ($0.key, $0.value) })
        for (key, value) in config {
            let type = try #require(known[key], "\(key) is no documented key")
            #expect(Self.isOf(type, value), "\(key): \(value)")
        }
        for (key, _) in Self.required { #expect(config[key] != nil, "\(key) is required") }
        #expect(config["version"] as? String == Version.current)
        #expect((config["slug"] as? String)?.wholeMatch(of: /[-_.A-Za-z0-9]+/) != nil)
        #expect(Set(config["arch"] as? [String] ?? []).isSubset(of: ["amd64", "aarch64"]))
        #expect(
            ["initialize", "system", "services", "application", "once"].contains(config["startup"] as? String ?? ""))
        #expect(
            (config["services"] as? [String])?.allSatisfy {
                $0.wholeMatch(of: /(mqtt|mysql):(provide|want|need)/) != nil
            } == true)
        let privileges = [
            "BPF", "DAC_READ_SEARCH", "IPC_LOCK", "NET_ADMIN", "NET_RAW", "SYS_ADMIN", "SYS_NICE", "SYS_TIME",
        ]
        #expect(Set(config["privileged"] as? [String] ?? []).isSubset(of: privileges))
        #expect((config["panel_icon"] as? String)?.hasPrefix("mdi:") == true)
        #expect(
            (config["watchdog"] as? String)?.wholeMatch(of: /https?:\/\/\[HOST\]:\[PORT:8099\]\/api\/health/) != nil)
        #expect(config["ingress"] as? Bool == true && config["ingress_port"] as? Int == 8099)
    }

    private static func isOf(_ type: Any.Type, _ value: Any) -> Bool {
        switch type {
        case is String.Type: value is String
        case is Bool.Type: value is Bool
        case is Int.Type: value is Int
        case is [String].Type: value is [String]
        case is [String: String].Type: value is [String: String]
        case is [[String: String]].Type: value is [[String: String]]
        default: value is [String: Any]
        }
    }

    /// Each option has a documented type and a default, or is optional, and is a key of our configuration.
    @Test func theOptionsAreKeysOfOurs() throws {
        let element =
            /(bool|email|url|port|device(\(subsystem=[a-z]+\))?|(str|password|int)(\(\d*,\d*\))?|float(\([\d.]*,[\d.]*\))?|match\(.*\)|list\(.+\))\??/
        let schema = try schema
        let options = try #require(try yaml("config.yaml")["options"] as? [String: Any])
        #expect(Set(options.keys).isSubset(of: Set(schema.keys)))
        for (name, type) in schema {
            #expect(type.wholeMatch(of: element) != nil, "\(name): \(type)")
            #expect(type.hasSuffix("?") != (options[name] != nil), "\(name) has a default, or is optional")
            guard name != "mqtt_password" else { continue }
            let key = ConfigurationKey.all.first { $0.environmentName == "SONDYGO_" + name.uppercased() }
            #expect(key != nil, "\(name) is no key")
            // What the list offers is accepted.
            for word in type.firstMatch(of: /list\((.+)\)/)?.1.split(separator: "|") ?? [] {
                var scratch = Configuration()
                #expect(key?.apply(&scratch, String(word)) == true, "\(name): \(word)")
            }
        }
        #expect(
            schema["announce_language"] == "list(\(Language.allCases.map(\.rawValue).joined(separator: "|")))")
    }

    /// The form names each option in each language that has a file, else in English. The manual has each.
    @Test func theFormNamesEachOption() throws {
        let folder = Fixtures.url(Self.folder + "translations").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(files).isSubset(of: Language.allCases.map { "\($0.rawValue).yaml" }) && files.contains("en.yaml"))
        for file in files {
            let names = try #require(try yaml("translations/\(file)")["configuration"] as? [String: [String: String]])
            #expect(try Set(names.keys) == Set(schema.keys), "\(file)")
            #expect(names.values.allSatisfy { Set($0.keys) == ["name", "description"] }, "\(file)")
        }
        let manual = try Fixtures.text(Self.folder + "DOCS.md")
        for name in try schema.keys { #expect(manual.contains("`\(name)`"), "\(name)") }
    }

    /// The image has the labels of a local add-on, and is built on a base for each architecture.
    @Test func theImageHasTheLabels() throws {
        let file = try Fixtures.text(Self.folder + "Dockerfile")
        for label in ["io.hass.version=", "io.hass.type=\"addon\"", "io.hass.arch="] { #expect(file.contains(label)) }
        #expect(file.hasPrefix("ARG BUILD_FROM\nFROM $BUILD_FROM\n"))
        let bases = try #require(try yaml("build.yaml")["build_from"] as? [String: String])
        let architectures = try #require(try yaml("config.yaml")["arch"] as? [String])
        #expect(Set(bases.keys) == Set(architectures))
        let image = /([a-zA-Z\-.:\d{}]+\/)*?([-\w{}]+)\/([-\w{}]+)(:[.\-\w{}]+)?/
        #expect(bases.values.allSatisfy { $0.wholeMatch(of: image) != nil })
    }

    /// The defaults and Home Assistant's broker make a configuration that holds.
    @Test func startsWithHomeAssistantsBroker() async throws {
        let service =
            #"{"result":"ok","data":{"host":"core-mosquitto","port":1884,"ssl":false,"protocol":"3.1.1","username":"addons","password":"it's $secret"}}"#
        let start = try await start(
            options: try yaml("config.yaml")["options"] as? [String: Any] ?? [:], service: service)
        #expect(start.code == 0, "\(start.text)")
        for line in [
            "ARGUMENTS run --config /dev/null", "SONDYGO_MQTT_HOST=core-mosquitto", "SONDYGO_MQTT_PORT=1884",
            "SONDYGO_MQTT_USERNAME=addons", "SONDYGO_GATEWAY_ID=home", "SONDYGO_DASHBOARD_PORT=8099",
            "SONDYGO_DASHBOARD_ONLY_FROM=172.30.32.2", "SONDYGO_DASHBOARD_FRAME_FROM=self", "configuration ok",
        ] {
            #expect(start.text.contains(line), "\(line) in \(start.text)")
        }
        let password = start.folder.appendingPathComponent("data/mqtt_password")
        #expect(try String(contentsOf: password, encoding: .utf8) == "it's $secret\n")
        #expect(!start.text.contains("it's $secret"))
    }

    /// Without a broker the page works. The user's own file counts after the options.
    @Test func startsWithoutABroker() async throws {
        let options: [String: Any] = [
            "gateway_id": "it's me", "announce_language": "fr", "sondehub_latitude": 52.52, "sondehub_longitude": 13.4,
            "receiver_address": "",
        ]
        let start = try await start(options: options, service: nil, own: "recorder: {raw: true}\n")
        #expect(start.text.contains("Home Assistant has no MQTT broker"))
        #expect(
            start.text.contains("SONDYGO_GATEWAY_ID=it's me") && start.text.contains("SONDYGO_SONDEHUB_LATITUDE=52.52"))
        #expect(start.text.contains("config/sondygo2mqtt.yaml") && !start.text.contains("RECEIVER_ADDRESS"))
        // No command is run out of an option, and a wrong one is named.
        #expect(start.code != 0 && start.text.contains("gateway.id"), "\(start.text)")
    }

    /// Runs `start` with `sondygo2mqtt` and `curl` in its path that show what they get.
    private func start(
        options: [String: Any], service: String?, own: String? = nil
    ) async throws -> (code: Int32, text: String, folder: URL) {
        let folder = try temporaryDirectory()
        for name in ["data", "config", "bin"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        try JSONSerialization.data(withJSONObject: options).write(
            to: folder.appendingPathComponent("data/options.json"))
        if let own { try Data(own.utf8).write(to: folder.appendingPathComponent("config/sondygo2mqtt.yaml")) }
        let program = """
            #!/bin/sh
            echo "ARGUMENTS $*"
            env | grep ^SONDYGO_
            shift
            exec \(GatewayProgram.path) check-config "$@"

            """
        let curl = service.map { "#!/bin/sh\ncat <<'END'\n\($0)\nEND\n" } ?? "#!/bin/sh\nexit 22\n"
        for (name, text) in [("sondygo2mqtt", program), ("curl", curl)] {
            let file = folder.appendingPathComponent("bin/\(name)")
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        let path = folder.appendingPathComponent("bin").path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let child = try Child(
            Fixtures.url(Self.folder + "start").path, [folder.path],
            environment: ["PATH": path, "SUPERVISOR_TOKEN": "x"])
        let code = try await child.exitCode()
        return (Int32(code), child.wholeText, folder)
    }
}
