import FlightMath
import GatewayReports
import ReceiverProtocol

/// That a sonde nobody hears any more was said to be down, as the store keeps it, so that a restart doesn't say it again:
/// `V4210150 1795357200000`, the last point's time in milliseconds since 1970.
struct SilentLanding: Equatable, Sendable {
    var text: String

    init(of serial: SondeSerial, lastHeard: WallTime) {
        text = "\(serial.canonical) \(lastHeard.wholeSeconds * 1000)"
    }
}

extension FollowedSonde {
    func sayDown(_ lastHeard: TrackPoint, _ turn: inout Turn) {
        turn.announce(
            .landedInSilence(lastHeard: lastHeard, guess: landing.guess(by: forecast) ?? lastHeard.coordinate))
        recordSilentLanding(&turn)
    }

    /// Also when the clock is set, by which its points move.
    func recordSilentLanding(_ turn: inout Turn) {
        let isDown = flight.phase == PhaseVerdict(.landed, .sondeHubSilent)
        guard isDown, let serial, let last = flight.newest else { return }
        turn.record(.setting(.silentLanding, SilentLanding(of: serial, lastHeard: last.time).text))
    }
}
