import FoundationEssentials
import GRDB

// The table `tiles` of an MBTiles file, be it somebody's map or the kept tiles of a server.

extension Database {
    /// Limits the memory for pages. The file is not mapped: one that somebody cuts short would end the process.
    func useLittleMemory() throws {
        try execute(sql: "PRAGMA cache_size = -512")
        try execute(sql: "PRAGMA mmap_size = 0")
    }

    /// - Returns: nil if there is no row of this place, or one that is too long or holds something else; empty bytes
    ///   if the row says that there is no picture.
    func picture(at place: TilePlace) throws -> [UInt8]? {
        try blob(
            """
            SELECT tile_data FROM tiles
            WHERE zoom_level = ? AND tile_column = ? AND tile_row = ? AND length(tile_data) <= ?
            """,
            with: place.key + [TileFormat.longest])
    }

    /// The bytes in the first column of the first row; nil if there are none.
    func blob(_ sql: String, with values: StatementArguments) throws -> [UInt8]? {
        guard let row = try Row.fetchOne(self, sql: sql, arguments: values), row.count > 0 else { return nil }
        // GRDB's subscripts trap on a value of another type.
        switch (row[0] as DatabaseValue).storage {
        case .blob(let data): return Array(data)
        case .null, .int64, .double, .string: return nil
        }
    }
}

extension TilePlace {
    /// The values of `zoom_level`, `tile_column` and `tile_row`.
    var key: StatementArguments { [zoom, column, rowFromSouth] }
}
