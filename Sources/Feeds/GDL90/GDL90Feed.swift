/// The GDL 90 feed: datagrams for electronic flight bags.
package struct GDL90Feed: SocketFeed, Equatable {
    package var isEnabled = false
    package var targets: [FeedEndpoint] = []
    /// Programs that announce themselves get it, too.
    package var discovers = true
    /// Where ForeFlight and others announce themselves, UDP.
    package static let announcements = FeedEndpoint(host: "0.0.0.0", port: 63_093)
    /// The car is sent as ownship.
    package var tellsOwnship = false
    /// A sonde above is not shown; nil shows all of them.
    package var highestMetres: Double?

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { GDL90Outlet(self, surroundings) }
}
