import FlightMath
import GatewayReports
import ReceiverProtocol

// The changes of the flight, and what follows from them.

extension FollowedSonde {
    mutating func insert(_ point: TrackPoint, _ reported: ReportedSpeeds, _ turn: inout Turn) {
        let (isTaken, changes) = flight.insert(point, reported: reported)
        if isTaken, let serial { turn.record(.points(serial, names.sondeType ?? .other(""), [point])) }
        announce(changes, &turn)
    }

    /// Removes the receiver's points, because the first position was wrong. The points of SondeHub and of an earlier
    /// run stay.
    mutating func forgetTrack(_ turn: inout Turn) {
        let points = flight.track.points
        guard points.count < JumpFilter.framesToAgree else { return }
        if let serial, let first = points.first, let last = points.last {
            turn.record(.forgotten(serial, from: first.time, through: last.time))
        }
        flight = Flight()
    }

    mutating func announce(_ changes: [Flight.Change], _ turn: inout Turn) {
        // The old track of a sonde that nobody hears is no news. Nor is a burst that becomes known after the landing.
        let isNews = heard.introduction == nil
        let isBurstNews = isNews && flight.phase.phase != .landed
        for change in changes {
            switch change {
            case .burst(let point) where isBurstNews: landing.burstToTell = point
            case .burst(let point): turn.announce(.burst(point), isNews: false)
            case .landed(let point):
                let near = turn.towns.town(near: point.coordinate)
                turn.announce(.landed(point, flight.landingTime ?? .seen, near: near), isNews: isNews)
            case .heardOnGround(let point):
                turn.announce(.landed(point, .unknown, near: turn.towns.town(near: point.coordinate)), isNews: isNews)
            case .burstRevoked(let point): turn.announce(.burstRevoked(point), isNews: isBurstNews)
            case .landingRevoked(let point, let place):
                turn.announce(.landingRevoked(point), isNews: isNews)
                landing.takeBack(place)
            case .landedInSilence(let point): sayDown(point, &turn)
            case .moved(let point): turn.announce(.moved(point), isNews: isNews)
            case .heardAgain:
                // Most often the sonde lies on the ground. If it is seen above the ground, it had not landed.
                if let point = seenAgain(at: turn.now.wall), flight.isAboveGround(point) {
                    turn.announce(.landingRevoked(point), isNews: isNews)
                }
            case .newFlight(let first):
                beginAnew(since: first.time, &turn)
                turn.announce(.airborne, isNews: isNews)
            case .trackTruncated(let truncation):
                turn.announce(.trackTruncated(truncation), isNews: isNews, isSpoken: false)
            }
        }
    }

    /// The sonde's newest place, if it is live; nil if the sonde is heard without a place.
    private func seenAgain(at now: WallTime) -> TrackPoint? {
        let newest = [flight.newest, news.record.map { TrackPoint($0) }].compactMap { $0 }.max { $0.time < $1.time }
        return newest.flatMap { Silence(after: now.duration(since: $0.time)) < .silent ? $0 : nil }
    }

    /// Whether a source has heard the sonde within the last hour, so that the next one is said to come after it.
    func isHeardLately(at now: MonotonicTime) -> Bool {
        heardAt.map { now.duration(since: $0) < .seconds(3600) } ?? false
    }

    /// Another flight begins, whose landing has nothing of the flight before.
    mutating func beginAnew(since start: WallTime, _ turn: inout Turn) {
        if let serial { turn.record(.newFlight(serial, since: start)) }
        flightNumber += 1
        landing.stop(&turn)
        landing = FollowedLanding()
        switchOff.beginAnew()
    }
}

extension Flight.Change {
    /// Whether the change is news when an earlier run's points have joined those of this run.
    /// - Parameter last: the earlier run's last point. That run has announced earlier changes.
    func isNews(after last: TrackPoint) -> Bool {
        switch self {
        case .burst(let point), .moved(let point): point.time > last.time
        // A landing between the two runs has at least the time of that point.
        case .landed(let point): point.time >= last.time
        case .trackTruncated(let truncation): truncation.reason == .blackout && truncation.boundary >= last.time
        // This run has already announced these from its own points, or the joined points can't show them.
        case .burstRevoked, .heardOnGround, .landingRevoked, .landedInSilence, .heardAgain, .newFlight: false
        }
    }
}
