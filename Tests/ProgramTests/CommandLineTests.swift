import Foundation
import TestSupport
import Testing

@testable import sondygo2mqtt

@Suite(.timeLimit(.minutes(10))) struct CommandLineTests {
    /// A wrong command line exits with 64, a wrong file or environment with 78.
    @Test(
        arguments: [
            (["check-config", "--mqtt-port", "0"], 64, "--mqtt-port: mqtt.port: 0 is not accepted"),
            (["check-config", "--id", "Car 1"], 64, "--id: gateway.id"),
            (["run", "--transport", "usb"], 64, "ble, serial, tcp, replay, simulator"),
            (["run", "--transport", "replay"], 64, "receiver.file: needed"),
            (["simulate", "--speed", "nan"], 64, "--speed: receiver.speed"),
            (["simulate", "--speed=-1"], 64, "--speed: receiver.speed"), (["simulate", "--seed", "x"], 64, "--seed"),
            (["simulate", "--frequency", "nan"], 64, "400 to 406"), (["simulate", "--burst", "inf"], 64, "--burst"),
            (["simulate", "--launch-delay", "1e30"], 64, "--launch-delay"),
            (["scan", "--seconds", "99999999999999999999"], 64, "--seconds"),
            (["replay", "/etc/hostname", "--speed", "1e30"], 64, "--speed"), (["run", "--nonsense"], 64, "Usage"),
        ] as [([String], Int32, String)])
    func wrongCommandLinesExitWith64(_ arguments: [String], _ code: Int32, _ text: String) async throws {
        let child = try GatewayProgram.start(arguments)
        #expect(try await child.exitCode() == code)
        #expect(child.text.contains(text), "\(child.text)")
    }

    @Test(arguments: ["nan", "inf", "-inf", "1e30", "-1", "0", "x"])
    func sendRefusesATimeout(_ timeout: String) async throws {
        let child = try GatewayProgram.start(["send", "--timeout=\(timeout)", "{}"])
        #expect(try await child.exitCode() == 64)
        #expect(child.text.contains("--timeout"))
    }

    @Test func aWrongEnvironmentExitsWith78() async throws {
        let child = try GatewayProgram.start(["check-config"], environment: ["SONDYGO_MQTT_PORT": "0"])
        #expect(try await child.exitCode() == 78)
        // Both are wrong: the command line decides.
        let both = try GatewayProgram.start(
            ["check-config", "--mqtt-port=-3"], environment: ["SONDYGO_MQTT_HOST": ""])
        #expect(try await both.exitCode() == 64)
        #expect(both.text.contains("SONDYGO_MQTT_HOST: mqtt.host: null is not accepted"))
    }

    /// First argument -> the suggestion.
    @Test(
        arguments: [
            ("simualte", "did you mean \"simulate\"?"), ("Doctor", "did you mean \"doctor\"?"),
            ("checkconfig", "did you mean \"check-config\"?"), ("snd", "did you mean \"send\"?"),
            ("frobnicate", nil), ("", nil), (String(repeating: "x", count: 10_000), nil),
        ] as [(String, String?)])
    func unknownCommandsGetASuggestion(_ name: String, _ guess: String?) throws {
        let complaint = try #require(SondyGo2MQTT.complaint(about: [name]))
        #expect(
            complaint.contains(
                "commands: run, setup, scan, doctor, check-config, simulate, replay, send, status, sondes, flights,"))
        #expect(complaint.contains("did you mean") == (guess != nil), "\(complaint)")
        if let guess { #expect(complaint.contains(guess)) }
    }

    @Test func anUnknownCommandIsNotPassedToRun() async throws {
        let child = try GatewayProgram.start(["simualte", "--speed", "60"])
        #expect(try await child.exitCode() == 64)
        #expect(!child.text.contains("Usage: sondygo2mqtt run"))
        #expect(SondyGo2MQTT.complaint(about: []) == nil)
        #expect(SondyGo2MQTT.complaint(about: ["--transport", "tcp"]) == nil)
        #expect(SondyGo2MQTT.complaint(about: ["send", "{}"]) == nil)
    }

    /// Each flag is given a wrong value, and each is refused.
    @Test func eachFlagHasAKey() async throws {
        let flags = [
            "--id", "--log-level", "--mqtt-host", "--mqtt-port", "--transport", "--address", "--adapter", "--device",
            "--receiver-host", "--receiver-port",
        ]
        // An empty text means null, which only the address and the adapter accept.
        let values = flags.flatMap { [$0, ["--address", "--adapter"].contains($0) ? "?" : ""] }
        let child = try GatewayProgram.start(["check-config"] + values)
        #expect(try await child.exitCode() == 64)
        for flag in flags { #expect(child.lines.contains { $0.hasPrefix("sondygo2mqtt: \(flag): ") }, "\(child.text)") }
    }
}
