/// The settings of the Horus feed: datagrams for chasemapper and similar programs.
package struct HorusFeed: SocketFeed, Equatable {
    package var isEnabled = false
    /// The destinations of the sonde's positions.
    package var targets = [FeedEndpoint(host: "127.0.0.1", port: 55_673)]
    /// The destination of the car's positions; nil sends none.
    package var car: FeedEndpoint? = FeedEndpoint(host: "127.0.0.1", port: 55_672)
    /// The port at which the gateway receives the car's position and bearings from other programs; nil receives none.
    package var listen: FeedEndpoint?

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { HorusOutlet(self, surroundings) }
}
