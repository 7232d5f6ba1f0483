import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// Another program uses the store's file.
@Suite(.timeLimit(.minutes(10))) struct OtherProgramTests {
    private func point(_ second: Int64) -> TrackPoint {
        TrackPoint(
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + second * 1000),
            coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: Double(second), source: .ble)
    }

    private func serial() throws -> SondeSerial { try #require(SondeSerial(name: "V4210150", type: .rs41)) }

    private func bytes(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// A store with three points.
    private func filled() async throws -> (StoreFolder, FlightStore) {
        let bench = try StoreFolder()
        let store = bench.store()
        for second in 0..<3 as Range<Int64> { try await store.record([.points(serial(), .rs41, [point(second)])]) }
        return (bench, store)
    }

    /// Between our transactions another program commits its own: no call fails, and the WAL stays small.
    @Test func callsSucceedWhileAnotherProgramWrites() async throws {
        let (bench, store) = try await filled()
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

    /// Another program holds the write lock: the call fails, and the next one works.
    @Test func aCallFailsOnlyWhileAnotherProgramHoldsTheLock() async throws {
        let (bench, store) = try await filled()
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
