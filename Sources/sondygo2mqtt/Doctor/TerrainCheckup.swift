import TerrainTiles

/// Lists the files with the heights of the ground.
enum TerrainCheckup {
    static func findings(_ configuration: Configuration) -> [Finding] {
        let path = configuration.terrainDirectory
        guard let (usable, problems) = TerrainFolder.survey(path) else {
            let text = "none: \(path) is not there; see terrain.md to know the ground in mountains"
            return [configuration.terrain == nil ? Finding.ok("terrain", text) : Finding.note("terrain", text)]
        }
        let shown = usable.isEmpty ? "no height files in \(path)" : usable.joined(separator: ", ")
        return [Finding.ok("terrain", shown)] + problems.map { Finding.note("terrain", $0) }
    }
}
