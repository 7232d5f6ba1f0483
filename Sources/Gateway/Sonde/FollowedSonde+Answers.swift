import FlightMath
import GatewayReports
import ReceiverProtocol

// Predictions, winds and heights: answers and commands.

extension FollowedSonde {
    /// Records the lesson of this flight, if it teaches more than before.
    func teach(_ book: inout LessonBook, _ turn: inout Turn) {
        guard flight.hasDescended, let serial,
            let lesson = FlightLesson(of: flight, serial, type: names.sondeType), book.add(lesson, by: turn.clock)
        else { return }
        turn.record(.lesson(serial, lesson))
    }

    /// Passes on the answer to a request for a prediction.
    mutating func predicted(
        _ reply: Reply, by parameters: PredictionParameters, taughtBy earlier: inout EarlierFlights,
        _ turn: inout Turn
    ) {
        guard landing.predictions.awaits(reply) else { return }
        let known = landing.predictions.forecastPath
        landing.predictions.answered(reply, for: flight, by: taught(parameters, by: earlier, turn.clock), &turn)
        keepWinds(unlike: known, &earlier.winds, &turn)
    }

    /// Keeps the winds along the last online answer's path, if it is another one than `known`.
    private func keepWinds(unlike known: OnlinePrediction?, _ memory: inout WindMemory, _ turn: inout Turn) {
        guard let path = landing.predictions.forecastPath, path != known, let serial,
            let found = StoredWinds(along: path, of: serial, at: path.madeAt ?? turn.now.wall)
        else { return }
        memory.keep(found, &turn)
    }

    /// The live stream brought SondeHub's own prediction.
    mutating func offered(
        _ prediction: OnlinePrediction, in state: TelemetryState, by parameters: PredictionParameters,
        taughtBy earlier: inout EarlierFlights, _ turn: inout Turn
    ) {
        let known = landing.predictions.forecastPath
        landing.predictions.offered(
            prediction, in: state, for: flight, by: taught(parameters, by: earlier, turn.clock), turn)
        keepWinds(unlike: known, &earlier.winds, &turn)
    }

    /// The answer to a question for another sonde's winds.
    mutating func borrowed(_ reply: Reply, for earlier: inout EarlierFlights, _ turn: inout Turn) {
        let names = [serial, self.names.onSondeHub].compactMap { $0 }
        guard let found = landing.winds.borrowing.answered(reply, for: flight, named: names, &turn) else { return }
        earlier.winds.keep(found, &turn)
        landing.predictions.recompute()
    }

    /// The answer to a question for the heights around the landing point.
    mutating func surveyed(_ reply: Reply, _ turn: inout Turn) {
        if landing.terrain.answered(reply, &turn) { landing.predictions.recompute() }
    }

    /// A command asks for a prediction now.
    mutating func predictNow() { landing.predictions.askNow() }

    /// A command sets the landing point, or removes it with nil.
    mutating func set(landingPoint place: Coordinate?, at now: Moment) { landing.book.set(manual: place, at: now) }

    /// Sets the landing point that an earlier command has set.
    mutating func setAgain(_ stored: StoredPlace, at now: Moment) {
        landing.book.setAgain(manual: stored.place, at: stored.at.map { now.earlier(at: $0) } ?? now)
    }
}
