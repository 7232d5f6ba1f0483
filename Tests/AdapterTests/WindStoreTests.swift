import FlightMath
import FlightStore
import Foundation
import Gateway
import ReceiverProtocol
import TestSupport
import Testing

/// The winds of flights and forecasts on disk.
@Suite(.timeLimit(.minutes(10))) struct WindStoreTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let day: Int64 = 86_400_000

    private func winds(
        _ name: String, at: Int64 = noon, origin: StoredWinds.Origin = .flight, layers count: Int = 100
    ) throws -> StoredWinds {
        let layers = (0..<count).map { index in
            StoredWinds.Layer(
                altitudeMetres: Double(index) * 250 - 125, east: Double(index) / 2, north: -12.34, seconds: 60)
        }
        return StoredWinds(
            origin: origin, serial: try #require(SondeSerial(name: name, type: .rs41)),
            place: Coordinate(latitude: 47.1, longitude: 8.5), at: WallTime(millisecondsSince1970: at), layers: layers)
    }

    /// Stored winds come back, the newest first. They replace earlier ones of their flight, but not those of another
    /// kind or day.
    @Test func storedWindsComeBack() async throws {
        let bench = try StoreFolder()
        try await bench.store().record([
            .winds(try winds("V1", layers: 10)), .winds(try winds("V2", at: Self.noon + 5)),
            .winds(try winds("V1", at: Self.noon + 60_000)),
            .winds(try winds("V1", at: Self.noon - 13 * 3_600_000)),
            .winds(try winds("V1", at: Self.noon + 2, origin: .forecast)),
        ])
        let back = try await bench.store().memory().winds
        #expect(
            back == [
                try winds("V1", at: Self.noon + 60_000), try winds("V2", at: Self.noon + 5),
                try winds("V1", at: Self.noon + 2, origin: .forecast),
                try winds("V1", at: Self.noon - 13 * 3_600_000),
            ])
    }

    /// The same sonde flies twice on one day. A flight replaces only its own winds.
    @Test func twoFlightsOfOneSonde() async throws {
        let bench = try StoreFolder()
        var second = try winds("V1", at: Self.noon + 3_600_000)
        second.begunAt = WallTime(millisecondsSince1970: Self.noon + 1_800_000)
        var later = second
        later.at = later.at.advanced(by: .seconds(60))
        try await bench.store().record([.winds(try winds("V1")), .winds(second), .winds(later)])
        #expect(
            try await bench.store().memory().winds.map(\.at.millisecondsSince1970)
                == [Self.noon + 3_660_000, Self.noon])
    }

    /// Winds are deleted after 31 days, forecasts after two, but not because of one wrong clock. At most 200 are kept.
    @Test func oldWindsAreDeleted() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        let at = { (days: Int64) in Self.noon + days * Self.day }
        try await store.record([.winds(try winds("V1"))], now: WallTime(millisecondsSince1970: at(0)))
        try await store.record([.winds(try winds("V2", at: at(20)))], now: WallTime(millisecondsSince1970: at(20)))
        try await store.record([.winds(try winds("V3", at: at(900)))], now: WallTime(millisecondsSince1970: at(900)))
        #expect(try await store.memory().winds.map(\.serial.canonical) == ["V3", "V2", "V1"])
        try await bench.tamper("DELETE FROM winds WHERE serial = 'V3'")
        try await store.record([.winds(try winds("V4", at: at(32)))], now: WallTime(millisecondsSince1970: at(32)))
        #expect(try await store.memory().winds.map(\.serial.canonical) == ["V4", "V2"])
        let forecasts = [30, 31].map { (days: Int64) in (days, "F\(days)") }
        for (days, name) in forecasts {
            try await store.record([.winds(try winds(name, at: at(days), origin: .forecast))])
        }
        try await store.record([.winds(try winds("V5", at: at(33)))], now: WallTime(millisecondsSince1970: at(33)))
        #expect(try await store.memory().winds.map(\.serial.canonical) == ["V5", "V4", "F31", "V2"])
        for number in 0..<210 { try await store.record([.winds(try winds("W\(number)", at: at(33), layers: 2))]) }
        #expect(try await store.memory().winds.count == 200)
    }

    /// A set clock moves this run's winds; borrowed ones have SondeHub's times.
    @Test func theClockIsSet() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        try await store.record([
            .winds(try winds("V1", at: Self.noon - 10)), .winds(try winds("V2", at: Self.noon + 10)),
            .winds(try winds("V3", at: Self.noon + 20, origin: .borrowed)),
            .clockSet(ClockStep(byMilliseconds: Self.day, since: WallTime(millisecondsSince1970: Self.noon))),
        ])
        #expect(
            try await store.memory().winds.map(\.at.millisecondsSince1970) == [
                Self.noon + Self.day + 10, Self.noon + 20, Self.noon - 10,
            ])
    }

    /// A store of the version before gets the table and keeps its flights.
    @Test func anOldStoreGetsTheTable() async throws {
        let bench = try StoreFolder()
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: Self.noon), coordinate: Coordinate(latitude: 47, longitude: 8),
            altitudeMetres: 500, source: .ble)
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let store = bench.store()
        try await store.record([.points(serial, .rs41, [point])])
        await store.close()
        try await bench.tamper("DROP TABLE winds")
        try await bench.tamper("DELETE FROM grdb_migrations WHERE identifier = '5'")
        let later = bench.store()
        try await later.record([.winds(try winds("V2"))])
        let memory = try await later.memory()
        #expect(memory.winds == [try winds("V2")])
        #expect(memory.flight?.points == [point])
        #expect(bench.told.isEmpty)
    }

    /// Numbers that can't be kept exactly become the nearest possible ones. Impossible ones are not stored.
    @Test func oddNumbers() async throws {
        let bench = try StoreFolder()
        var odd = try winds("V1", layers: 1)
        odd.layers[0] = StoredWinds.Layer(altitudeMetres: 125, east: 1e6, north: -1e6, seconds: 1e9)
        var impossible = try winds("V2", layers: 1)
        impossible.layers[0].east = .nan
        try await bench.store().record([.winds(odd), .winds(impossible)])
        let back = try await bench.store().memory().winds
        #expect(back.count == 1 && back.first?.layers.first?.seconds == 32_767)
        #expect(abs((back.first?.layers.first?.east ?? 0) - 327.67) < 0.01)
    }
}
