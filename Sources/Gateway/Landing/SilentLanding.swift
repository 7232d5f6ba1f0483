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

extension FollowedSonde {
    /// Judges a sonde that seemed to have landed and is heard again. Call it before the state is published.
    mutating func judgeEndOfSilence(_ turn: inout Turn) {
        guard flight.phase.reason == .sondeHubSilent, let heardAt else { return }
        let time = turn.now.monotonic.duration(since: heardAt)
        guard Silence(after: time) < .silent else { return }
        if let record = news.record, !news.isRepeat, record.time > flight.newest?.time ?? record.time {
            insert(TrackPoint(record), record.speeds, &turn)
        }
        announce(flight.concludeFromSilence(of: time, predictedLandingAt: nil, at: turn.now.wall), &turn)
    }

    func sayDown(_ lastHeard: TrackPoint, _ turn: inout Turn) {
        turn.announce(
            .landedInSilence(
                lastHeard: lastHeard, guess: landing.book.guess(by: landing.forecast) ?? lastHeard.coordinate),
            isNews: heard.introduction == nil)
        recordSilentLanding(&turn)
    }

    /// Records the note. Setting the clock moves the points, so it is recorded again then.
    func recordSilentLanding(_ turn: inout Turn) {
        let isDown = flight.phase == PhaseVerdict(.landed, .sondeHubSilent)
        guard isDown, let serial, let last = flight.newest else { return }
        turn.store(SilentLanding(of: serial, lastHeard: last.time), as: .silentLanding)
    }
}
