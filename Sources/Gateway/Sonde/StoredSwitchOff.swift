import FlightMath
import GatewayReports
import ReceiverProtocol

/// The end of the followed sonde's timer, in its stored form, so that a restart knows it before a source tells it again.
struct StoredSwitchOff: Equatable, StoredValue {
    var serial: SondeSerial
    /// When the timer ends.
    var end: WallTime
    /// A ``TransmissionEnd/Basis``.
    var basis: String
    /// The crew was told that the end is near.
    var isTold: Bool
}
