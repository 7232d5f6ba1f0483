import Dashboard
import SondeHubClient

extension ConfigurationKey {
    /// The keys of the map's tile server.
    static let tiles: [ConfigurationKey] = [
        optional(
            "dashboard.tiles.url", \.dashboard.tiles.url,
            accepts: "an https URL with {z}, {x} and {y} (http for this machine and its network only)"
        ) {
            OnlineMapOptions.isTemplate($0) && TileClient.accepts(OnlineMapOptions.example(of: $0))
        }.address,
        optional("dashboard.tiles.attribution", \.dashboard.tiles.attribution, accepts: "at most 200 bytes") {
            $0.utf8.count <= 200
        }.shown,
        integer("dashboard.tiles.max_zoom", \.dashboard.tiles.maximumZoom, in: OnlineMapOptions.zooms),
        integer("dashboard.tiles.max_mb", \.dashboard.tiles.maximumSizeMB, in: 10...100_000),
    ]
}
