import FoundationEssentials
import GRDB

/// A file of raster tiles in SQLite. It is opened read-only and as immutable.
final class MBTilesMap: TileMap {
    let file: String
    let facts: MapFacts
    let tag: String
    let remark: String?
    private let queue: DatabaseQueue

    /// - Parameter file: its name in `folder`.
    /// - Throws: ``MapFault`` with the reason.
    init(file: String, in folder: String, name: String, tag: String) throws(MapFault) {
        (self.file, self.tag) = (file, tag)
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.prepareDatabase { database in
                try database.useLittleMemory()
                PlainSchema.limit(database)
            }
            // As an immutable file, SQLite neither looks for a journal nor locks it.
            let path = "\(folder)/\(file)".utf8
            let place = path.map { Self.isPlain($0) ? String(Unicode.Scalar($0)) : "%" + Self.hex($0) }.joined()
            queue = try DatabaseQueue(path: "file:\(place)?immutable=1", configuration: configuration)
            var facts = try queue.readWithinLimit { try Self.facts(of: $0, name: name) }
            // Two look-ups in the usual index. Without an index they may take too long.
            facts.zooms = (try? queue.readWithinLimit { try Self.zooms(of: $0) }) ?? facts.zooms
            let deepest = facts.zooms.upperBound
            let ends = (try? queue.readWithinLimit { try Self.ends(of: $0, zoom: deepest) }) ?? []
            let isElsewhere = facts.bounds.map { bounds in Self.isElsewhere(bounds, ends) } ?? false
            if isElsewhere { facts.bounds = nil }
            self.facts = facts
            let advice = "has bounds in its metadata that hold none of its tiles; they are ignored. They must be west, "
            remark = isElsewhere ? advice + "south, east, north" : Self.remarkOfZooms(facts)
        } catch let fault as MapFault {
            throw fault
        } catch {
            throw MapFault(text: "can't be read: \((error as? DatabaseError)?.message ?? "not an MBTiles file")")
        }
    }

    func tile(_ place: TilePlace) throws(MapFault) -> [UInt8]? {
        do {
            return try queue.readWithinLimit { try $0.picture(at: place) }
        } catch let fault as MapFault {
            throw fault
        } catch {
            return nil
        }
    }

    private static func facts(of database: Database, name: String) throws -> MapFacts {
        var metadata: [String: String] = [:]
        if try PlainSchema.hasMetadata(database) {
            let sql = "SELECT name, value FROM metadata WHERE length(name) <= 100 AND length(value) <= 4000 LIMIT 100"
            for row in try Row.fetchAll(database, sql: sql) {
                guard let key = text(row, 0), let value = text(row, 1) else { continue }
                metadata[key] = value
            }
        }
        let format = metadata["format"]?.lowercased() ?? ""
        guard format != "pbf", format != "mvt" else { throw MapFault.isVector }
        let sql = "SELECT tile_data FROM tiles WHERE length(tile_data) BETWEEN 1 AND ? LIMIT 1"
        guard let sample = try database.blob(sql, with: [TileFormat.longest]) else {
            throw MapFault(text: "has no tiles")
        }
        guard TileFormat(sample) != nil else { throw MapFault(text: "holds no PNG, JPEG or WebP pictures") }
        let zooms = ["minzoom", "maxzoom"].map { metadata[$0].flatMap { Double($0) }.flatMap { Int(exactly: $0) } }
        return MapFacts(
            name: name, zooms: TilePlace.zooms.clampedRange(zooms[0] ?? 0, zooms[1] ?? TilePlace.zooms.upperBound),
            bounds: bounds(metadata["bounds"]), attribution: String(metadata["attribution"]?.prefix(200) ?? ""))
    }

    /// The zoom levels of the tiles: metadata often has none or others, and the page enlarges the deepest level.
    private static func zooms(of database: Database) throws -> ClosedRange<Int>? {
        let ends = try ["", "DESC"].compactMap { direction -> Int? in
            let sql = "SELECT zoom_level FROM tiles ORDER BY zoom_level \(direction) LIMIT 1"
            guard let row = try Row.fetchOne(database, sql: sql) else { return nil }
            switch (row[0] as DatabaseValue).storage {
            case .int64(let zoom): return Int(zoom)
            case .null, .double, .string, .blob: return nil
            }
        }
        guard ends.count == 2, ends.allSatisfy(TilePlace.zooms.contains) else { return nil }
        return ends[0]...max(ends[0], ends[1])
    }

    /// The first and the last tile of a zoom level, by their columns.
    private static func ends(of database: Database, zoom: Int) throws -> [TilePlace] {
        try ["", "DESC"].compactMap { direction in
            let sql = """
                SELECT tile_column, tile_row FROM tiles WHERE zoom_level = ?
                ORDER BY tile_column \(direction), tile_row \(direction) LIMIT 1
                """
            guard let row = try Row.fetchOne(database, sql: sql, arguments: [zoom]), row.count == 2,
                let column = whole(row, 0), let fromSouth = whole(row, 1), 0..<(1 << zoom) ~= fromSouth
            else { return nil }
            return TilePlace(zoom: zoom, column: column, row: (1 << zoom) - 1 - fromSouth)
        }
    }

    /// Whether the bounds lie beside the area from the first to the last tile, as those do that name the latitude
    /// first.
    private static func isElsewhere(_ bounds: [Double], _ ends: [TilePlace]) -> Bool {
        let areas = ends.map(\.bounds)
        guard let west = areas.map({ $0[0] }).min(), let south = areas.map({ $0[1] }).min(),
            let east = areas.map({ $0[2] }).max(), let north = areas.map({ $0[3] }).max()
        else { return false }
        return bounds[0] > east || bounds[2] < west || bounds[1] > north || bounds[3] < south
    }

    private static func whole(_ row: Row, _ column: Int) -> Int? {
        switch (row[column] as DatabaseValue).storage {
        case .int64(let number): Int(exactly: number)
        case .null, .double, .string, .blob: nil
        }
    }

    private static func bounds(_ text: String?) -> [Double]? {
        let numbers = text?.split(separator: ",").compactMap { Double($0.filter { $0 != " " }) } ?? []
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[0] < numbers[2], numbers[1] < numbers[3]
        else { return nil }
        return numbers
    }

    // GRDB's subscripts trap on a value of another type.

    private static func text(_ row: Row, _ column: Int) -> String? {
        switch (row[column] as DatabaseValue).storage {
        case .string(let text): text
        case .int64(let number): String(number)
        case .null, .double, .blob: nil
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        "/.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8.contains(byte)
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}

/// Why a map can't be shown.
struct MapFault: Error, Equatable {
    var text: String

    /// A map with this fault is not opened again until its file changes.
    static let isSlow = MapFault(text: "takes longer than 2 s for an answer; it needs an index of its tiles")
    static let isVector = MapFault(text: "is a vector map; the page shows raster maps only")
}

extension ClosedRange<Int> {
    /// Two numbers in any order as a range, clamped to this one.
    func clampedRange(_ first: Int, _ second: Int) -> ClosedRange<Int> {
        let ends = [first, second].map { Swift.min(Swift.max($0, lowerBound), upperBound) }
        return Swift.min(ends[0], ends[1])...Swift.max(ends[0], ends[1])
    }
}
