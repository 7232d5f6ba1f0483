import FlightMath
package import GatewayReports
import ReceiverProtocol

/// What all feeds tell from in one second.
package struct FeedMoment {
    var now: Moment
    /// With its last position, however old.
    var sonde: FeedSonde?
    /// The followed one, also while nothing is known of it.
    var serial: SondeSerial?
    /// While it is fresh.
    var car: CarPosition?
    var listeningMHz: Double?
    var hasTelemetry: Bool
}

/// One feed's sockets. All of it happens on the event loop.
package protocol FeedOutlet: AnyObject {
    var counts: FeedCounts { get }
    /// Once a second.
    func tick(_ moment: FeedMoment)
    func stop()
}
