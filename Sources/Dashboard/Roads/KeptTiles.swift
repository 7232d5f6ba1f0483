import FoundationEssentials
import GRDB
import Glibc
import NIOCore
import Threads

/// The tiles of a tile server in an MBTiles file of limited size. The oldest are deleted first. Several processes may
/// have it open. Call it on the maps' thread.
final class KeptTiles: Sendable {
    enum Kept: Equatable {
        /// The server has not been asked for it yet.
        case unknown
        /// The server has no tile there.
        case absent
        case picture([UInt8])
    }

    /// The tiles that are deleted at a time.
    private static let step = 4
    /// How long a write waits for another process.
    private static let busyLimit: TimeInterval = 3

    private let queue: DatabaseQueue
    private let most: Int64

    /// Opens the file, or makes it. A damaged one is replaced; the tiles of another server are removed.
    /// - Throws: ``MapFault`` with the reason.
    init(_ options: OnlineMapOptions) throws(MapFault) {
        LoopThread.assertMayBlock()
        most = Int64(options.megabytes) * 1_000_000
        do {
            try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
            do {
                queue = try Self.open(options)
            } catch let error as DatabaseError where error.isDamage {
                try Self.remove(options)
                queue = try Self.open(options)
            }
            Self.giveToOwner(of: options.folder, options.file)
            try queue.write { try Self.shrink($0, to: most) }
        } catch {
            throw MapFault(writing: error)
        }
    }

    /// Removes a damaged file.
    static func remove(_ options: OnlineMapOptions) throws {
        try FileManager.default.removeItem(atPath: options.file)
        unlink(options.file + "-journal")
    }

    private static func open(_ options: OnlineMapOptions) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyLimit)
        configuration.prepareDatabase { database in
            try database.useLittleMemory()
            // Gives the space of removed tiles back to the disk. Works only before the first table.
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        }
        let queue = try DatabaseQueue(path: options.file, configuration: configuration)
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS metadata (name TEXT PRIMARY KEY, value TEXT);
                    CREATE TABLE IF NOT EXISTS tiles (
                        id INTEGER PRIMARY KEY, zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER,
                        tile_data BLOB);
                    CREATE UNIQUE INDEX IF NOT EXISTS place ON tiles (zoom_level, tile_column, tile_row);
                    """)
            let style = try String.fetchOne(database, sql: "SELECT value FROM metadata WHERE name = 'style'")
            if style != options.style { try database.execute(sql: "DELETE FROM tiles") }
            for (name, value) in [
                ("style", options.style), ("name", options.name), ("format", "png"), ("minzoom", "0"),
                ("maxzoom", "\(options.maximumZoom)"), ("attribution", options.attribution),
            ] {
                try database.execute(sql: "INSERT OR REPLACE INTO metadata VALUES (?, ?)", arguments: [name, value])
            }
        }
        return queue
    }

    /// A command with `sudo` must not make a file that the gateway can't write. SQLite gives its journal to the file's
    /// owner by itself.
    private static func giveToOwner(of folder: String, _ file: String) {
        var owner = stat()
        guard geteuid() == 0, stat(folder + "/..", &owner) == 0 else { return }
        for path in [folder, file] where chown(path, owner.st_uid, owner.st_gid) != 0 { return }
    }

    func tile(_ place: TilePlace) throws(MapFault) -> Kept {
        LoopThread.assertMayBlock()
        do {
            guard let picture = try queue.readWithinLimit({ try $0.picture(at: place) }) else { return .unknown }
            return picture.isEmpty ? .absent : .picture(picture)
        } catch {
            throw MapFault(writing: error)
        }
    }

    /// - Parameter picture: nil for a place where the server has no tile.
    func keep(_ picture: [UInt8]?, at place: TilePlace) throws(MapFault) {
        LoopThread.assertMayBlock()
        do {
            try queue.write { database in
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO tiles (zoom_level, tile_column, tile_row, tile_data)
                        VALUES (?, ?, ?, ?)
                        """, arguments: place.key + [Data(picture ?? [])])
                try Self.shrink(database, to: most)
            }
        } catch {
            throw MapFault(writing: error)
        }
    }

    /// Deletes all tiles with this picture; an empty one stands for places where the server has none.
    func forget(_ picture: [UInt8]) throws(MapFault) {
        LoopThread.assertMayBlock()
        do {
            try queue.write { database in
                try database.execute(sql: "DELETE FROM tiles WHERE tile_data = ?", arguments: [Data(picture)])
            }
        } catch {
            throw MapFault(writing: error)
        }
    }

    /// The number of tiles with a picture, and their bytes.
    func count() throws(MapFault) -> (tiles: Int, bytes: Int) {
        LoopThread.assertMayBlock()
        do {
            return try queue.read { database in
                let sql = "SELECT count(*), total(length(tile_data)) FROM tiles WHERE length(tile_data) > 0"
                guard let row = try Row.fetchOne(database, sql: sql) else { return (0, 0) }
                return (Int.fromDatabaseValue(row[0]) ?? 0, Int(Double.fromDatabaseValue(row[1]) ?? 0))
            }
        } catch {
            throw MapFault(writing: error)
        }
    }

    private static func shrink(_ database: Database, to most: Int64) throws {
        let page = try number("page_size", database)
        var isSmaller = false
        while try (number("page_count", database) - number("freelist_count", database)) * page > most {
            try database.execute(
                sql: "DELETE FROM tiles WHERE id IN (SELECT id FROM tiles ORDER BY id LIMIT ?)", arguments: [step])
            guard database.changesCount > 0 else { break }
            isSmaller = true
        }
        if isSmaller { try database.execute(sql: "PRAGMA incremental_vacuum") }
    }

    private static func number(_ pragma: String, _ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "PRAGMA \(pragma)") ?? 0
    }
}

extension DatabaseError {
    /// The file can't be read any more, and a new one is the only remedy.
    fileprivate var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}

extension MapFault {
    /// The file is damaged: remove it and begin anew.
    static let isDamaged = MapFault(text: "is damaged and made anew")

    fileprivate init(writing error: any Error) {
        switch error {
        case let fault as MapFault: self = fault
        case let error as DatabaseError where error.isDamage: self = .isDamaged
        case let error as DatabaseError: self.init(text: "can't be used: \(error.message ?? "an error of SQLite")")
        default: self.init(text: "can't be made; see the folder's permissions")
        }
    }
}
