/// The settings of the GDL 90 feed: datagrams for electronic flight bags.
package struct GDL90Feed: SocketFeed, Equatable {
    package var isEnabled = false
    package var targets: [FeedEndpoint] = []
    /// Whether programs that announce themselves also receive the feed.
    package var discovers = true
    /// The UDP port where ForeFlight and others announce themselves.
    package static let announcements = FeedEndpoint(host: "0.0.0.0", port: 63_093)
    /// Whether the feed sends the car as ownship.
    package var tellsOwnship = false
    /// The feed does not send a sonde above this altitude, metres; nil sends it at any altitude.
    package var highestMetres: Double?

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { GDL90Outlet(self, surroundings) }
}
