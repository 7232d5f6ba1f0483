import Gateway
import Logging
import NIOCore

/// The settings of a feed with sockets, and how the sockets are made.
package protocol SocketFeed: Sendable {
    func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet
}

/// What a feed's sockets may need. All of it is used on the event loop.
package struct FeedSurroundings {
    /// This gateway's id: who speaks.
    var station: String
    /// The program's.
    var version: String
    /// The recorded flights.
    var archive: any FlightArchive
    var loop: any EventLoop
    /// Gets the positions of the car that phones and other programs send.
    var onCar: (CarFix) -> Void
    var log: Logger
}
