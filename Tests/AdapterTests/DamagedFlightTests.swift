import FlightMath
import FlightStore
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// Flights with damaged rows are read to their end, and only once.
@Suite(.timeLimit(.minutes(10))) struct DamagedFlightTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let count = 1200

    private func flight(damagedBy damage: String) async throws -> StoreFolder {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let points = (0..<Self.count).map { second in
            TrackPoint(
                time: WallTime(millisecondsSince1970: Self.noon + Int64(second) * 1000),
                coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500, source: .ble)
        }
        let store = bench.store()
        try await store.record([.points(serial, .rs41, points)])
        await store.close()
        try await bench.tamper(damage)
        return bench
    }

    /// The lines of the flight as CSV, without the first. A flight without a point that can be read is left out.
    private func lines(after damage: String) async throws -> Int {
        let bench = try await flight(damagedBy: damage)
        let reader = FlightReader(path: bench.path)
        guard let flight = try await reader.flights(of: nil, limit: 1).first else { return 0 }
        var bytes: [UInt8] = []
        try await reader.write(flight, as: .csv) { bytes += $0 }
        return bytes.count { $0 == UInt8(ascii: "\n") } - 1
    }

    /// The flight that goes on after a restart: its points are in order, and no damaged time is the time of now.
    @Test(
        arguments: [
            ("UPDATE point SET at = at - (1 << 40) WHERE second % 7 = 3", 1029),
            ("UPDATE point SET at = at - (1 << 30) WHERE second % 7 = 3", 1029),
            ("UPDATE point SET at = at + (1 << 41) WHERE second = (SELECT max(second) FROM point)", 1199),
            (
                "UPDATE point SET at = at + (1 << 37), second = second + (1 << 37) / 1000 "
                    + "WHERE second = (SELECT max(second) FROM point)", 1199
            ),
            ("UPDATE flight SET last_at = last_at + (1 << 41)", 1200),
        ])
    func aDamagedTimeIsNoTime(_ damage: String, _ left: Int) async throws {
        let bench = try await flight(damagedBy: damage)
        let memory = try await bench.store().open(at: WallTime(millisecondsSince1970: 0)).memory
        let points = try #require(memory.flight?.points)
        #expect(abs(points.count - left) <= 1 && points.map(\.second) == points.map(\.second).sorted())
        let end = WallTime(millisecondsSince1970: Self.noon + Int64(Self.count) * 1000 + 10_000)
        #expect(memory.lastHeard.values.allSatisfy { $0 <= end })
    }

    /// A time in the year 2096 does not let the file of samples count the seconds until then.
    @Test func theFileOfSamplesEnds() async throws {
        let bench = try await flight(
            damagedBy: "UPDATE point SET at = at + (1 << 41) WHERE second = (SELECT max(second) FROM point)")
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let sample = HeardSample(time: WallTime(millisecondsSince1970: Self.noon + 5250), source: .ble)
        let store = bench.store()
        try await store.record([.sample(serial, sample)])
        await store.close()
        try await bench.tamper(
            "INSERT INTO sample SELECT flight, at + (1 << 41), source, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM sample")
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        var lines: [Substring] = []
        try await reader.writeTelemetry(of: flight) {
            lines += String(decoding: $0, as: UTF8.self).split(separator: "\n")
        }
        #expect(lines.count <= 3 && lines[1].hasPrefix("2026-01-01T12:00:05.250Z,ble,47.000000,8.000000,500.0,"))
    }

    @Test(
        arguments: [
            ("UPDATE point SET at = at - 31536000000 WHERE second = (SELECT max(second) FROM point)", 1199),
            ("UPDATE point SET at = at + 31536000000 WHERE second = (SELECT min(second) + 499 FROM point)", 1199),
            ("UPDATE point SET at = 0", 0),
            ("UPDATE point SET source = 'evil' WHERE second < (SELECT min(second) + 520 FROM point)", 680),
        ])
    func aDamagedRowIsLeftOut(_ damage: String, _ left: Int) async throws {
        #expect(try await lines(after: damage) == left)
    }
}
