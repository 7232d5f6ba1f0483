import AsyncAlgorithms
import FlightMath
import Foundation
import Gateway
import GatewayReports
import Logging
import ReceiverProtocol
import StreamTransports
import Synchronization
import TestSupport
import Testing

@testable import GatewayRuntime

/// NMEA 0183 through real ports, servers and terminals, up to the gateway's events.
@Suite(.timeLimit(.minutes(10))) struct CarInputTests {
    private static let rmc = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n"
    private static let gga = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
    private static let epoch = Array((gga + rmc).utf8)

    /// A running service, and what it has told.
    private final class Bench: Sendable {
        private let told = Mutex<[GatewayEvent]>([])
        private let tasks = Mutex<[Task<Void, any Error>]>([])
        private let lines = LogLines()

        init(_ transport: any ReceiverTransport, _ change: (inout CarInput) -> Void = { _ in }) {
            var input = CarInput(.nmea, at: transport) { NMEAStream() }
            change(&input)
            let inputs = GatewayInputs(clock: SystemGatewayClock())
            let service = CarInputService(input, inputs: inputs, clock: SystemGatewayClock(), log: lines.logger)
            let drain = Task<Void, any Error> {
                for await input in inputs.channel { self.told.withLock { $0 += input.events } }
            }
            let run = Task { try await service.run() }
            tasks.withLock { $0 = [drain, run] }
        }

        var log: [String] { lines.all }
        var fixes: [CarFix] { told.withLock { $0.compactMap { if case .carFix(let fix) = $0 { fix } else { nil } } } }
        var refusals: Int { told.withLock { $0.count { if case .carFixRefused = $0 { true } else { false } } } }

        func stop() async {
            let tasks = tasks.withLock { $0 }
            for task in tasks { task.cancel() }
            for task in tasks { _ = try? await task.value }
        }
    }

    /// Half a sentence in a read, and the cable pulled in the middle of one. The receiver is plugged in again.
    @Test func aReceiverAtACable() async throws {
        let folder = try temporaryDirectory()
        let path = folder.appendingPathComponent("gps").path
        let terminal = try PseudoTerminal()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
        let bench = Bench(SerialTransport(device: path, baud: 4800, thread: "car")) { $0.device = "gps" }
        try await eventually("connected") { bench.log.contains("nmea connected").orNil }
        terminal.write(Array(Self.epoch.prefix(30)))
        terminal.write(Array(Self.epoch.dropFirst(30)) + Self.epoch.prefix(90))
        let fix = try await eventually("a fix: \(bench.log)") { bench.fixes.first }
        #expect(fix.altitudeMetres == 545.4 && fix.device == "gps" && fix.source == .nmea)
        #expect(abs(fix.coordinate.latitude - 48.1173) < 1e-6)
        terminal.unplug()
        try await eventually("lost") { bench.log.contains("nmea lost; retrying").orNil }
        try FileManager.default.removeItem(atPath: path)
        let other = try PseudoTerminal()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other.path)
        try await eventually("connected again: \(bench.log)") {
            (bench.log.count { $0 == "nmea connected" } == 2).orNil
        }
        // The half sentence from before is forgotten.
        other.write(Self.epoch)
        try await eventually("another fix") { (bench.fixes.count == 2).orNil }
        #expect(bench.refusals == 0)
        await bench.stop()
    }

    /// A wrong baud rate: the bytes are refused, and a few of them only count.
    @Test func bytesThatAreNoSentences() async throws {
        let terminal = try PseudoTerminal()
        let bench = Bench(SerialTransport(device: terminal.path, baud: 9600, thread: "car"))
        try await eventually("connected") { bench.log.contains("nmea connected").orNil }
        try await eventually("refused") {
            terminal.write([UInt8](repeating: 0xE6, count: 512))
            return (bench.refusals > 1).orNil
        }
        #expect(bench.fixes.isEmpty)
        await bench.stop()
    }

    /// A server that closes is asked again, and a new connection begins with whole sentences.
    @Test func aServerThatHangsUp() async throws {
        let server = try SocketServer()
        let bench = Bench(TCPTransport(host: "127.0.0.1", port: server.port, thread: "car"))
        try await server.accept()
        server.write(Array(Self.epoch.dropLast(20)))
        server.hangUp()
        try await server.accept()
        server.write(Array(Self.epoch.suffix(20)) + Self.epoch)
        try await eventually("a fix: \(bench.log)") { bench.fixes.first }
        #expect(bench.fixes.count == 1 && bench.refusals == 0)
        // NMEA needs no greeting.
        #expect(server.read() == "")
        await bench.stop()
    }

    /// Datagrams with several sentences, with none, and empty ones, over IPv4. An empty one is no end.
    @Test func datagrams() async throws {
        let port = Broker.freePort()
        let bench = Bench(DatagramTransport(port: port, thread: "car")) { $0.silenceLimit = nil }
        try await eventually("it listens") { bench.log.contains("nmea listens").orNil }
        let peer = DatagramPeer(to: port)
        peer.send([])
        peer.send(Array("nonsense".utf8))
        try await eventually("a fix: \(bench.log)") {
            peer.send(Self.epoch)
            peer.send([])
            return bench.fixes.first
        }
        #expect(bench.fixes.first?.altitudeMetres == 545.4)
        #expect(bench.log == ["nmea listens"])
        await bench.stop()
    }

    /// Another program has the port: said once, and taken when it is free.
    @Test func aPortInUse() async throws {
        let port = Broker.freePort()
        let transport = DatagramTransport(port: port, thread: "car")
        let first = try await transport.connect()
        let error = await #expect(throws: TransportError.self) { _ = try await transport.connect() }
        #expect(error?.detail == "UDP port \(port): Address already in use")
        let bench = Bench(transport) { $0.silenceLimit = nil }
        try await eventually("said") { bench.log.contains("no nmea; retrying").orNil }
        await first.close()
        try await eventually("it listens: \(bench.log)") { bench.log.contains("nmea listens").orNil }
        #expect(bench.log == ["no nmea; retrying", "nmea listens"])
        await bench.stop()
    }

    /// A program that floods: fixes and refusals are thinned to some hundred a second each.
    @Test func aFlood() async throws {
        let port = Broker.freePort()
        let bench = Bench(DatagramTransport(port: port, thread: "car")) { $0.silenceLimit = nil }
        try await eventually("it listens") { bench.log.contains("nmea listens").orNil }
        let peer = DatagramPeer(to: port)
        let datagram = (0..<200).flatMap { _ in Self.epoch + Array("$GPRMC*00\r\n".utf8) }
        let began = ContinuousClock.now
        try await eventually("fixes and refusals") {
            peer.send(datagram)
            return (bench.fixes.count > 10 && bench.refusals > 10).orNil
        }
        let (fixes, refusals) = (bench.fixes.count, bench.refusals)
        let most = (ContinuousClock.now - began) / .milliseconds(5) + 2
        #expect(Double(fixes) <= most && Double(refusals) <= most)
        await bench.stop()
    }
}
