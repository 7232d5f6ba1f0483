import FlightMath
import GatewayReports
import ReceiverProtocol

// Predictions, winds and heights: answers and commands.

extension FollowedSonde {
    /// Records the lesson of this flight, if it teaches more than before.
    /// - Parameter worstRatio: nil before the landing.
    func teach(_ book: inout LessonBook, worstRatio: Double? = nil, _ turn: inout Turn) {
        guard flight.hasDescended, let serial,
            let lesson = FlightLesson(of: flight, serial, type: sondeType, worstRatio: worstRatio), book.add(lesson)
        else { return }
        turn.record(.lesson(serial, lesson))
    }

    /// Passes on the answer to a request for a prediction.
    mutating func predicted(
        _ answer: Answer, by parameters: PredictionParameters, taughtBy earlier: inout EarlierFlights,
        _ turn: inout Turn
    ) {
        let known = predictions.forecastPath
        predictions.answered(answer, for: flight, by: taught(parameters, by: earlier), &turn)
        guard let path = predictions.forecastPath, path != known, let serial else { return }
        if let found = StoredWinds(along: path, of: serial, at: turn.now.wall) { earlier.winds.keep(found, &turn) }
    }

    /// The live stream brought SondeHub's own prediction.
    mutating func offered(
        _ prediction: OnlinePrediction, in state: TelemetryState, by parameters: PredictionParameters,
        taughtBy earlier: EarlierFlights, _ turn: inout Turn
    ) {
        predictions.offered(prediction, in: state, for: flight, by: taught(parameters, by: earlier), at: turn.now)
    }

    /// The answer to a question for another sonde's winds.
    mutating func borrowed(_ answer: Answer, for earlier: inout EarlierFlights, _ turn: inout Turn) {
        let names = [serial, otherName].compactMap { $0 }
        guard let found = winds.borrowing.answered(answer, for: flight, named: names, &turn) else { return }
        earlier.winds.keep(found, &turn)
        predictions.recompute()
    }

    /// The answer to a question for the heights around the landing point.
    mutating func surveyed(_ answer: Answer, _ turn: inout Turn) {
        if terrain.answered(answer, &turn) { predictions.recompute() }
    }

    /// The best guess of the landing place: by the own winds, else by the prediction in force, else the newest point;
    /// nil without any of these.
    var landingGuess: Coordinate? {
        (predictions.own ?? forecast)?.prediction.landing.coordinate ?? flight.newest?.coordinate
    }

    /// A command asks for a prediction now.
    mutating func predictNow(at now: Moment) { predictions.askNow(at: now.monotonic) }

    /// A command sets the landing point, or removes it with nil.
    mutating func set(landingPoint place: Coordinate?, at now: Moment) { landing.set(manual: place, at: now) }

    /// Sets the landing point that an earlier command has set.
    mutating func setAgain(_ stored: StoredPlace, at now: Moment) {
        landing.setAgain(manual: stored.place, at: stored.at.map { now.earlier(at: $0) } ?? now)
    }
}
