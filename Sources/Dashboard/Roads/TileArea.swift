public import FlightMath
import Glibc

/// The tiles around a place, on several zoom levels.
public struct TileArea: Sendable {
    public static let kilometres = 0.1...500.0
    /// The latitudes of an area's middle.
    public static let latitudes = -85.0...85.0
    /// Where the web's map ends.
    private static let lastLatitude = 85.05
    private static let kilometresOfDegree = 111.195

    /// The tiles of one zoom level. Columns beyond the map's edge are on its other side.
    struct Level {
        var zoom: Int
        var columns, rows: ClosedRange<Int>
    }

    let levels: [Level]

    /// - Parameters:
    ///   - kilometres: from the middle to each edge.
    ///   - zooms: the lowest and the highest zoom level.
    public init(around middle: Coordinate, kilometres: Double, zooms: ClosedRange<Int>) {
        let half = min(max(kilometres, Self.kilometres.lowerBound), Self.kilometres.upperBound)
        let height = half / Self.kilometresOfDegree
        let width = min(180, height / max(0.01, cos(middle.latitude * .pi / 180)))
        let chosen = zooms.clamped(to: TilePlace.zooms)
        levels = chosen.map { zoom in
            let count = Double(1 << zoom)
            let west = Int(((middle.longitude - width + 180) / 360 * count).rounded(.down))
            let east = Int(((middle.longitude + width + 180) / 360 * count).rounded(.down))
            let north = Self.row(middle.latitude + height, of: count)
            let south = Self.row(middle.latitude - height, of: count)
            // A whole world has each column once.
            return Level(zoom: zoom, columns: west...max(west, min(east, west + (1 << zoom) - 1)), rows: north...south)
        }
    }

    /// The number of tiles.
    public var count: Int { levels.reduce(0) { $0 + $1.columns.count * $1.rows.count } }

    /// The places of all tiles, those of the lowest zoom level first.
    var places: some Sequence<TilePlace> {
        levels.lazy.flatMap { level in
            level.rows.lazy.flatMap { row in
                level.columns.lazy.compactMap { column in
                    let width = 1 << level.zoom
                    return TilePlace(zoom: level.zoom, column: ((column % width) + width) % width, row: row)
                }
            }
        }
    }

    private static func row(_ latitude: Double, of count: Double) -> Int {
        let radians = min(max(latitude, -lastLatitude), lastLatitude) * .pi / 180
        let place = (1 - log(tan(radians) + 1 / cos(radians)) / .pi) / 2
        return min(max(Int((place * count).rounded(.down)), 0), Int(count) - 1)
    }
}
