import FlightMath
import GatewayReports
import ReceiverProtocol

/// Where and when the present flight lands: the predictions, what they are made from, and the landing point. Another
/// flight begins with a new value.
struct FollowedLanding: Sendable {
    private static let scoreDelay = Duration.seconds(3)

    var predictions = Predictions()
    var book = LandingBook()
    var scores = LandingScores()
    /// The prediction in force.
    private(set) var forecast: Forecast?
    var winds = FlightWinds()
    var terrain = LandingTerrain()
    /// The parameters that earlier flights give for this one.
    private(set) var learned: LearnedParameters?
    /// The launch site that is nearest to where the flight was first heard; nil if none is near.
    private var launchedAt: LaunchSite?
    /// A burst that is announced with this turn's prediction; nil if there is none.
    var burstToTell: TrackPoint?
    /// A landing that was taken back and whose lesson must still be removed; nil if there is none.
    private var revoked: TrackPoint?

    var deadline: MonotonicTime? {
        .earliest(predictions.deadline, winds.borrowing.deadline, scores.sayAt, book.deadline)
    }

    /// The landing point.
    var point: LandingPoint? { book.point }

    /// Where and when the sonde should land by the last prediction; nil without one.
    func expectation(by clock: RunClock) -> LandingExpectation? {
        if let forecast { return LandingExpectation(forecast.rendered(by: clock)) }
        return scores.newest(by: clock).map { LandingExpectation($0) }
    }

    /// The best guess of the landing place: by the own winds, else by the prediction in force, else the newest point;
    /// nil without any of these.
    func guess(of flight: Flight) -> Coordinate? {
        (predictions.own ?? forecast)?.prediction.landing.coordinate ?? flight.newest?.coordinate
    }

    /// Adds what an earlier run has stored of this flight.
    mutating func join(_ recorded: RecordedFlight, _ flight: Flight, _ turn: Turn) {
        scores.join(recorded.predictions, by: turn.clock)
        let radius = scores.radius90(of: recorded.landingPoints.last, by: turn.clock)
        book.join(
            recorded.landingPoints, flight, radius90: radius, landingAt: expectation(by: turn.clock)?.at, turn)
        if let place = flight.landingPlace, flight.landingTime != .unknown {
            _ = scores.judge(place, sayAt: nil, by: turn.clock)
        }
    }

    /// Ends the requests.
    mutating func stop(_ turn: inout Turn) {
        predictions.stop(&turn)
        winds.borrowing.stop(&turn)
        terrain.stop(&turn)
    }

    /// The landing at this place is taken back.
    mutating func takeBack(_ place: TrackPoint) {
        revoked = place
        scores.takeBack()
        book.takeLandingBack()
    }

    /// Looks up what earlier flights and the ground give for this one.
    mutating func taught(
        _ parameters: PredictionParameters, _ names: SondeNames, _ flight: inout Flight, by earlier: EarlierFlights,
        carMetres: Double?, _ clock: RunClock
    ) -> PredictionParameters {
        lookUpLessons(in: earlier.lessons, names, flight, clock)
        var parameters = parameters
        flight.knownGround = terrain.ground(
            parameters.options, at: guess(of: flight), forecastMetres: predictions.forecastGroundMetres,
            learned: learned?.groundMetres, carMetres: carMetres, siteMetres: launchedAt?.altitudeMetres)
        parameters.terrain = terrain.patch
        flight.know(terrain: terrain.patch)
        parameters.learned = learned
        parameters.sondeMetres = flight.newestTrusted?.altitudeMetres
        parameters.sondeType = names.sondeType
        parameters.otherWinds = names.serial.flatMap { earlier.winds.winds(for: flight, of: $0, by: clock) }
        return parameters
    }

    /// Looks up the lessons of earlier flights, and predicts anew if they say something else.
    private mutating func lookUpLessons(
        in book: LessonBook, _ names: SondeNames, _ flight: Flight, _ clock: RunClock
    ) {
        guard let first = flight.track.points.first, let newest = flight.newest,
            !(learned?.isStill(in: book, for: names.sondeType, from: first, at: newest) ?? false)
        else { return }
        let known = learned
        let found = LearnedParameters(
            book, for: names.serial, names.sondeType, from: first, at: newest, by: clock)
        learned = found
        if let known, !found.predictsAs(known) { predictions.recompute() }
    }

    /// Looks up the launch site, until one is found.
    mutating func knowSites(_ sites: [LaunchSite], _ flight: Flight) {
        launchedAt = launchedAt ?? flight.track.points.first.flatMap { sites.nearest(to: $0.coordinate) }
    }

    /// - Parameter isHeard: false while the sonde is silent, and its position too old for a prediction.
    mutating func predict(
        _ facts: Facts, flight: Flight, isHeard: Bool, by parameters: PredictionParameters, _ turn: inout Turn
    ) {
        predictions.follow(
            facts, flight: flight, isHeard: isHeard, by: parameters, isPlaceKnown: book.hasHistory, &turn)
        guard flight.phase.phase != .landed || forecast == nil else { return }
        let next = predictions.inForce(flight, at: turn.now.monotonic, by: turn.clock)
        if let next, next != forecast { scores.note(next, isInForce: true, of: facts.sonde.serial, &turn) }
        if let own = predictions.own, own.method != next?.method {
            scores.note(own, isInForce: false, of: facts.sonde.serial, &turn)
        }
        forecast = next
    }

    /// Announces a burst with when and where the sonde lands by the first prediction after it.
    mutating func tellBurst(_ turn: inout Turn) {
        guard let burst = burstToTell else { return }
        burstToTell = nil
        guard let forecast, !forecast.isBeforeBurst else { return turn.announce(.burst(burst)) }
        turn.announce(.burst(burst, landing: book.tell(forecast, &turn)))
    }

    /// Removes the lesson of a landing that was taken back, and scores a new one.
    /// - Returns: whether the landing teaches the next flights now.
    mutating func judge(_ flight: Flight, _ names: SondeNames, in lessons: inout LessonBook, _ turn: inout Turn) -> Bool
    {
        if let place = revoked {
            revoked = nil
            lessons.removeLesson(of: place, names.sondeType, by: turn.clock)
            if let serial = names.serial { turn.record(.lesson(serial, nil)) }
        }
        // The score is announced after the landing, so that lists show it behind.
        let sayAt = turn.now.monotonic.advanced(by: Self.scoreDelay)
        guard let place = flight.landingPlace, flight.landingTime != .unknown else { return false }
        return scores.judge(place, sayAt: sayAt, by: turn.clock)
    }

    mutating func follow(_ facts: Facts, flight: Flight, _ turn: inout Turn) {
        if let score = scores.toSay(at: turn.now.monotonic) { turn.announce(.scored(score), isSpoken: false) }
        book.follow(facts, flight: flight, forecast: forecast?.rendered(by: turn.clock), &turn)
    }
}
