import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// The lessons of flights, on disk.
@Suite(.timeLimit(.minutes(10))) struct LessonStoreTests {
    private static let noon: Int64 = 1_767_268_800_000

    private let point = TrackPoint(
        time: WallTime(millisecondsSince1970: noon), coordinate: Coordinate(latitude: 47, longitude: 8),
        altitudeMetres: 500, source: .ble)

    private func lesson(_ serial: SondeSerial, hasLanded: Bool) -> FlightLesson {
        let place = Coordinate(latitude: 47.1, longitude: 8.5)
        return FlightLesson(
            serial: serial, sondeType: .rs41, at: WallTime(millisecondsSince1970: Self.noon + 5000), launch: place,
            landing: hasLanded ? FlightLesson.Landing(place, altitudeMetres: 480) : nil, burstMetres: 32_000,
            descentRate: 6.5)
    }

    /// A flight's lesson without a landing comes back; that with the landing replaces it; a command deletes all.
    @Test func withAndWithoutALanding() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let store = bench.store()
        try await store.record([
            .points(serial, .rs41, [point]), .lesson(serial, lesson(serial, hasLanded: false)),
        ])
        #expect(try await store.memory().lessons == [lesson(serial, hasLanded: false)])
        let reader = FlightReader(path: bench.path)
        #expect(try await reader.flights(of: nil, limit: 5).first?.landing == nil)
        try await store.record([.lesson(serial, lesson(serial, hasLanded: true))])
        #expect(try await store.memory().lessons == [lesson(serial, hasLanded: true)])
        #expect(try await reader.lessons() == [lesson(serial, hasLanded: true)])
        #expect(try await reader.flights(of: nil, limit: 5).first?.landing?.altitudeMetres == 480)
        try await store.record([.lessonsForgotten])
        #expect(try await store.memory().lessons.isEmpty)
        #expect(try await store.memory().flight?.points == [point])
    }

    /// Lessons of the version before are kept.
    @Test func anOldStoreKeepsItsLessons() async throws {
        let bench = try StoreFolder()
        let serial = try #require(SondeSerial(name: "V1", type: .rs41))
        let store = bench.store()
        try await store.record([.points(serial, .rs41, [point])])
        await store.close()
        for sql in [
            "DROP TABLE lesson",
            "CREATE TABLE lesson (flight INTEGER PRIMARY KEY REFERENCES flight ON DELETE CASCADE, landed_at INTEGER "
                + "NOT NULL, launch_latitude REAL, launch_longitude REAL, landing_latitude REAL NOT NULL, "
                + "landing_longitude REAL NOT NULL, landing_altitude_m REAL NOT NULL, burst_m REAL, "
                + "descent_rate_mps REAL, worst_ratio REAL) STRICT",
            "INSERT INTO lesson SELECT id, \(Self.noon + 5000), 47.1, 8.5, 47.1, 8.5, 480, 32000, 6.5, 0.8 FROM flight",
            "DELETE FROM grdb_migrations WHERE identifier = '6'",
        ] { try await bench.tamper(sql) }
        #expect(try await bench.store().memory().lessons == [lesson(serial, hasLanded: true)])
        #expect(bench.told.isEmpty)
    }
}
