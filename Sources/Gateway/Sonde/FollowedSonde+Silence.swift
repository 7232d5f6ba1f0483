import FlightMath
import GatewayReports
import ReceiverProtocol

// What a silence of the sonde means, and its end.

extension FollowedSonde {
    /// Judges a silence: the receiver's last position and SondeHub's newest frame are both too old.
    mutating func judgeSilence(_ facts: Facts, _ turn: inout Turn) {
        let (now, heardAt) = (turn.now, heardAt)
        let time = heardAt.map { now.monotonic.duration(since: $0) } ?? .zero
        // Between two answers of SondeHub the gateway can't know whether the stations hear the sonde.
        let isAnswerFresh =
            facts.state.isAPRS && Silence(after: time) < .silent && Silence(after: news.ageWhenAnswered) == .none
        heard.measureSilence(since: heardAt, isAnswerFresh: isAnswerFresh, at: now.monotonic)
        let landingAt = landing.expectation(by: turn.clock)?.at
        let withoutPlace = placeHeardAt.map { now.monotonic.duration(since: $0) } ?? time
        announce(
            flight.concludeFromSilence(
                of: isAnswerFresh ? .zero : time, withoutPlace: isAnswerFresh ? .zero : withoutPlace,
                predictedLandingAt: landingAt, at: now.wall),
            &turn)
        guard Silence(after: withoutPlace) >= .silent, flight.phase.phase != .landed,
            let downAt = flight.silentLandingAt(predicted: landingAt), downAt > now.wall
        else { return }
        heard.expect(landingAt: now.monotonic.advanced(by: downAt.duration(since: now.wall)))
    }

    /// Judges a sonde that seemed to have landed and is heard again. Call it before the state is published.
    mutating func judgeEndOfSilence(_ turn: inout Turn) {
        guard flight.phase.reason == .sondeHubSilent, let placeHeardAt else { return }
        let time = turn.now.monotonic.duration(since: placeHeardAt)
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
