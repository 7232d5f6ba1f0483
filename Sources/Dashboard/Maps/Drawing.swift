/// A KML or GeoJSON file in the maps folder. The page draws it above the maps.
struct Drawing: Equatable, Sendable {
    /// A longer file is not served, bytes.
    static let longest = 2_000_000
    /// The most files that are served.
    static let most = 20

    private static let types = [
        ".kml": "application/vnd.google-earth.kml+xml", ".geojson": "application/geo+json",
        ".json": "application/geo+json",
    ]

    /// The file's name in the maps folder.
    let file: String
    /// Its media type.
    let type: String

    /// - Returns: nil for a file of another kind.
    init?(file: String) {
        let name = file.lowercased()
        guard let ending = Self.types.first(where: { name.hasSuffix($0.key) }) else { return nil }
        (self.file, type) = (file, ending.value)
    }
}
