/// The settings of the recovery feed: a TCP server for the rocket recovery app.
package struct RocketFeed: SocketFeed, Equatable {
    package var isEnabled = false
    package var address = "::"
    package var port = 5000
    /// The number of recorded flights that clients see.
    package var flights = 7

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { RocketOutlet(self, surroundings) }
}
