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
        guard let serial else { return }
        turn.record(.setting(.silentLanding, SilentLanding(of: serial, lastHeard: lastHeard.time).text))
    }
}
