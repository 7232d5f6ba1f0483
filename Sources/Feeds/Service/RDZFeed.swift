/// The settings of the rdzJSON feed: a TCP server for phones with the rdzwx-go app.
package struct RDZFeed: SocketFeed, Equatable {
    package var isEnabled = false
    package var address = "::"
    package var port = 14_570
    /// Whether positions of phones are the car's.
    package var takesCar = true

    package init() {}

    package func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet { RDZOutlet(self, surroundings) }
}
