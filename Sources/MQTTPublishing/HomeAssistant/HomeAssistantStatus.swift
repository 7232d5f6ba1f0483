import FlightMath
import GatewayReports
import ReceiverProtocol

// The sentence of the entity `status`.

extension HomeAssistantSources {
    /// What the sonde does, and where and when it lands; nil before the first state.
    func status(at now: MonotonicTime) -> String? {
        guard let state else { return nil }
        let moment = Moment(monotonic: now, wall: state.since.wall, isClockSynced: false)
        return AnnouncementReport(
            announcement: .status(spokenStatus(state, at: now)), at: moment, language: language, units: units
        ).text
    }

    private func spokenStatus(_ state: StateReport, at now: MonotonicTime) -> SpokenStatus {
        let place = landing?.point.coordinate
        let chase = liveChase(at: now)
        switch state.phase.phase {
        case .landed:
            let isGuess = state.phase.reason == .sondeHubSilent
            return SpokenStatus(
                isGuess ? .probablyOnTheGround : .onTheGround, landing: place,
                radius50Metres: landing?.point.radius50Metres, town: landing?.near,
                drive: chase.flatMap { chase in chase.drive.map { $0 - now.duration(since: chase.at) } },
                isStraight: chase?.isStraight ?? false)
        case .unknown where state.source == nil:
            return SpokenStatus(state.reason == .noPosition ? .heardWithoutPlace : .unknown)
        case .unknown, .ascending, .descendingAbove10k, .descendingBelow10k:
            let isOnPad = state.phase.reason == .onGround
            let position = livePosition(at: now)
            let timeToGo = landing?.point.timeToGo(at: now).flatMap { $0 < .zero ? nil : $0 }
            return SpokenStatus(
                isOnPad ? .onTheGround : .inTheAir,
                verticalSpeed: state.phase.phase == .unknown ? nil : position?.verticalSpeed,
                altitudeMetres: position?.altitudeMetres, timeToGo: isOnPad ? nil : timeToGo,
                landing: isOnPad ? position?.coordinate : place,
                radius50Metres: isOnPad ? nil : landing?.point.radius50Metres, town: isOnPad ? nil : landing?.near,
                margin: isOnPad ? nil : chase?.margin, isStraight: chase?.isStraight ?? false)
        }
    }
}
