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

    /// The lines of the flight as CSV, without the first.
    private func lines(after damage: String) async throws -> Int {
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
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        var bytes: [UInt8] = []
        try await reader.write(flight, as: .csv) { bytes += $0 }
        return bytes.count { $0 == UInt8(ascii: "\n") } - 1
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
