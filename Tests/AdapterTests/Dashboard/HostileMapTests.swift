import Dispatch
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Dashboard

/// What lies in the maps folder and would hold up whoever touches it.
@Suite(.timeLimit(.minutes(10))) struct HostileMapTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]
    private static let endless = """
        WITH RECURSIVE r(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM r)
        SELECT random() AS zoom_level, random() AS tile_column, random() AS tile_row, nullif(x, x) AS tile_data FROM r
        """
    private static let slow = "takes longer than 2 s for an answer; it needs an index of its tiles"

    private let folder: URL

    init() throws {
        folder = try temporaryDirectory()
    }

    /// - Parameter view: what `tiles` is, over the tables `map` and `images`, as many programs write it.
    private func mbtiles(
        _ name: String,
        view: String = """
        SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images ON images.tile_id = map.tile_id
        """
    ) throws {
        let queue = try DatabaseQueue(path: folder.appendingPathComponent(name).path)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE metadata (name TEXT, value TEXT);
                    CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id TEXT);
                    CREATE TABLE images (tile_data BLOB, tile_id TEXT);
                    INSERT INTO map VALUES (0, 0, 0, 'x');
                    CREATE VIEW tiles AS \(view);
                    """)
            try database.execute(sql: "INSERT INTO images VALUES (?, 'x')", arguments: [Data(Self.png)])
        }
        try queue.close()
    }

    private func get(_ rig: DashboardRig, _ path: String) async throws -> RawClient {
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("an answer to \(path)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    private func text(of shelf: MapShelf, _ file: String) -> String? { shelf.faults.first { $0.name == file }?.text }

    /// Pipes, devices and folders are named, and not opened; the others are served, also where `tiles` is a view.
    @Test func onlyPlainFiles() async throws {
        try mbtiles("good.mbtiles")
        for name in ["pipe.mbtiles", "other"] { mkfifo(folder.appendingPathComponent(name).path, 0o600) }
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("folder.mbtiles"), withIntermediateDirectories: false)
        for (name, target) in [
            ("null.mbtiles", "/dev/null"), ("nothing.mbtiles", "/nowhere"), ("link.mbtiles", "good.mbtiles"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent(name).path, withDestinationPath: target)
        }
        let rig = try await DashboardRig(maps: folder.path)
        let list = try await get(rig, "/maps.json")
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.body.utf8)) as? [[String: Any]])
        #expect(maps.map { $0["name"] as? String } == ["good", "link"])
        #expect(try await get(rig, "/maps/link/0/0/0").status == 200)
        #expect(try await get(rig, "/").status == 200)
        await rig.stop()
        // As `doctor` looks.
        let shelf = try #require(MapShelf.look(in: folder.path))
        for name in ["pipe.mbtiles", "folder.mbtiles", "null.mbtiles"] {
            #expect(text(of: shelf, name) == "is no plain file")
        }
        #expect(text(of: shelf, "nothing.mbtiles") == "can't be looked at: No such file or directory")
        #expect(text(of: shelf, "other") == "is neither an .mbtiles file nor a folder of tiles")
        #expect(shelf.faults.count == 5)
    }

    /// It is given up, named, and asked again when it has changed.
    @Test func aMapThatComputesForEver() async throws {
        try mbtiles("a.mbtiles", view: Self.endless)
        try mbtiles("good.mbtiles")
        let first = MapShelf(folder: folder.path)
        #expect(first.names == ["good"])
        #expect(text(of: first, "a.mbtiles") == Self.slow)
        let began = ContinuousClock.now
        let second = MapShelf(folder: folder.path, after: first)
        #expect(ContinuousClock.now - began < .seconds(2))
        #expect(text(of: second, "a.mbtiles") == Self.slow)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("a.mbtiles"))
        try mbtiles("a.mbtiles")
        let third = MapShelf(folder: folder.path, after: second)
        #expect(third.names == ["a", "good"])
        #expect(third.faults.isEmpty)
    }

    /// It looks well, until it is asked for a tile that it hasn't.
    @Test func aTileThatComputesForEver() async throws {
        try mbtiles(
            "a.mbtiles",
            view:
                "SELECT zoom_level, tile_column, tile_row, tile_data FROM map, images UNION ALL SELECT * FROM (\(Self.endless))"
        )
        try mbtiles("good.mbtiles")
        let rig = try await DashboardRig(maps: folder.path)
        #expect(try await get(rig, "/maps.json").body.contains("\"a\""))
        #expect(try await get(rig, "/maps/a/0/0/0").status == 200)
        #expect(try await get(rig, "/maps/a/5/0/0").status == 404)
        #expect(try await get(rig, "/maps/good/0/0/0").status == 200)
        #expect(try await !get(rig, "/maps.json").body.contains("\"a\""))
        await rig.stop()
    }

    /// The page's own files wait for no map, and neither does the end.
    @Test func nothingWaitsForAMap() async throws {
        for index in 0..<4 { try mbtiles("\(index).mbtiles", view: Self.endless) }
        let rig = try await DashboardRig(maps: folder.path)
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET /maps.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let began = ContinuousClock.now
        #expect(try await get(rig, "/").status == 200)
        #expect(try await get(rig, "/leaflet/leaflet.js").status == 200)
        await rig.stop()
        // The four take 2 s each.
        #expect(ContinuousClock.now - began < .seconds(6))
        withExtendedLifetime(client) {}
    }

    /// A disk that is away holds up one thread: who asks is told so in time, whoever comes then at once.
    @Test func aDiskThatDoesNotAnswer() async throws {
        let thread = MapThread(patience: .milliseconds(300))
        thread.start()
        let disk = DispatchSemaphore(value: 0)
        #expect(
            await thread.run { () -> Int in
                disk.wait()
                return 1
            } == nil)
        let began = ContinuousClock.now
        for _ in 0..<1000 { #expect(await thread.run { 2 } == nil) }
        #expect(ContinuousClock.now - began < .seconds(60))
        disk.signal()
        try await eventually("it answers again") { await thread.run { 3 } }
        // The end waits for nothing that is being done.
        async let late = thread.run { () -> Int in
            disk.wait()
            return 4
        }
        thread.stop()
        #expect(await late == nil)
        disk.signal()
    }

    /// A link says nothing of the size of what it leads to, and a pipe's reader would wait.
    @Test func tilesThatAreNoPlainPictures() async throws {
        let tiles = folder.appendingPathComponent("osm/3/0")
        try FileManager.default.createDirectory(at: tiles, withIntermediateDirectories: true)
        let (large, small) = (folder.appendingPathComponent(".large"), folder.appendingPathComponent(".small"))
        try Data(Self.png).write(to: large)
        truncate(large.path, 400_000_000)
        try Data(Self.png).write(to: small)
        for (row, target) in [large.path, small.path, "/dev/zero", "/nowhere"].enumerated() {
            try FileManager.default.createSymbolicLink(
                atPath: tiles.appendingPathComponent("\(row).png").path, withDestinationPath: target)
        }
        mkfifo(tiles.appendingPathComponent("4.png").path, 0o600)
        try FileManager.default.createDirectory(
            at: tiles.appendingPathComponent("5.png"), withIntermediateDirectories: false)
        for (row, length) in [(6, 1_000_000), (7, 1_000_001)] {
            try Data(Self.png + [UInt8](repeating: 0, count: length - Self.png.count)).write(
                to: tiles.appendingPathComponent("\(row).png"))
        }
        let rig = try await DashboardRig(maps: folder.path)
        for (row, status) in [204, 200, 204, 204, 204, 204, 200, 204].enumerated() {
            #expect(try await get(rig, "/maps/osm/3/0/\(row)").status == status, "\(row)")
        }
    }
}
