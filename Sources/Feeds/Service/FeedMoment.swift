import FlightMath
package import GatewayReports
import ReceiverProtocol

/// The state that all feeds send in one second.
package struct FeedMoment {
    var now: Moment
    /// The sonde with its last position of any age.
    var sonde: FeedSonde?
    /// The followed sonde's serial, even before its first position.
    var serial: SondeSerial?
    /// The car's position while it is fresh.
    var car: CarPosition?
    var listeningMHz: Double?
    var hasTelemetry: Bool
}

/// One feed's sockets. All calls are made on the event loop.
package protocol FeedOutlet: AnyObject {
    var counts: FeedCounts { get }
    /// Called once a second.
    func tick(_ moment: FeedMoment)
    func stop()
}
