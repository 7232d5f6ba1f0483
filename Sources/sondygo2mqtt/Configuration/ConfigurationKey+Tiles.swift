import Dashboard
import SondeHubClient

extension ConfigurationKey {
    /// The keys of the map's tile servers.
    static let tiles: [ConfigurationKey] = [
        optional("dashboard.tiles.url", \.dashboard.tiles.url, accepts: addressRule, where: isAddress).address,
        optional("dashboard.tiles.attribution", \.dashboard.tiles.attribution, accepts: creditRule, where: isCredit)
            .shown,
        integer("dashboard.tiles.max_zoom", \.dashboard.tiles.maximumZoom, in: OnlineMapOptions.zooms),
        integer("dashboard.tiles.max_mb", \.dashboard.tiles.maximumSizeMB, in: 10...100_000),
        optional("dashboard.satellite.url", \.dashboard.satellite.url, accepts: addressRule, where: isAddress).address,
        optional(
            "dashboard.satellite.attribution", \.dashboard.satellite.attribution, accepts: creditRule, where: isCredit
        )
        .shown,
        integer("dashboard.satellite.max_zoom", \.dashboard.satellite.maximumZoom, in: OnlineMapOptions.zooms),
        integer("dashboard.satellite.max_mb", \.dashboard.satellite.maximumSizeMB, in: 10...100_000),
    ]

    private static let addressRule =
        "an https URL with {z}, {x} and {y} (http for this machine and its network only)"
    private static let creditRule = "at most 200 bytes"

    @Sendable private static func isAddress(_ text: String) -> Bool {
        OnlineMapOptions.isTemplate(text) && TileClient.accepts(OnlineMapOptions.example(of: text))
    }

    @Sendable private static func isCredit(_ text: String) -> Bool { text.utf8.count <= 200 }
}
