import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// A damaged file gives back each row that SQLite can still read.
@Suite(.timeLimit(.minutes(10))) struct FlightSalvageTests {
    private static let noon: Int64 = 1_767_268_800_000
    private static let day: Int64 = 86_400
    private static let place = Coordinate(latitude: 47, longitude: 8)

    private func time(_ second: Int64) -> WallTime { WallTime(millisecondsSince1970: Self.noon + second * 1000) }

    private func points(_ seconds: Int64...) throws -> FlightLogEntry {
        .points(
            try serial(), .rs41,
            seconds.map {
                TrackPoint(time: time($0), coordinate: Self.place, altitudeMetres: 500, source: .ble)
            })
    }

    private func car(_ second: Int64) throws -> FlightLogEntry {
        .carPoint(try serial(), CarPoint(time: time(second), coordinate: Self.place, altitudeMetres: 430))
    }

    private func recovery(_ name: String, note: String) throws -> FlightLogEntry {
        let serial = try serial()
        return .recovery(
            serial,
            Recovery(serial, .recovered, by: name, note: note, at: time(900), coordinate: nil, altitudeMetres: 0))
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V1", type: .rs41)) }

    /// The times of what the store has, by flight, the newest flight first.
    private struct Kept {
        var points: [WallTime]
        var car: [WallTime]
        var samples: [WallTime]
        var events: [WallTime]
        var flight: ArchivedFlight
    }

    private func kept(_ bench: StoreFolder) async throws -> [Kept] {
        let reader = FlightReader(path: bench.path)
        var kept: [Kept] = []
        for flight in try await reader.flights(of: nil, limit: 9) {
            let points = try await reader.points(ofFlight: flight.id, after: .min, limit: 100_000)
            let car = try await reader.carPoints(ofFlight: flight.id, after: .min, limit: 100_000)
            let samples = try await reader.samples(ofFlight: flight.id, seconds: .min ... .max)
            let events = try await reader.receiverEvents(ofFlight: flight.id)
            kept.append(
                Kept(
                    points: points.map(\.time), car: car.map(\.time), samples: samples.map(\.time),
                    events: events.map(\.time), flight: flight))
        }
        return kept
    }

    /// Adds rows of the only flight, one a second.
    private func addRows(samples: Int, car: Int, _ bench: StoreFolder) async throws {
        func seconds(_ count: Int) -> String {
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1)) INSERT INTO "
        }
        try await bench.tamper(
            seconds(samples) + "sample (flight, at, source) SELECT flight.id, \(Self.noon) + i * 1000, 'ble' "
                + "FROM n, flight")
        try await bench.tamper(
            seconds(car) + "car_point SELECT flight.id, \(Self.noon) + i * 1000, 47, 8, NULL FROM n, flight")
    }

    /// Of each table the rows before and behind a damaged page come back, and the gap is counted.
    @Test func aDamagedPageCostsItsRowsOnly() async throws {
        let old = try StoreFolder()
        let store = old.store()
        let serial = try serial()
        try await store.record(
            try (0..<1500).map { try points($0) }
                + (0..<900).map { .receiver(serial, ReceiverEvent(.restarted, at: time($0))) })
        await store.close()
        try await addRows(samples: 1500, car: 1500, old)
        let healthy = try Data(contentsOf: URL(fileURLWithPath: old.path))
        let size = 4096
        /// For each table, how many pages cost a part of it.
        var gaps = [0, 0, 0, 0]
        for page in 1..<healthy.count / size {
            let bench = try StoreFolder()
            var damaged = healthy
            damaged.replaceSubrange(page * size..<(page + 1) * size, with: Data(repeating: 0xA5, count: size))
            try damaged.write(to: URL(fileURLWithPath: bench.path + ".damaged"))
            let salvage = FlightSalvage(from: bench.path + ".damaged", into: bench.store())
            // The pages of the schema, of the flight's head and the roots of the tables cost the whole flight.
            guard let summary = try? await salvage.run(), let kept = try? await kept(bench).first else { continue }
            let tables = [(kept.car, 1500), (kept.samples, 1500), (kept.events, 900), (kept.points, 1500)]
            let whole = summary.lost == 0
            #expect(!whole || tables.allSatisfy { times, count in times.count == count }, "page \(page)")
            for (table, (times, count)) in tables.enumerated()
            where times.first == time(0) && times.last == time(Int64(count) - 1) && times.count < count {
                gaps[table] += 1
            }
        }
        #expect(gaps.allSatisfy { $0 > 2 }, "\(gaps)")
    }

    /// A day's rows come back, also into a store that has them.
    @Test func aDayOfRowsComesBack() async throws {
        let (old, new) = (try StoreFolder(), try StoreFolder())
        let store = old.store()
        try await store.record([try points(0, 40_000, 80_000)])
        await store.close()
        try await addRows(samples: 86_400, car: 20_000, old)
        for _ in 1...2 {
            let summary = try await FlightSalvage(from: old.path, into: new.store()).run()
            #expect(summary.flights == 1 && summary.points == 3 && summary.lost == 0)
            let kept = try #require(try await kept(new).first)
            #expect(kept.samples.count == 86_400 && kept.car.count == 20_000)
        }
    }

    /// The store may have a newer flight of the sonde. It gets nothing of the older one.
    @Test func eachRowStaysInItsFlight() async throws {
        let (old, new) = (try StoreFolder(), try StoreFolder())
        let store = old.store()
        try await store.record([try points(0), try car(5), try recovery("OE1XYZ", note: "in a tree")])
        await store.close()
        let live = new.store()
        try await live.record([try points(Self.day), try car(Self.day + 5)])
        _ = try await FlightSalvage(from: old.path, into: live).run()
        let kept = try await kept(new)
        #expect(kept.map(\.car) == [[time(Self.day + 5)], [time(5)]])
        #expect(kept.map(\.flight.recovery) == [nil, "recovered OE1XYZ"])
        #expect(kept.map(\.flight.recoveryNote) == [nil, "in a tree"])
    }

    /// A report that the store has is newer.
    @Test func theStoresReportOfRecoveryStays() async throws {
        let (old, new) = (try StoreFolder(), try StoreFolder())
        let store = old.store()
        try await store.record([try points(0), try recovery("OE1XYZ", note: "in a tree")])
        await store.close()
        let live = new.store()
        try await live.record([try points(0), try recovery("OE1ABC", note: "")])
        _ = try await FlightSalvage(from: old.path, into: live).run()
        let kept = try #require(try await kept(new).first)
        #expect(kept.flight.recovery == "recovered OE1ABC" && kept.flight.recoveryNote == nil)
    }

    /// What an older version did not have is not lost.
    @Test func aFileOfAnOlderVersionIsRead() async throws {
        let (old, new) = (try StoreFolder(), try StoreFolder())
        let store = old.store()
        try await store.record([try points(0), try car(5)])
        await store.close()
        for change in [
            "DROP TABLE sample", "DROP TABLE receiver_event", "ALTER TABLE flight DROP COLUMN recovery_note",
            "ALTER TABLE flight DROP COLUMN recovery",
        ] { try await old.tamper(change) }
        let summary = try await FlightSalvage(from: old.path, into: new.store()).run()
        #expect(summary.flights == 1 && summary.points == 1 && summary.lost == 0)
        #expect(try await kept(new).map(\.car) == [[time(5)]])
    }
}
