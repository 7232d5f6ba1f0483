import FoundationEssentials

/// A folder of tiles as single files, `{z}/{x}/{y}.png` or without an ending.
struct TileFolder: TileMap {
    private static let extensions = [".png", ".jpg", ".jpeg", ".webp", ""]

    let file: String
    let facts: MapFacts
    let tag: String
    var remark: String? { Self.remarkOfZooms(facts) }
    private let path: String

    /// - Returns: nil if no folder in it is named like a zoom level.
    init?(name: String, in folder: String, tag: String) {
        let path = "\(folder)/\(name)"
        let levels = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap { Int($0) }
            .filter { TilePlace.zooms.contains($0) }
        guard let lowest = levels.min(), let highest = levels.max() else { return nil }
        facts = MapFacts(name: name, zooms: lowest...highest, bounds: nil, attribution: "")
        (file, self.tag, self.path) = (name, tag, path)
    }

    func tile(_ place: TilePlace) -> [UInt8]? {
        for ending in Self.extensions {
            let file = "\(path)/\(place.zoom)/\(place.column)/\(place.row)\(ending)"
            if let picture = FileStatus.content(ofFile: file, limit: TileFormat.longest) { return picture }
        }
        return nil
    }
}
