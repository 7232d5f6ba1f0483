import Glibc
import NIOCore

/// A raster map that can be shown.
protocol TileMap: Sendable {
    /// The name of its file or folder in the maps folder.
    var file: String { get }
    var facts: MapFacts { get }
    /// A text that changes with the map.
    var tag: String { get }
    /// The rest of a sentence for `doctor`, if the map is shown only in part; nil if not.
    var remark: String? { get }
    /// The tile's bytes; nil if there is none. Rows count from the north. Call it on the maps' thread.
    /// - Throws: ``MapFault`` if the map can't be shown any longer.
    func tile(_ place: TilePlace) throws(MapFault) -> [UInt8]?
}

extension TileMap {
    /// A chase is looked at from about level 10. The page shrinks a map by two levels.
    private static var highestFirstZoom: Int { 12 }

    /// Says that a map is shown only from near.
    static func remarkOfZooms(_ facts: MapFacts) -> String? {
        let first = facts.zooms.lowerBound
        guard first > highestFirstZoom else { return nil }
        return "is shown only from zoom level \(first - 2) on, because its tiles begin at \(first); make overviews: "
            + "gdaladdo -r average MAP 2 4 8 16 32 64"
    }
}

/// A tile's place in the web's grid.
struct TilePlace: Hashable, Sendable {
    static let zooms = 0...22
    let zoom, column, row: Int

    /// - Returns: nil for a place outside the world.
    init?(zoom: Int, column: Int, row: Int) {
        guard Self.zooms.contains(zoom), 0..<(1 << zoom) ~= column, 0..<(1 << zoom) ~= row else { return nil }
        (self.zoom, self.column, self.row) = (zoom, column, row)
    }

    /// West, south, east, north in degrees.
    var bounds: [Double] {
        let count = Double(1 << zoom)
        let latitude = { (row: Int) in
            atan(sinh(Double.pi * (1 - 2 * Double(row) / count))) * 180 / .pi
        }
        return [
            Double(column) / count * 360 - 180, latitude(row + 1), Double(column + 1) / count * 360 - 180,
            latitude(row),
        ]
    }

    /// The row from the south, as MBTiles counts.
    var rowFromSouth: Int { (1 << zoom) - 1 - row }
}

/// A map's facts for the page's list.
struct MapFacts: Equatable, Sendable {
    var name: String
    var zooms: ClosedRange<Int>
    /// West, south, east, north in degrees; nil for the world.
    var bounds: [Double]?
    var attribution: String
}

/// The picture formats of tiles, recognised by their first bytes.
enum TileFormat: String, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case webP = "image/webp"

    /// The longest picture in bytes. A longer one is not read and counts as missing.
    static let longest = 1_000_000

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
