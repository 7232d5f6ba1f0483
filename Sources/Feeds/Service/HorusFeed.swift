/// The Horus feed: datagrams for chasemapper and its relatives.
package struct HorusFeed: SocketFeed, Equatable {
    package var isEnabled = false
    /// They get the sonde.
    package var targets = [FeedEndpoint(host: "127.0.0.1", port: 55_673)]
    /// It gets the car; nil: nobody does.
    package var car: FeedEndpoint? = FeedEndpoint(host: "127.0.0.1", port: 55_672)
    /// Where other programs send the car's position; nil: nowhere.
    package var listen: FeedEndpoint?

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { HorusOutlet(self, surroundings) }
}
