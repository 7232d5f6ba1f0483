import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// The car's own way, on disk.
@Suite(.timeLimit(.minutes(10))) struct CarStoreTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let place = Coordinate(latitude: 47, longitude: 8)

    private func point(_ second: Int64) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: Self.noon + second * 1000), coordinate: Self.place,
            altitudeMetres: 500, source: .ble)
    }

    private func car(_ second: Int64, altitude: Double? = 430) -> CarPoint {
        CarPoint(
            time: WallTime(millisecondsSince1970: Self.noon + second * 1000),
            coordinate: Self.place.moved(east: Double(second), north: 0), altitudeMetres: altitude)
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V1", type: .rs41)) }

    private func ways(_ bench: StoreFolder) async throws -> [[CarPoint]] {
        let reader = FlightReader(path: bench.path)
        var ways: [[CarPoint]] = []
        for flight in try await reader.flights(of: nil, limit: 9) {
            ways.append(try await reader.carPoints(ofFlight: flight.id, after: .min, limit: 100))
        }
        return ways
    }

    @Test func itBelongsToTheFlight() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        // Without a flight, and half a day after one, nothing is stored.
        try await store.record([.carPoint(serial, car(0))])
        try await store.record([
            .points(serial, .rs41, [point(0)]), .carPoint(serial, car(5, altitude: nil)), .carPoint(serial, car(10)),
            .carPoint(serial, car(50_000)),
        ])
        let ways = try await ways(bench)
        #expect(ways.count == 1 && ways.first?.map(\.time) == [car(5).time, car(10).time])
        #expect(ways.first?.map(\.altitudeMetres) == [nil, 430])
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        let later = try await reader.carPoints(
            ofFlight: flight.id, after: car(5).time.millisecondsSince1970, limit: 100)
        #expect(later.map(\.time) == [car(10).time])
        // What is forgotten with the flight is the way, too.
        try await store.record([.forgotten(serial, from: point(0).time, through: point(0).time)])
        #expect(try await reader.carPoints(ofFlight: flight.id, after: .min, limit: 100).isEmpty)
    }

    @Test func aSetClockMovesIt() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        try await bench.store().record([
            .points(serial, .rs41, [point(0), point(20)]), .carPoint(serial, car(5)),
            .clockSet(ClockStep(byMilliseconds: 7_200_000, since: point(0).time)),
        ])
        #expect(try await ways(bench).first?.map(\.time) == [car(7205).time])
    }

    /// The car drives on after the sonde's last point. The memory has that time, if it can be right.
    @Test func theMemoryHasItsNewestTime() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([.points(serial, .rs41, [point(0)])])
        #expect(try await store.memory().newestSideRecord == nil)
        try await store.record([
            .carPoint(serial, car(900)), .receiver(serial, ReceiverEvent(.lost, at: point(600).time)),
        ])
        #expect(try await store.memory().newestSideRecord == car(900).time)
    }

    @Test func aNewFlightTakesItsPart() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        try await bench.store().record([
            .points(serial, .rs41, [point(0), point(100)]), .carPoint(serial, car(5)), .carPoint(serial, car(95)),
            .newFlight(serial, since: point(90).time),
        ])
        #expect(try await ways(bench).map { $0.map(\.time) } == [[car(95).time], [car(5).time]])
    }

    /// A store of the version before gets the table.
    @Test func anOldStoreIsOpened() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([.points(serial, .rs41, [point(0)])])
        await store.close()
        try await bench.tamper("DROP TABLE car_point")
        try await bench.tamper("DELETE FROM grdb_migrations WHERE identifier = '8'")
        try await bench.store().record([.carPoint(serial, car(5))])
        #expect(try await ways(bench).first?.map(\.time) == [car(5).time])
        #expect(bench.told.isEmpty)
    }

    /// A day's drive is bounded: the first points stay.
    @Test func itIsBounded() async throws {
        let (bench, serial) = (try StoreFolder(), try serial())
        let store = bench.store()
        try await store.record([.points(serial, .rs41, [point(0)])])
        await store.close()
        try await bench.tamper(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19997) INSERT INTO car_point "
                + "SELECT flight.id, \(Self.noon) + i * 1000, 47, 8, NULL FROM n, flight")
        try await bench.store().record((19_998..<20_010).map { .carPoint(serial, car($0)) })
        let reader = FlightReader(path: bench.path)
        let flight = try #require(try await reader.flights(of: nil, limit: 1).first)
        let way = try await reader.carPoints(ofFlight: flight.id, after: .min, limit: 30_000)
        #expect(way.count == 20_000 && way.last?.time == car(19_999).time)
    }

    @Test func aDamagedStoreGivesItBack() async throws {
        let (old, new) = (try StoreFolder(), try StoreFolder())
        let serial = try serial()
        let store = old.store()
        try await store.record([.points(serial, .rs41, [point(0)]), .carPoint(serial, car(5))])
        await store.close()
        _ = try await FlightSalvage(from: old.path, into: new.store()).run()
        #expect(try await ways(new).first?.map(\.time) == [car(5).time])
    }
}
