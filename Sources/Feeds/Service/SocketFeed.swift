import Gateway
import Logging
import NIOCore

/// The settings of a feed with sockets. They can make these sockets.
package protocol SocketFeed: Sendable {
    func makeOutlet(in surroundings: FeedSurroundings) -> any FeedOutlet
}

/// The objects that a feed's sockets use. All are used on the event loop only.
package struct FeedSurroundings {
    /// This gateway's id, which the feeds send as the station's name.
    var station: String
    /// The program's version.
    var version: String
    /// The recorded flights.
    var archive: any FlightArchive
    var loop: any EventLoop
    /// Receives the car's positions from phones and other programs.
    var onCar: (CarFix) -> Void
    /// Receives the bearings of direction finders.
    var onBearing: (HeardBearing) -> Void
    var log: Logger
}
