import FlightMath
import GatewayReports
import ReceiverProtocol

/// The stored note that a silent sonde was announced as landed, so that a restart does not announce it again.
struct SilentLanding: Equatable, StoredValue {
    var serial: SondeSerial
    /// The last point's time, to the second.
    var lastHeard: WallTime

    init(of serial: SondeSerial, lastHeard: WallTime) {
        self.serial = serial
        self.lastHeard = WallTime(millisecondsSince1970: lastHeard.wholeSeconds * 1000)
    }

    /// - Parameter text: `V4210150 1795357200000`.
    init?(earlier text: String) {
        guard let stored = StoredHunt(earlier: text) else { return nil }
        self.init(of: stored.serial, lastHeard: stored.at)
    }
}
