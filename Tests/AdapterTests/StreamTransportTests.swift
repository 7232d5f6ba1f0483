import Foundation
import Gateway
import GatewayReports
import GatewayRuntime
import ReceiverProtocol
import ReceiverSimulator
import StreamTransports
import TestSupport
import Testing
import TransportIO

/// A cable that comes back is used within two seconds, however long it was away.
@Suite struct TransportBackoffTests {
    @Test(
        arguments: [
            (SerialTransport(device: "/dev/x", baud: 9600).backoff, 2.0),
            (TCPTransport(host: "h", port: 1).backoff, 5),
        ] as [(Backoff, Double)])
    func aLongAbsence(_ backoff: Backoff, _ seconds: Double) {
        var backoff = backoff
        let waits = (0..<50).map { _ in backoff.delay(random: 0.999) }
        #expect(
            waits.allSatisfy { $0 <= .seconds(seconds) } && waits.last.map { $0 > .seconds(seconds * 0.9) } ?? false)
    }
}

@Suite(.timeLimit(.minutes(10))) struct StreamTransportTests {
    @Test func serialThroughARealTerminal() async throws {
        let terminal = try PseudoTerminal()
        let connection = try await SerialTransport(device: terminal.path, baud: 9600).connect()
        // The terminal is raw: no echo, no translation, no control characters.
        let bytes: [UInt8] = [0x03, 0x0d, 0x11, 0x13, 0x1a, 0xff, 0x0a, 0x00]
        terminal.write(bytes)
        #expect(try await read(connection, count: bytes.count) == bytes)
        try await connection.write(Array("o{mute=1}o".utf8))
        try await eventually("the command arrives") { (terminal.read() == "o{mute=1}o").orNil }
        await connection.close()
        await #expect(throws: TransportError.self) { _ = try await connection.next() }
        await #expect(throws: TransportError.self) { try await connection.write([1]) }
    }

    /// An earlier program has left flow control and parity checks on. Then the receiver would be deaf, or mute.
    @Test func whatAnEarlierProgramLeftIsCleared() async throws {
        let terminal = try PseudoTerminal()
        let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        defer { close(descriptor) }
        var settings = termios()
        #expect(tcgetattr(descriptor, &settings) == 0)
        let flowControl: tcflag_t = 0o20_000_000_000  // CRTSCTS, which Swift does not import.
        settings.c_iflag |= tcflag_t(IXOFF | IXON | IXANY | INPCK | ISTRIP | PARMRK)
        settings.c_cflag |= flowControl | tcflag_t(PARENB | PARODD | CSTOPB | HUPCL)
        #expect(tcsetattr(descriptor, TCSANOW, &settings) == 0)
        let connection = try await SerialTransport(device: terminal.path, baud: 9600).connect()
        #expect(tcgetattr(descriptor, &settings) == 0)
        #expect(settings.c_iflag == 0)
        #expect(settings.c_cflag & (flowControl | tcflag_t(PARENB | CSTOPB | HUPCL)) == 0)
        #expect(settings.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
        await connection.close()
    }

    @Test(
        arguments: [
            ("$GPRMC,1\r\n$GPGGA", "$GPRMC,1$GPGGA"), ("", ""), ("\u{fe}\u{f8}a\u{1}", ""),
            (String(repeating: "a", count: 100), String(repeating: "a", count: 60)),
        ])
    func theBeginningOfBytesWithoutAFrame(_ sent: String, _ shown: String) {
        var first = FramelessBytes()
        for scalar in sent.unicodeScalars { first.append([UInt8(truncatingIfNeeded: scalar.value)]) }
        #expect(first.text == shown)
        #expect(first.count == sent.unicodeScalars.count)
    }

    @Test func serialIsExclusive() async throws {
        let terminal = try PseudoTerminal()
        let transport = SerialTransport(device: terminal.path, baud: 9600)
        let first = try await transport.connect()
        await #expect(throws: TransportError(.busy, "\(terminal.path) is in use by another program")) {
            _ = try await transport.connect()
        }
        await first.close()
        let second = try await transport.connect()
        await second.close()
    }

    @Test func unplugEndsTheLink() async throws {
        let terminal = try PseudoTerminal()
        let connection = try await SerialTransport(device: terminal.path, baud: 115_200).connect()
        terminal.unplug()
        let error = await #expect(throws: TransportError.self) { _ = try await connection.next() }
        #expect(error?.code == .closedByPeer)
        await connection.close()
    }

    @Test(arguments: [
        ("/nonexistent", TransportError.Code.notFound), ("/dev/null", .inputOutput), ("/tmp", .inputOutput),
    ])
    func wrongDevices(_ device: String, _ code: TransportError.Code) async {
        let error = await #expect(throws: TransportError.self) {
            _ = try await SerialTransport(device: device, baud: 9600).connect()
        }
        #expect(error?.code == code)
    }

    @Test func tcpBothWays() async throws {
        let server = try SocketServer()
        async let opening = TCPTransport(host: "localhost", port: server.port).connect()
        try await server.accept()
        let connection = try await opening
        server.write(Array("hello".utf8))
        #expect(try await read(connection, count: 5) == Array("hello".utf8))
        try await connection.write(Array("o{?}o".utf8))
        try await eventually("the command arrives") { (server.read() == "o{?}o").orNil }
        server.hangUp()
        let error = await #expect(throws: TransportError.self) { _ = try await connection.next() }
        #expect(error?.code == .closedByPeer)
        await connection.close()
    }

    /// A slow reader holds the sender back. No byte is lost, and the memory stays bounded.
    @Test func aSlowReaderLosesNothing() async throws {
        let server = try SocketServer()
        async let opening = TCPTransport(host: "127.0.0.1", port: server.port).connect()
        try await server.accept()
        let connection = try await opening
        let total = 8_000_000
        let sent = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        Thread.detachNewThread {
            server.write(sent)
            server.hangUp()
        }
        var received: [UInt8] = []
        while received.count < total, let chunk = try await connection.next() {
            #expect(chunk.bytes.count <= 65_536 + 16_384)
            received += chunk.bytes
        }
        #expect(received == sent)
        await connection.close()
    }

    @Test func tcpToAClosedPortFails() async {
        let port = Broker.freePort()
        let error = await #expect(throws: TransportError.self) {
            _ = try await TCPTransport(host: "127.0.0.1", port: port).connect()
        }
        #expect(error?.code == .unreachable)
        let unknown = await #expect(throws: TransportError.self) {
            _ = try await TCPTransport(host: "no-such-host.invalid", port: port).connect()
        }
        #expect(unknown?.code == .notFound)
    }

    /// The kernel drops a SYN if the listener's queue is full. The repeated SYN, a second later, succeeds.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func tcpWaitsForABusyListener(_ host: String) async throws {
        let server = try SocketServer()
        var early: [any ReceiverConnection] = []
        for _ in 0..<SocketServer.places {
            early.append(try await TCPTransport(host: "127.0.0.1", port: server.port).connect())
        }
        // On a thread of its own: the connection waits only ten seconds, and other tests may block the pool's threads.
        Thread.detachNewThread { [places = early.count] in
            let deadline = ContinuousClock.now.advanced(by: .seconds(60))
            while !hasUnansweredCall(to: server.port), ContinuousClock.now < deadline { usleep(1000) }
            for _ in 0..<places { server.forgetNext() }
        }
        let connection = try await TCPTransport(host: host, port: server.port).connect()
        try await server.accept()
        server.write(Array("hello".utf8))
        #expect(try await read(connection, count: 5) == Array("hello".utf8))
        for connection in early + [connection] { await connection.close() }
    }

    @Test func replayKeepsBytesAndTiming() async throws {
        let file = try temporaryDirectory().appendingPathComponent("raw.jsonl")
        let records = [(0, "a/b"), (100, "c"), (300, "d/o")].map { time, text in
            RawLogRecord(
                monotonic: MonotonicTime(nanoseconds: 5_000_000_000 + time * 1_000_000), wall: "w", session: 1,
                bytes: Array(text.utf8))
        }
        try Data(records.map { $0.line + [10] }.joined()).write(to: file)
        let began = ContinuousClock.now
        let connection = try await ReplayTransport(file: file.path, clock: ScaledGatewayClock(rate: 2)).connect()
        var bytes: [[UInt8]] = []
        while let chunk = try await connection.next() { bytes.append(chunk.bytes) }
        #expect(bytes == records.map(\.bytes))
        let took = ContinuousClock.now - began
        #expect(took >= .milliseconds(149))
    }

    @Test(arguments: [
        "{}", "nonsense", "{\"monotonic_ns\":1,\"wall\":\"\",\"hex\":\"0\"}", String(repeating: "x", count: 100_000),
    ])
    func replayNamesTheBadLine(_ line: String) async throws {
        let file = try temporaryDirectory().appendingPathComponent("raw.jsonl")
        let good = RawLogRecord(monotonic: .zero, wall: "w", session: 1, bytes: [1])
        try Data(good.line + Array("\n\(line)\n".utf8)).write(to: file)
        let connection = try await ReplayTransport(file: file.path, clock: ScaledGatewayClock(rate: 1)).connect()
        #expect(try await connection.next()?.bytes == [1])
        let error = await #expect(throws: TransportError.self) { _ = try await connection.next() }
        #expect(error?.code == .invalidData)
        #expect(error?.detail.contains("raw.jsonl:2:") == true)
    }

    @Test func theSimulatorDropsTheLinkAndReturns() async throws {
        let options = SimulatorOptions(faults: [SimulatedFault(kind: .drop, start: .seconds(3), duration: .seconds(40))]
        )
        let transport = SimulatorTransport(options: options, clock: ScaledGatewayClock(rate: 100))
        let connection = try await transport.connect()
        let error = await #expect(throws: TransportError.self) {
            while try await connection.next() != nil {}
        }
        #expect(error?.code == .closedByPeer)
        let again = try await eventually("back in reach") { try? await transport.connect() }
        #expect(try await again.next() != nil)
    }

    private func read(_ connection: any ReceiverConnection, count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let chunk = try await connection.next() { bytes += chunk.bytes }
        return bytes
    }
}

/// Whether a connection to the port waits for the answer to its SYN.
private func hasUnansweredCall(to port: Int) -> Bool {
    let (synSent, remote) = ("02", ":" + String(format: "%04X", port))
    // The kernel reports no size for this file, so reading by path would stop after the first piece.
    let table = (try? FileHandle(forReadingAtPath: "/proc/net/tcp")?.readToEnd()) ?? Data()
    return String(decoding: table, as: UTF8.self).split(separator: "\n").contains { line in
        let columns = line.split(separator: " ")
        return columns.count > 3 && columns[2].hasSuffix(remote) && columns[3] == synSent
    }
}
