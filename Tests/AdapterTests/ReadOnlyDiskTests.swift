import FlightMath
import FlightStore
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

/// The file system of a worn card becomes read-only by itself. Its flights are still shown.
@Suite(.timeLimit(.minutes(10))) struct ReadOnlyDiskTests {
    private func point(_ second: Int64) throws -> FlightLogEntry {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let point = TrackPoint(
            time: WallTime(millisecondsSince1970: 1_767_268_800_000 + second * 1000),
            coordinate: Coordinate(latitude: 47, longitude: 8), altitudeMetres: 500, source: .ble)
        return .points(serial, .rs41, [point])
    }

    private func points(_ reader: FlightReader) async throws -> [Int] {
        try await reader.flights(of: nil, limit: 9).map(\.points)
    }

    /// SQLite can't make its files beside the store there. What is written once the disk is whole again is seen.
    @Test func flightsAreReadFromAReadOnlyDisk() async throws {
        let disk = try await SmallDisk(megabytes: 4)
        // SQLite would take a part of this name for a parameter.
        let bench = StoreFolder(folder: disk.folder.appendingPathComponent("a?b#c%20d"))
        let store = bench.store()
        try await store.record([try point(0)])
        await store.close()
        try await disk.makeReadOnly()
        let reader = FlightReader(path: bench.path)
        #expect(try await points(reader) == [1])
        try await disk.makeWritable()
        let next = bench.store()
        try await next.record([try point(1)])
        #expect(try await points(reader) == [2])
        await next.close()
    }

    /// What the gateway wrote last stands in SQLite's log.
    @Test func theLogIsReadFromAReadOnlyDisk() async throws {
        let (disk, bench) = (try await SmallDisk(megabytes: 4), try StoreFolder())
        let store = bench.store()
        for second in 0..<3 as Range<Int64> { try await store.record([try point(second)]) }
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(
                atPath: bench.path + suffix, toPath: disk.folder.path + "/gateway.sqlite" + suffix)
        }
        await store.close()
        try await disk.makeReadOnly()
        #expect(try await points(FlightReader(path: disk.folder.path + "/gateway.sqlite")) == [3])
    }
}
