import Foundation
import GRDB
import TestSupport
import Testing

@testable import Dashboard

/// Users' raster maps, good and broken.
@Suite(.timeLimit(.minutes(10))) struct TileMapTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]
    private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 9]

    private func mbtiles(
        _ file: URL, format: String? = "png", tile: DatabaseValue = png.databaseBlob,
        bounds: String = "11.5,46.5,14,47.5",
        deepest: String? = "12", tileZooms: [Int] = [5]
    ) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE metadata (name TEXT, value TEXT)")
            try database.execute(
                sql: "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB)")
            for (name, value) in [
                ("format", format), ("minzoom", "5"), ("maxzoom", deepest), ("bounds", bounds),
                ("attribution", "<a href=\"x\">A \"map\"</a>"),
            ] {
                try database.execute(sql: "INSERT INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
            // Column 17, row 11 in the web's grid.
            for zoom in tileZooms {
                try database.execute(
                    sql: "INSERT INTO tiles VALUES (?, 17, ?, ?)", arguments: [zoom, 31 - 11, tile])
            }
        }
        try queue.close()
    }

    @Test func mapsAreServed() async throws {
        let folder = try temporaryDirectory()
        try mbtiles(folder.appendingPathComponent("topo.mbtiles"))
        let tiles = folder.appendingPathComponent("osm/5/17")
        try FileManager.default.createDirectory(at: tiles, withIntermediateDirectories: true)
        try Data(Self.jpeg).write(to: tiles.appendingPathComponent("11.jpg"))
        let rig = try await DashboardRig(maps: folder.path)
        let list = try await rig.get("/maps.json").body
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(maps.map { $0["name"] as? String } == ["osm", "topo"])
        #expect(maps[1]["bounds"] as? [Double] == [11.5, 46.5, 14, 47.5])
        #expect(maps[1]["attribution"] as? String == "A \"map\"")
        let tile = try await rig.get("/maps/topo/5/17/11")
        #expect(tile.status == 200 && tile.text.contains("Content-Type: image/png"))
        #expect(Array(tile.received.suffix(Self.png.count)) == Self.png)
        #expect(tile.text.contains("max-age=604800"))
        #expect(try await rig.get("/maps/osm/5/17/11.png").text.contains("Content-Type: image/jpeg"))
        for (path, status) in [
            ("/maps/topo/5/17/20", 204), ("/maps/osm/9/0/0", 204), ("/maps/topo/5/32/0", 404),
            ("/maps/topo/40/0/0", 404), ("/maps/none/5/17/11", 404), ("/maps/topo/5/17/x", 404),
        ] {
            #expect(try await rig.get(path).status == status, "\(path)")
        }
    }

    /// The metadata's deepest zoom; nil if it names none. The page enlarges the tiles of the deepest level, so a level
    /// without tiles would be an empty map.
    @Test(arguments: [nil, "12", "12.0", " 12", "22", "-3", "many", "1e300"] as [String?])
    func theZoomsAreThoseOfTheTiles(_ deepest: String?) async throws {
        let folder = try temporaryDirectory()
        try mbtiles(folder.appendingPathComponent("a.mbtiles"), deepest: deepest, tileZooms: [11, 10, 12])
        let list = try await DashboardRig(maps: folder.path).get("/maps.json").body
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(maps[0]["min"] as? Int == 10 && maps[0]["max"] as? Int == 12, "\(list)")
    }

    /// Bounds that hold no tile are ignored and named: with them the browser would show nothing. Bounds, the ones that
    /// the page gets.
    @Test(
        arguments: [
            ("11.5,46.5,14,47.5", [11.5, 46.5, 14, 47.5]), ("46.5,11.5,47.5,14", nil), ("6.5,46.5,9,47.5", nil),
            ("11.5,-20,14,-10", nil), ("-180,-85,180,85", [-180, -85, 180, 85]),
        ] as [(String, [Double]?)])
    func boundsThatFitNoTileAreIgnored(_ bounds: String, _ shown: [Double]?) async throws {
        let folder = try temporaryDirectory()
        try mbtiles(folder.appendingPathComponent("a.mbtiles"), bounds: bounds)
        let list = try await DashboardRig(maps: folder.path).get("/maps.json").body
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(maps[0]["bounds"] as? [Double] == shown)
        let faults = MapShelf(folder: folder.path).faults
        #expect(faults.map(\.name) == (shown == nil ? ["a.mbtiles"] : []))
        #expect(faults.allSatisfy { $0.text.contains("west, south, east, north") })
    }

    /// A map with deep levels only is shown from near, and `doctor` says what helps.
    @Test(arguments: [(12, false), (13, true), (16, true)])
    func aMapOfDeepLevelsIsNamed(_ level: Int, _ isNamed: Bool) throws {
        let folder = try temporaryDirectory()
        try mbtiles(folder.appendingPathComponent("a.mbtiles"), bounds: "-180,-86,180,86", tileZooms: [level])
        let tiles = folder.appendingPathComponent("b/\(level)/0")
        try FileManager.default.createDirectory(at: tiles, withIntermediateDirectories: true)
        let shelf = MapShelf(folder: folder.path)
        #expect(shelf.names == ["a", "b"])
        #expect(shelf.faults.map(\.name) == (isNamed ? ["a.mbtiles", "b"] : []))
        #expect(shelf.faults.allSatisfy { $0.text.contains("make overviews") })
        // It is named as long as it is there.
        #expect(MapShelf(folder: folder.path, after: shelf).faults.count == shelf.faults.count)
    }

    /// KML and GeoJSON files are served for the page to draw. Others, and too long ones, are not.
    @Test func drawingsAreServed() async throws {
        let folder = try temporaryDirectory()
        for (name, text) in [("No go.kml", "<kml/>"), ("b.geojson", "{}"), ("notes.txt", "x")] {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        try Data(count: 2_000_001).write(to: folder.appendingPathComponent("huge.kml"))
        let rig = try await DashboardRig(maps: folder.path)
        #expect(try await rig.get("/drawings.json").body == #"[{"name":"No go.kml"},{"name":"b.geojson"}]"#)
        let drawing = try await rig.get("/drawings/No%20go.kml")
        #expect(drawing.status == 200 && drawing.body == "<kml/>")
        #expect(drawing.text.contains("Content-Type: application/vnd.google-earth.kml+xml"))
        for path in ["huge.kml", "notes.txt", "..%2fb.geojson", "none.kml", "%2e%2e"] {
            #expect(try await rig.get("/drawings/\(path)").status == 404, "\(path)")
        }
        #expect(MapShelf(folder: folder.path).faults.map(\.name) == ["huge.kml", "notes.txt"])
    }

    /// A picture of many megabytes counts as missing.
    @Test func tooLargeTilesAreMissing() async throws {
        let folder = try temporaryDirectory()
        let large = Self.png + [UInt8](repeating: 0, count: 1_000_000)
        try mbtiles(folder.appendingPathComponent("topo.mbtiles"))
        let queue = try DatabaseQueue(path: folder.appendingPathComponent("topo.mbtiles").path)
        try await queue.write { database in
            try database.execute(sql: "INSERT INTO tiles VALUES (5, 18, ?, ?)", arguments: [31 - 11, Data(large)])
        }
        try queue.close()
        let tiles = folder.appendingPathComponent("osm/5/17")
        try FileManager.default.createDirectory(at: tiles, withIntermediateDirectories: true)
        try Data(large).write(to: tiles.appendingPathComponent("11.png"))
        let rig = try await DashboardRig(maps: folder.path)
        #expect(try await rig.get("/maps/topo/5/17/11").status == 200)
        for path in ["/maps/topo/5/18/11", "/maps/osm/5/17/11"] {
            #expect(try await rig.get(path).status == 204, "\(path)")
        }
    }

    /// Names with blanks, umlauts and quotes, a file without `metadata`, tiles without an ending.
    @Test func unusualMapsAreServed() async throws {
        let folder = try temporaryDirectory()
        try mbtiles(folder.appendingPathComponent("Zürich \"West\" 1.mbtiles"))
        let bare = folder.appendingPathComponent("bare.mbtiles")
        try mbtiles(bare)
        let queue = try DatabaseQueue(path: bare.path)
        try await queue.write { try $0.execute(sql: "DROP TABLE metadata") }
        try queue.close()
        let tiles = folder.appendingPathComponent("no ending/5/17")
        try FileManager.default.createDirectory(at: tiles, withIntermediateDirectories: true)
        try Data(Self.jpeg).write(to: tiles.appendingPathComponent("11"))
        let rig = try await DashboardRig(maps: folder.path)
        let list = try await rig.get("/maps.json").body
        let maps = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(maps.map { $0["name"] as? String } == ["Zürich \"West\" 1", "bare", "no ending"])
        for path in ["Z%C3%BCrich%20%22West%22%201/5/17/11", "bare/5/17/11", "no%20ending/5/17/11"] {
            #expect(try await rig.get("/maps/\(path)").status == 200, "\(path)")
        }
        for path in ["no%ending/5/17/11", "%2e%2e/5/17/11", "bare%2f5/17/11/1"] {
            #expect(try await rig.get("/maps/\(path)").status == 404, "\(path)")
        }
    }

    /// The map is served without its newest tiles, and a fault says so.
    @Test func aMapThatIsBeingWrittenIsServedWithAFault() throws {
        let folder = try temporaryDirectory()
        let file = folder.appendingPathComponent("topo.mbtiles")
        try mbtiles(file)
        let writer = try DatabasePool(path: file.path)
        try writer.write {
            try $0.execute(
                sql: "INSERT INTO tiles SELECT zoom_level + 1, tile_column * 2, tile_row * 2 + 1, tile_data FROM tiles")
        }
        let shelf = MapShelf(folder: folder.path)
        #expect(shelf.names == ["topo"])
        #expect(shelf.faults.map(\.name) == ["topo.mbtiles"])
        #expect(shelf.faults.first?.text.hasPrefix("is shown without the tiles in topo.mbtiles-wal") == true)
        try writer.close()
        #expect(MapShelf(folder: folder.path).faults.isEmpty)
    }

    /// Maps that can't be shown are reported and do no harm.
    @Test func brokenMapsAreNamed() async throws {
        let folder = try temporaryDirectory()
        let file = { (name: String) in folder.appendingPathComponent(name) }
        try Data("no database".utf8).write(to: file("garbage.mbtiles"))
        try Data().write(to: file("nothing.mbtiles"))
        try mbtiles(file("vector.mbtiles"), format: "pbf")
        try mbtiles(file("texts.mbtiles"), tile: "not a picture".databaseValue)
        try mbtiles(file("numbers.mbtiles"), tile: 5.databaseValue)
        try mbtiles(file("whole.mbtiles"), bounds: "nan,1,x")
        let whole = try Data(contentsOf: file("whole.mbtiles"))
        try whole.prefix(5000).write(to: file("cut.mbtiles"))
        var flipped = whole
        for index in stride(from: 200, to: flipped.count, by: 97) { flipped[index] ^= 0xff }
        try flipped.write(to: file("flipped.mbtiles"))
        try Data().write(to: file("x y.mbtiles"))
        try FileManager.default.createDirectory(at: file("empty"), withIntermediateDirectories: true)
        let shelf = MapShelf(folder: folder.path)
        #expect(shelf.names == ["whole"])
        let faults = Dictionary(shelf.faults.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        #expect(
            Set(faults.keys) == [
                "garbage.mbtiles", "nothing.mbtiles", "vector.mbtiles", "texts.mbtiles", "numbers.mbtiles",
                "cut.mbtiles",
                "flipped.mbtiles", "x y.mbtiles", "empty",
            ])
        #expect(faults["vector.mbtiles"]?.contains("vector map") == true)
        let rig = try await DashboardRig(maps: folder.path)
        let list = try await rig.get("/maps.json").body
        #expect(list.contains("whole") && list.contains("\"bounds\":null") && !list.contains("cut"))
        #expect(try await rig.get("/maps/whole/5/17/11").status == 200)
    }
}

extension [UInt8] {
    fileprivate var databaseBlob: DatabaseValue { Data(self).databaseValue }
}
