import BluetoothProtocol
import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

@Suite struct ConfigurationTests {
    /// Files that are refused -> a piece of each line that says so.
    @Test(
        arguments: [
            ("mqtt: {port: abc}", [":1: mqtt.port: \"abc\" is not accepted; give a whole number from 1 to 65535"]),
            ("mqtt:\n  hots: x\n", [":2: mqtt.hots: unknown key; did you mean mqtt.host?"]),
            ("mqtt: {port: 0}\nreceiver: {baud: 300}\nx: 1", ["mqtt.port", "receiver.baud", ":3: x: unknown key"]),
            ("mqtt: [1, 2]", ["mqtt: a list is not accepted here"]), ("- a", ["the file: a list is not accepted here"]),
            ("mqtt: {port: 1", ["not valid YAML"]), ("gateway: {id: Car 1}", ["gateway.id"]),
            ("mqtt: {host: null}", ["mqtt.host: null"]),
            ("receiver: {frequency_min: 406, frequency_max: 400}", ["not below"]),
            ("receiver: {transport: replay}", ["receiver.file"]),
            ("receiver: {address: AA-BB}", ["receiver.address: \"AA-BB\"", "AA:BB:CC:DD:EE:FF, or null"]),
            ("receiver: {adapter: usb0}", ["receiver.adapter: \"usb0\"", "hci0, 0 or the adapter's address"]),
            ("receiver: {names: []}", ["receiver.names: \"\" is not accepted; give a list"]),
            ("receiver: {names: [A, 'B,C']}", [":1: receiver.names: an item with a comma"]),
            ("mqtt: {host: [a, b]}", [":1: mqtt.host: a list is not accepted here"]),
            ("receiver: {nmaes: [A]}", ["receiver.nmaes: unknown key"]),
            ("receiver: {transport: usb}", ["ble, serial, tcp, replay, simulator"]),
            ("mqtt: {tls: {ca_file: /x}}", ["mqtt.tls.enabled"]),
            ("mqtt: {tls: {enabled: true, cert_file: /x}}", ["belong together"]),
            ("mqtt: {tls: {enabled: maybe}}", ["true, false"]),
            ("mqtt: {username: u, password_file: /nonexistent}", ["can't be read"]),
            ("mqtt: {password_file: /etc/hostname}", ["mqtt.username"]),
            ("receiver: {speed: -1}", ["receiver.speed"]), ("receiver: {speed: nan}", ["receiver.speed"]),
            ("mqtt: {base_topic: a//b}", ["base_topic"]),
            ("mqtt: {port: 1}\nmqtt: {port: 2}", ["not valid YAML"]), ("recorder: {raw: 1}", ["recorder.raw"]),
            ("\u{1}", ["not valid YAML"]),
            ("plain text", ["the file: not a mapping"]), ("7", ["the file: not a mapping"]),
        ] as [(String, [String])])
    func refusals(_ text: String, _ pieces: [String]) throws {
        let problems = try #require(try problems(text))
        for piece in pieces { #expect(problems.contains { $0.contains(piece) }, "\(problems)") }
    }

    @Test(arguments: ["", "# nothing\n", "mqtt:\n", "mqtt: {username: null}\n", "mqtt: {port: 8883}"])
    func accepted(_ text: String) throws {
        #expect(try problems(text) == nil)
    }

    @Test func flagsBeatTheEnvironmentWhichBeatsTheFile() throws {
        let path = try file("mqtt: {host: file, port: 1, base_topic: file}")
        let loader = ConfigurationLoader(
            path: path, environment: ["SONDYGO_MQTT_HOST": "environment", "SONDYGO_MQTT_PORT": "2"],
            flags: ["mqtt.host": ("--mqtt-host", "flag")])
        let configuration = try loader.load()
        #expect(configuration.mqtt.host == "flag")
        #expect(configuration.mqtt.port == 2)
        #expect(configuration.mqtt.baseTopic == "file")
    }

    /// The same in the file, a list there, and in the environment.
    @Test func receiversByNameAndAddress() throws {
        let path = try file("receiver: {names: [MySondy, Stratos], adapter: 1, address: 'd8:a0:1d:02:03:04'}")
        let fromFile = try ConfigurationLoader(path: path, environment: [:]).load().receiver
        #expect(fromFile.names == ["MySondy", "Stratos"])
        #expect(fromFile.adapter.description == "hci1")
        #expect(fromFile.address?.description == "D8:A0:1D:02:03:04")
        let environment = ["SONDYGO_RECEIVER_NAMES": "MySondy, Stratos", "SONDYGO_RECEIVER_ADAPTER": "hci1"]
        let fromEnvironment = try ConfigurationLoader(path: nil, environment: environment).load().receiver
        #expect(fromEnvironment.names == fromFile.names)
        #expect(fromEnvironment.adapter == fromFile.adapter)
    }

    @Test func unknownEnvironmentIsRefused() {
        let loader = ConfigurationLoader(path: nil, environment: ["SONDYGO_MQTT_HOTS": "x"])
        let error = #expect(throws: ConfigurationLoader.Problems.self) { try loader.load() }
        #expect(error?.lines.first?.contains("SONDYGO_MQTT_HOST") == true)
    }

    @Test func missingFileIsSaid() {
        let loader = ConfigurationLoader(path: "/nonexistent.yaml", environment: [:])
        #expect(throws: ConfigurationLoader.Problems.self) { try loader.load() }
    }

    @Test func passwordFromFileOrCredential() throws {
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
        // systemd's unit brings an empty credential where there is none.
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

    /// The example is itself a test: it documents every key, with its real default.
    @Test func theExampleHoldsEveryKeyWithItsDefault() throws {
        let path = Fixtures.url("deploy/config.example.yaml").path
        let example = try ConfigurationLoader(path: path, environment: [:]).load()
        #expect(Set(example.explicit.keys) == Set(ConfigurationKey.all.map(\.path)))
        var defaults = Configuration()
        defaults.gateway.id = "car1"
        defaults.explicit = example.explicit
        #expect(example == defaults)
    }

    @Test func theREADMENamesEveryKey() throws {
        let readme = try Fixtures.text("README.md")
        for key in ConfigurationKey.all { #expect(readme.contains("`\(key.path)`"), "\(key.path)") }
    }

    private func file(_ text: String) throws -> String {
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private func problems(_ text: String) throws -> [String]? {
        do {
            _ = try ConfigurationLoader(path: try file(text), environment: [:]).load()
            return nil
        } catch let error as ConfigurationLoader.Problems {
            return error.lines
        }
    }
}
