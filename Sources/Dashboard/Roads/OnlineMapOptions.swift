/// A tile server, and the file that keeps its tiles.
public struct OnlineMapOptions: Equatable, Sendable {
    /// The map of roads.
    public static let roads = "online"
    /// Pictures from above. The name is not one that a crew's own file is likely to have.
    public static let satellite = "online-satellite"
    /// The zoom levels that a tile server may have.
    public static let zooms = TilePlace.zooms

    /// The map's name on the page, and its file's.
    public var name: String
    /// The address of a tile, with `{z}`, `{x}` and `{y}`; may hold a secret.
    public var url: String
    /// Who made the map. The page shows it.
    public var attribution: String
    /// The highest zoom level of the server.
    public var maximumZoom: Int
    /// The largest size of the file.
    public var megabytes: Int
    /// The folder of the file; it is made if it is missing.
    public var folder: String

    public init(
        name: String = roads, url: String, attribution: String, maximumZoom: Int, megabytes: Int, folder: String
    ) {
        self.name = name
        self.url = url
        self.attribution = attribution
        self.maximumZoom = maximumZoom
        self.megabytes = megabytes
        self.folder = folder
    }

    /// Whether each of `{z}`, `{x}` and `{y}` is in the text once, and nothing else in braces.
    public static func isTemplate(_ url: String) -> Bool {
        let names = url.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map {
            $0.prefix { $0 != "}" }
        }
        return names.sorted() == ["x", "y", "z"] && url.count { $0 == "}" } == 3
    }

    /// The address of a tile in the middle of the world, to check the template.
    public static func example(of url: String) -> String { address(url, zoom: 1, column: 1, row: 1) }

    func address(of place: TilePlace) -> String {
        Self.address(url, zoom: place.zoom, column: place.column, row: place.row)
    }

    private static func address(_ url: String, zoom: Int, column: Int, row: Int) -> String {
        url.replacing("{z}", with: "\(zoom)").replacing("{x}", with: "\(column)").replacing("{y}", with: "\(row)")
    }

    /// `tile.example.org`, for people; the whole address may hold a secret.
    public var host: String {
        let parts = url.split(separator: "/", omittingEmptySubsequences: true)
        return parts.count > 1 ? String(parts[1]) : url
    }

    /// The terms of OpenStreetMap's own servers forbid to fetch areas in advance.
    public var forbidsAreas: Bool {
        let name = host.prefix { $0 != ":" }.lowercased()
        return name == "openstreetmap.org" || name.hasSuffix(".openstreetmap.org")
    }

    var file: String { "\(folder)/\(fileName)" }
    var fileName: String { name + ".mbtiles" }

    var facts: MapFacts {
        MapFacts(name: name, zooms: 0...maximumZoom, bounds: nil, attribution: String(attribution.prefix(200)))
    }

    /// Names the pictures' style. The query is left out: it often holds a key, which may change.
    var style: String { String(url.prefix { $0 != "?" }) }
}
