import Dispatch
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Dashboard

/// Files in the maps folder that would block their reader.
@Suite(.timeLimit(.minutes(10))) struct HostileMapTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]
    /// A query that searches a thousand million rows and finds none.
    private static let endless = """
        SELECT a.number AS zoom_level, b.number AS tile_column, c.number AS tile_row, images.tile_data AS tile_data
        FROM numbers a JOIN numbers b JOIN numbers c JOIN images ON a.number + b.number + c.number > 100000
        """
    private static let slow = "takes longer than 2 s for an answer; it needs an index of its tiles"

    private let folder: URL

    init() throws {
        folder = try temporaryDirectory()
    }

    /// - Parameter view: the SQL of `tiles` over the tables `map` and `images`, which many programs write.
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
                    CREATE TABLE numbers (number INTEGER);
                    WITH RECURSIVE r(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM r WHERE x < 999)
                    INSERT INTO numbers SELECT x FROM r;
                    INSERT INTO map VALUES (0, 0, 0, 'x');
                    INSERT INTO map VALUES (5, 0, 0, 'x');
                    CREATE VIEW tiles AS \(view);
                    """)
            try database.execute(sql: "INSERT INTO images VALUES (?, 'x')", arguments: [Data(Self.png)])
        }
        try queue.close()
    }

    private func text(of shelf: MapShelf, _ file: String) -> String? { shelf.faults.first { $0.name == file }?.text }

    /// Pipes, devices and folders are reported and not opened. Plain files are served, also if `tiles` is a view.
    @Test func onlyPlainFilesAreOpened() async throws {
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
        let list = try await rig.get("/maps.json")
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.body.utf8)) as? [[String: Any]])
        #expect(maps.map { $0["name"] as? String } == ["good", "link"])
        #expect(try await rig.get("/maps/link/0/0/0").status == 200)
        #expect(try await rig.get("/").status == 200)
        await rig.stop()
        // The way `doctor` looks.
        let shelf = try #require(MapShelf.look(in: folder.path, except: []))
        for name in ["pipe.mbtiles", "folder.mbtiles", "null.mbtiles"] {
            #expect(text(of: shelf, name) == "is no plain file")
        }
        #expect(text(of: shelf, "nothing.mbtiles") == "can't be looked at: No such file or directory")
        #expect(text(of: shelf, "other") == "is neither an .mbtiles file nor a folder of tiles")
        #expect(shelf.faults.count == 5)
    }

    /// The map is reported, and opened again when its file has changed.
    @Test func aMapThatComputesForEverIsGivenUp() async throws {
        try mbtiles("a.mbtiles", view: Self.endless)
        try mbtiles("good.mbtiles")
        let first = MapShelf(folder: folder.path)
        #expect(first.names == ["good"])
        #expect(text(of: first, "a.mbtiles") == Self.slow)
        // Each look that opened the map would take 2 s.
        let began = ContinuousClock.now
        let second = (0..<15).reduce(first) { shelf, _ in MapShelf(folder: folder.path, after: shelf) }
        #expect(ContinuousClock.now - began < .seconds(20))
        #expect(text(of: second, "a.mbtiles") == Self.slow)
        try FileManager.default.removeItem(at: folder.appendingPathComponent("a.mbtiles"))
        try mbtiles("a.mbtiles")
        let third = MapShelf(folder: folder.path, after: second)
        #expect(third.names == ["a", "good"])
        #expect(third.faults.isEmpty)
    }

    /// The map opens, but a request for a missing tile never ends.
    @Test func aTileThatComputesForEverRemovesItsMap() async throws {
        try mbtiles(
            "a.mbtiles",
            view: """
                SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images
                JOIN numbers a JOIN numbers b JOIN numbers c ON a.number + b.number + c.number >= zoom_level * 1000
                """)
        try mbtiles("good.mbtiles")
        let rig = try await DashboardRig(maps: folder.path)
        #expect(try await rig.get("/maps.json").body.contains("\"a\""))
        #expect(try await rig.get("/maps/a/0/0/0").status == 200)
        #expect(try await rig.get("/maps/a/5/0/0").status == 404)
        #expect(try await rig.get("/maps/good/0/0/0").status == 200)
        #expect(try await !rig.get("/maps.json").body.contains("\"a\""))
        await rig.stop()
    }

    /// Files that would make huge values or compute for ever.
    @Test(arguments: [
        "CREATE VIEW metadata AS SELECT 'name' AS name, printf('%.*c', 900000000, 'x') AS value",
        "CREATE VIEW metadata AS SELECT 'name' AS name, hex(zeroblob(400000000)) AS value",
        "CREATE VIEW metadata AS SELECT name, value FROM other; CREATE TABLE other (name TEXT, value TEXT)",
        "CREATE TABLE metadata (name TEXT, value TEXT AS (hex(zeroblob(400000000))))",
        "CREATE TABLE metadata (name TEXT, value TEXT GENERATED ALWAYS AS (replace(name, 'n', name)) VIRTUAL)",
        "CREATE VIRTUAL TABLE metadata USING fts5(name, value)",
        "CREATE VIEW more AS WITH RECURSIVE r(x) AS (SELECT 1 UNION SELECT x + 1 FROM r) SELECT x FROM r",
        "CREATE VIEW more AS SELECT group_concat(name) FROM sqlite_master",
        "CREATE VIEW more AS SELECT \"zeroblob\" (900000000) AS x",
        "CREATE VIEW more AS SELECT zeroblob/* */(900000000) AS x",
        "CREATE VIEW more AS SELECT [hex](x.name) FROM sqlite_master x",
        "CREATE TABLE more (a BLOB, b AS (zeroblob(900000000)) STORED)",
    ])
    func computingMapsAreRefused(_ sql: String) throws {
        try mbtiles("good.mbtiles")
        let queue = try DatabaseQueue(path: folder.appendingPathComponent("bad.mbtiles").path)
        try queue.write { database in
            try database.execute(
                sql: "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
            try database.execute(sql: "INSERT INTO tiles VALUES (0, 0, 0, ?)", arguments: [Data(Self.png)])
            try database.execute(sql: sql)
            if sql.hasPrefix("CREATE TABLE metadata") {
                try database.execute(sql: "INSERT INTO metadata (name) VALUES ('name')")
            }
        }
        try queue.close()
        let shelf = try #require(MapShelf.look(in: folder.path, except: []))
        #expect(shelf.names == ["good"])
        let fault = try #require(text(of: shelf, "bad.mbtiles"))
        #expect(fault.contains("only plain tables and joins") || fault.contains("only a table is read"), "\(fault)")
    }

    /// Views of other programs.
    @Test(arguments: [
        "SELECT map.zoom_level AS zoom_level, map.tile_column AS tile_column, map.tile_row AS tile_row, "
            + "images.tile_data AS tile_data FROM map JOIN images ON images.tile_id = map.tile_id",
        "SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id)",
        "select map.*, images.tile_data from map inner join images on (map.tile_id = images.tile_id)",
    ])
    func viewsWithJoinsAreAccepted(_ view: String) throws {
        try mbtiles("a.mbtiles", view: view)
        let shelf = MapShelf(folder: folder.path)
        #expect(shelf.names == ["a"] && shelf.faults.isEmpty, "\(shelf.faults)")
    }

    /// A long text in `metadata` is left out, as is a value beyond SQLite's limit.
    @Test func longMetadataIsLeftOut() throws {
        try mbtiles("a.mbtiles")
        let queue = try DatabaseQueue(path: folder.appendingPathComponent("a.mbtiles").path)
        try queue.write { database in
            for (name, value) in [("attribution", "A"), ("json", String(repeating: "x", count: 1_500_000))] {
                try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
        }
        try queue.close()
        let shelf = MapShelf(folder: folder.path)
        #expect(shelf.names == ["a"] && shelf.maps.first?.facts.attribution == "A")
    }

    /// Neither the page's own files nor a stop wait for a map.
    @Test func filesAndTheStopDoNotWaitForMaps() async throws {
        for index in 0..<15 { try mbtiles("\(index).mbtiles", view: Self.endless) }
        let rig = try await DashboardRig(maps: folder.path)
        try await rig.start()
        let client = try #require(RawClient(port: rig.port))
        client.send("GET /maps.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let began = ContinuousClock.now
        #expect(try await rig.get("/").status == 200)
        #expect(try await rig.get("/leaflet/leaflet.js").status == 200)
        await rig.stop()
        // The fifteen take 2 s each.
        #expect(ContinuousClock.now - began < .seconds(20))
        withExtendedLifetime(client) {}
    }

    /// The disk blocks one thread. The waiting request gets nil in time, later ones at once.
    @Test func aHangingDiskBlocksOnlyItsThread() async throws {
        let thread = MapThread(timeLimit: .milliseconds(300))
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
        // The stop does not wait for work under way.
        async let late = thread.run { () -> Int in
            disk.wait()
            return 4
        }
        thread.stop()
        #expect(await late == nil)
        disk.signal()
    }

    /// A link's size is not that of its file, and a pipe's reader would wait.
    @Test func linksAndPipesAreNoTiles() async throws {
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
            #expect(try await rig.get("/maps/osm/3/0/\(row)").status == status, "\(row)")
        }
    }
}
