import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// The store's writer keeps its place among the WAL's readers from one transaction to the next.
@Suite(.timeLimit(.minutes(10))) struct StandingReadTests {
    private func point(_ second: Int64) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + second * 1000),
            coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: Double(second), source: .ble)
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V4210150", type: .rs41)) }

    private func bytes(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// A store that has its place: three points are in it.
    private func standing() async throws -> (StoreFolder, FlightStore) {
        let bench = try StoreFolder()
        let store = bench.store()
        for second in 0..<3 as Range<Int64> { try await store.record([.points(serial(), .rs41, [point(second)])]) }
        return (bench, store)
    }

    /// A frame a second for an hour, and some hundred at once now and then: the WAL begins anew, and who reads meanwhile
    /// sees every point.
    @Test func theWALBeginsAnew() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        let reader = FlightReader(path: bench.path)
        var (second, largest) = (Int64(0), 0)
        for frame in 0..<3600 {
            let count: Int64 = frame % 900 == 899 ? 500 : 1
            try await store.record([.points(serial(), .rs41, (second..<second + count).map(point))])
            second += count
            largest = max(largest, bytes(bench.path + "-wal"))
            guard frame % 500 == 0 else { continue }
            #expect(try await reader.flights(of: nil, limit: 9).map(\.points) == [Int(second)])
        }
        // A thousand pages are the library's measure, and a minute of ours may come on top.
        #expect(largest < 1100 * 4120, "\(largest)")
        #expect(bytes(bench.path) > 100_000)
        #expect(try await store.memory().flight?.points.count == Int(second))
    }

    @Test func anotherProgramWrites() async throws {
        let bench = try StoreFolder()
        let store = bench.store()
        for second in 0..<5 as Range<Int64> { try await store.record([.points(serial(), .rs41, [point(second)])]) }
        try await bench.tamper("INSERT INTO setting VALUES ('a', 'b')")
        try await store.record([.points(serial(), .rs41, [point(5)])])
        for table in ["point", "flight"] { try await bench.tamper("DELETE FROM \(table)") }
        for second in 6..<9 as Range<Int64> { try await store.record([.points(serial(), .rs41, [point(second)])]) }
        #expect(try await store.memory().flight?.points.map(\.time) == (6..<9 as Range<Int64>).map { point($0).time })
        #expect(bench.told.isEmpty)
    }

    /// Between transactions of ours there are another program's: none fails, and the WAL still begins anew.
    @Test func anotherProgramWritesAllTheTime() async throws {
        let (bench, store) = try await standing()
        let program = """
            import sqlite3, time
            s = sqlite3.connect('\(bench.path)', isolation_level=None, timeout=20)
            s.execute('CREATE TABLE other (at INTEGER PRIMARY KEY, text TEXT)')
            for row in range(100): s.execute("INSERT INTO other VALUES (?, zeroblob(4000))", (row,))
            print('begun', flush=True)
            while True:
                s.execute('BEGIN IMMEDIATE')
                s.execute("UPDATE other SET text = text WHERE at < 20")
                time.sleep(0.005)
                s.execute('COMMIT')
                time.sleep(0.005)
            """
        let other = try Child("python3", ["-c", program])
        try await eventually("it has begun to write") { other.text.contains("begun").orNil }
        var largest = 0
        for second in 3..<600 as Range<Int64> {
            try await store.record([.points(serial(), .rs41, [point(second)])])
            largest = max(largest, bytes(bench.path + "-wal"))
        }
        other.kill(SIGKILL)
        _ = try await other.exitCode()
        #expect(largest < 2 * 1100 * 4120, "\(largest)")
        #expect(try await store.memory().flight?.points.count == 600)
        #expect(bench.told.isEmpty)
    }

    /// It waits until nobody looks at what is old, and keeps others from writing meanwhile.
    @Test func anotherProgramCutsTheWALBack() async throws {
        let (bench, store) = try await standing()
        let program = """
            import sqlite3
            s = sqlite3.connect('\(bench.path)', isolation_level=None, timeout=50)
            print('begun', flush=True)
            print(s.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone(), flush=True)
            """
        let other = try Child("python3", ["-c", program])
        try await eventually("it waits for us") { other.text.contains("begun").orNil }
        var second: Int64 = 3
        try await eventually("the WAL is cut back") {
            try await store.record([.points(serial(), .rs41, [point(second)])])
            second += 1
            return other.text.contains("(0,").orNil
        }
        #expect(try await other.exitCode() == 0, "\(other.text)")
        #expect(try await store.memory().flight?.points.count == Int(second))
    }

    /// Nothing is left open: the last to close the file takes the WAL with it.
    @Test func itEndsWithTheStore() async throws {
        let bench = try StoreFolder()
        var store: FlightStore? = bench.store()
        for second in 0..<3 as Range<Int64> { try await store?.record([.points(serial(), .rs41, [point(second)])]) }
        #expect(FileManager.default.fileExists(atPath: bench.path + "-wal"))
        store = nil
        #expect(!FileManager.default.fileExists(atPath: bench.path + "-wal"))
        #expect(try await bench.store().memory().flight?.points.count == 3)
    }

    /// Another one holds the file for writing: nothing is lost, and the next try works.
    @Test func anotherProgramIsInTheMiddleOfWriting() async throws {
        let (bench, store) = try await standing()
        let program = """
            import sqlite3, time, os
            s = sqlite3.connect('\(bench.path)', isolation_level=None)
            s.execute('BEGIN IMMEDIATE')
            s.execute("INSERT INTO setting VALUES ('a', 'b')")
            print('held', flush=True)
            while not os.path.exists('\(bench.path).go'): time.sleep(0.01)
            s.execute('COMMIT')
            """
        let other = try Child("python3", ["-c", program])
        try await eventually("it has begun to write") { other.text.contains("held").orNil }
        await #expect(throws: StoreError.self) { try await store.record([.points(serial(), .rs41, [point(3)])]) }
        #expect(FileManager.default.createFile(atPath: bench.path + ".go", contents: nil))
        #expect(try await other.exitCode() == 0, "\(other.text)")
        try await store.record([.points(serial(), .rs41, [point(3)])])
        #expect(try await store.memory().flight?.points.count == 4)
    }
}
