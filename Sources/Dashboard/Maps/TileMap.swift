import NIOCore

/// A raster map that can be shown.
protocol TileMap: Sendable {
    /// Its name in the maps folder.
    var file: String { get }
    var facts: MapFacts { get }
    /// Changes with the map.
    var tag: String { get }
    /// By the web's count, rows from the north; nil where there is none. On the maps' thread.
    /// - Throws: ``MapFault`` when the map can't be shown any longer.
    func tile(_ place: TilePlace) throws(MapFault) -> [UInt8]?
}

extension TileMap {
    /// Bytes of a picture; a larger one counts as none, and is not read.
    static var longest: Int { 1_000_000 }
}

/// Of a tile in the web's grid.
struct TilePlace: Equatable, Sendable {
    static let zooms = 0...22
    let zoom, column, row: Int

    /// - Returns: nil for what lies outside the world.
    init?(zoom: Int, column: Int, row: Int) {
        guard Self.zooms.contains(zoom), 0..<(1 << zoom) ~= column, 0..<(1 << zoom) ~= row else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// As MBTiles has it, from the south.
    var rowFromSouth: Int { (1 << zoom) - 1 - row }
}

/// What a map is, for the list.
struct MapFacts: Equatable, Sendable {
    var name: String
    var zooms: ClosedRange<Int>
    /// West, south, east, north; nil for the world.
    var bounds: [Double]?
    var attribution: String
}

/// The picture formats of tiles, told by their first bytes.
enum TileFormat: String, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case webP = "image/webp"

    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) {
            self = .png
        } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webP
        } else {
            return nil
        }
    }
}
