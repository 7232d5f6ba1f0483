import Foundation
import TestSupport
import Testing

/// The real program's exit codes and remains.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ProgramEndTests {
    @Test(
        arguments: [
            (["run", "--config", "/nonexistent.yaml"], 78, "--config"),
            (["simulate", "--fault", "x"], 64, "KIND@START"),
            (["simulate", "--sonde", "X"], 64, "RS41"), (["replay"], 64, "file"),
            (["replay", "/nonexistent"], 64, "No such file"),
            (["replay", "/etc/hostname"], 69, "hostname:1: not a line"),
            (
                ["send", "--mqtt-port", "1", "--mqtt-host", "127.0.0.1", "{}"], 69,
                "no broker at 127.0.0.1:1: is mosquitto running?"
            ),
            (["check-config"], 0, "configuration ok"), (["--help"], 0, "simulate"), (["--version"], 0, "0."),
        ] as [([String], Int32, String)])
    func exitCodes(_ arguments: [String], _ code: Int32, _ text: String) async throws {
        let child = try GatewayProgram.start(arguments)
        #expect(try await child.exitCode() == code)
        #expect(child.text.contains(text), "\(child.text)")
    }

    /// What answers at the broker's port is named, also on this machine.
    @Test(arguments: [(#"HTTP/1.1 400 Bad Request\r\n\r\n"#, "HTTP"), (#"SSH-2.0-OpenSSH_9.2p1\r\n"#, "SSH-2.0-Open")])
    func anotherServerIsNamed(_ answer: String, _ words: String) async throws {
        let program = """
            import socket
            listener = socket.create_server(('127.0.0.1', 0))
            print(listener.getsockname()[1], flush=True)
            while True:
                connection, _ = listener.accept()
                connection.sendall(b'\(answer)')
            """
        let server = try Child("python3", ["-c", program])
        let port = try await eventually("a port: \(server.text)") { server.lines.first.flatMap { Int($0) } }
        let send = try GatewayProgram.start(["send", "--mqtt-port", "\(port)", "--mqtt-host", "127.0.0.1", "{}"])
        #expect(try await send.exitCode() == 69)
        #expect(send.text.contains("no broker at 127.0.0.1:\(port): this port answers"), "\(send.text)")
        #expect(send.text.contains(words) && !send.text.contains("is mosquitto running?"), "\(send.text)")
        server.kill(SIGKILL)
    }

    @Test func privateBrokerEndsWithTheProgram() async throws {
        for signal in [SIGTERM, SIGKILL] {
            let simulate = try GatewayProgram.start(["simulate", "--speed", "10"])
            let port = try await eventually("the broker's port: \(simulate.text)") {
                simulate.text.firstMatch(of: #/127\.0\.0\.1:(\d+)/#).flatMap { Int($0.1) }
            }
            try await Subscriber(port: port).first(on: "sondygo/test/position")
            simulate.kill(signal)
            _ = try await simulate.exitCode()
            try await eventually("the broker is gone") {
                let probe = try Child("mosquitto_pub", ["-p", "\(port)", "-t", "x", "-m", "x"])
                return (try await probe.exitCode() != 0).orNil
            }
        }
    }
}
