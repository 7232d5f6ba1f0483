import FoundationEssentials

/// Tiles as single files, `{z}/{x}/{y}.png`, as other programs leave them.
struct TileFolder: TileMap {
    private static let extensions = ["png", "jpg", "jpeg", "webp"]

    let facts: MapFacts
    let tag: String
    private let path: String

    /// - Returns: nil when it has no folder that is named like a zoom level.
    init?(path: String, name: String, tag: String) {
        let levels = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).compactMap { Int($0) }
            .filter { TilePlace.zooms.contains($0) }
        guard let lowest = levels.min(), let highest = levels.max() else { return nil }
        facts = MapFacts(name: name, zooms: lowest...highest, bounds: nil, attribution: "")
        self.tag = tag
        self.path = path
    }

    func tile(_ place: TilePlace) -> [UInt8]? {
        for ending in Self.extensions {
            let file = "\(path)/\(place.zoom)/\(place.column)/\(place.row).\(ending)"
            guard let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? UInt64,
                size <= Self.longest, let data = FileManager.default.contents(atPath: file)
            else { continue }
            return Array(data)
        }
        return nil
    }
}
