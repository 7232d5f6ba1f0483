import Feeds
import FlightMath
import Foundation
import Gateway
import TestSupport
import Testing

@testable import sondygo2mqtt

/// The lines of `doctor` about `car.nmea` and `car.gdl90`.
@Suite(.timeLimit(.minutes(10))) struct CarInputCheckupTests {
    private func findings(_ change: (inout Configuration) -> Void) async -> [Finding] {
        var configuration = Configuration()
        change(&configuration)
        return await CarInputCheckup(configuration: configuration).findings
    }

    @Test func nothingIsConfigured() async {
        #expect(await findings { _ in } == [])
    }

    /// What a server sends -> the line of doctor.
    @Test(
        arguments: [
            (
                "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n", true,
                "knows where the car is"
            ),
            ("$GPGGA,210210.000,5347.5779,N,00754.1630,E,0,00,0.0,52.8,M,0.0,M,,0000*59\r\n", false, "has no fix yet"),
            ("$GNVTG,100.6,T,,M,7.87,N,14.57,K,D*2E\r\n", false, "brings messages, but none with a position"),
            ("HTTP/1.1 400 Bad Request\r\n", false, "brings nothing that can be read; is it a server of NMEA 0183?"),
            ("", false, "is silent; is it a server of NMEA 0183?"),
        ])
    func whatAServerSends(_ text: String, _ isOK: Bool, _ words: String) async throws {
        let server = try SocketServer()
        let place = NMEAPlace.server(FeedEndpoint(host: "127.0.0.1", port: server.port))
        async let findings = findings { $0.car.nmea = [place] }
        try await server.accept()
        server.write(Array(text.utf8))
        let finding = try #require(await findings.first)
        #expect(finding.subject == "nmea" && finding.verdict == (isOK ? .ok : .note))
        #expect(finding.text.hasPrefix("tcp:127.0.0.1:\(server.port) \(words)"), "\(finding.text)")
    }

    /// A wrong baud rate, and a cable that is not there.
    @Test func cables() async throws {
        let terminal = try PseudoTerminal()
        async let findings = findings {
            $0.car.nmea = [.cable(device: "/nonexistent", baud: 4800), .cable(device: terminal.path, baud: 9600)]
        }
        let noise = Task {
            while !Task.isCancelled {
                terminal.write([UInt8](repeating: 0xE6, count: 64))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        let lines = await findings.map(\.line)
        noise.cancel()
        try #require(lines.count == 2)
        #expect(lines[0].contains("/nonexistent: No such file or directory; the gateway works without it"))
        #expect(
            lines[1].contains("\(terminal.path):9600 brings nothing that can be read; does the receiver send NMEA 0183")
        )
        #expect(lines.allSatisfy { $0.hasPrefix("note   nmea ") })
    }

    /// A port that a program has opened, and one at which a Stratux sends.
    @Test func ports() async throws {
        let (taken, port) = (Broker.freePort(), Broker.freePort())
        let other = try await NMEAPlace.port(taken).transport.connect()
        let datagram = Array(try Data(contentsOf: Fixtures.url("Fixtures/feeds/in/stratux.datagram")))
        async let findings = findings {
            $0.car.nmea = [.port(taken)]
            $0.car.gdl90 = port
        }
        let stratux = Task {
            let peer = DatagramPeer(to: port)
            while !Task.isCancelled {
                peer.send(datagram)
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        let lines = await findings.map(\.line)
        stratux.cancel()
        await other.close()
        try #require(lines.count == 2)
        #expect(lines[0].contains("udp:\(taken): Address already in use (by the running gateway?"))
        #expect(
            lines[1].hasPrefix("ok     gdl90 ") && lines[1].contains("UDP port \(port) knows where the car is, to 10 m")
        )
    }

    @Test func aSourceThatIsNotUsed() async {
        let found = await findings {
            $0.car.gdl90 = Broker.freePort()
            $0.car.sources = [.gpsd]
        }
        #expect(found.map(\.verdict) == [.note])
        #expect(found.first?.text.contains("car.sources does not name gdl90") == true)
    }
}
