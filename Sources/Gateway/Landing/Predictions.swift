import FlightMath
import GatewayReports
import ReceiverProtocol

/// Predicts where the followed sonde will land: asks Tawhiri and SondeHub, computes from the flight's own winds, and
/// decides which prediction counts.
///
///     asked                      when
///     own winds                  at every new point in a flying state, at most once a second
///     Tawhiri                    first telemetry, then every 60 s; end of a gap fill, on command; one call at a time,
///                                a new one cancels the old; not while the sonde may be on the launch pad: only the
///                                receiver hears it, and it has not risen
///     SondeHub's own             as Tawhiri, while the position comes from SondeHub and Tawhiri gave none; not while
///                                the live stream brings it
///
///     in force                   when
///     the online answer          younger than 5 min, and not from before a burst that is over
///     own winds                  else, and on the way down below 5 km above the ground, unless the online answer
///                                starts from a newer point
///     the last one               if there is no newer one; marked with its age
struct Predictions: Sendable {
    private static let onlineInterval = Duration.seconds(60)
    private static let ownInterval = Duration.seconds(1)
    /// Below this height above the ground, own winds are better than an online prediction, metres.
    private static let lowMetres = 5000.0
    /// An online answer counts as newer than own winds only if it starts at least this much later: two points can be
    /// this far apart.
    private static let longestSpacing = Duration.seconds(30)

    private(set) var own: Forecast?
    private(set) var online: Forecast?
    /// The last online answer. Its path shows the winds above and below the sonde.
    private(set) var forecastPath: OnlinePrediction?
    /// Where the last online answer ended, on that service's height model, metres above sea level; nil without one.
    private(set) var forecastGroundMetres: Double?
    private var tawhiri = Errand<OnlinePrediction?>(retry: .constant(onlineInterval), replacesCall: true)
    private var sondeHub = Errand<OnlinePrediction?>(retry: .constant(onlineInterval), replacesCall: true)
    /// The last question; nil before the first.
    private var question: Question?
    /// Tawhiri gave nothing, so SondeHub is asked.
    private var hasTawhiriFailed = false
    /// When the next online prediction is due; nil while the sonde does not fly.
    private(set) var deadline: MonotonicTime?
    /// The number of answers that were adopted.
    private var answers = 0
    private var computedFor: TrackPoint?
    private var wasFlying = false

    /// A request, and the flight's state when it was made.
    private struct Question {
        var method: PredictionMethod
        /// Nil for SondeHub's own.
        var query: TawhiriQuery?
        /// The requested rates; nil for SondeHub's own prediction, which uses its own rates.
        var inputs: OnlineInputs?
        var isBeforeBurst: Bool
    }

    var facts: ForecastFacts { ForecastFacts(answers: answers, isAsking: tawhiri.isOut || sondeHub.isOut) }

    /// The prediction that counts; nil before the first one.
    func inForce(_ flight: Flight, at now: MonotonicTime, by clock: RunClock) -> Forecast? {
        guard let own else { return online }
        guard let online, isValid(online, flight, at: now) else { return own }
        let height = (flight.newestTrusted?.altitudeMetres ?? 0) - flight.groundMetres
        let isLow = flight.hasDescentBegun && height < Self.lowMetres
        let later = online.rendered(by: clock).startsAt.duration(since: own.rendered(by: clock).startsAt)
        let isNewer = later > Self.longestSpacing
        return isLow && !isNewer ? own : online
    }

    private func isValid(_ online: Forecast, _ flight: Flight, at now: MonotonicTime) -> Bool {
        now.duration(since: online.computedAt.monotonic) < Forecast.onlineLimit
            && !(online.isBeforeBurst && flight.hasDescentBegun)
    }

    /// Predicts again now, by command or because there are new points.
    mutating func askNow() {
        tawhiri.hurry()
        sondeHub.hurry()
        recompute()
    }

    /// Makes the own prediction anew, because more is known.
    mutating func recompute() { computedFor = nil }

    mutating func stop(_ turn: inout Turn) {
        tawhiri.cancel(&turn)
        sondeHub.cancel(&turn)
        hasTawhiriFailed = false
    }

    // MARK: - What follows from the facts

    /// - Parameter isPlaceKnown: whether a prediction of this or an earlier run has given a landing point.
    mutating func follow(
        _ facts: Facts, flight: Flight, isHeard: Bool, by parameters: PredictionParameters, isPlaceKnown: Bool,
        _ turn: inout Turn
    ) {
        let isFlying =
            isHeard && facts.state.isFlying && flight.newest != nil && parameters.options.isEnabled
            && !facts.run.isStopping
        if isFlying, !wasFlying { recompute() }
        (wasFlying, deadline) = (isFlying, nil)
        guard isFlying else {
            // The sonde landed before the first prediction. Predict from its last point.
            let isUnasked = !isPlaceKnown && own == nil && online == nil && parameters.options.isEnabled
            if isUnasked, flight.phase.reason == .sondeHubSilent, let last = flight.newest {
                compute(flight, parameters, at: turn.now.earlier(at: last.time))
            }
            return stop(&turn)
        }
        compute(flight, parameters, at: turn.now)
        ask(facts, flight: flight, by: parameters, &turn)
    }

    private mutating func compute(_ flight: Flight, _ parameters: PredictionParameters, at now: Moment) {
        guard parameters.options.isOffline, flight.newest != computedFor else { return }
        if let own, now.duration(since: own.computedAt) < Self.ownInterval, computedFor != nil { return }
        computedFor = flight.newest
        guard let prediction = OwnWindsPredictor(options: parameters.ownWinds).prediction(for: flight) else { return }
        own = Forecast(
            method: .ownWinds, prediction: prediction, computedAt: now,
            isBeforeBurst: !flight.hasDescentBegun)
    }

    private mutating func ask(_ facts: Facts, flight: Flight, by parameters: PredictionParameters, _ turn: inout Turn) {
        let now = turn.now.monotonic
        let mayBeOnLaunchPad = flight.newest?.source == .ble && !flight.isLetGo
        guard !mayBeOnLaunchPad, !flight.isElsewhere, flight.phase.reason != .onGround else { return }
        let asksTawhiri = parameters.options.asksTawhiri
        if asksTawhiri, tawhiri.isDue(every: Self.onlineInterval, at: now, &deadline) {
            return askTawhiri(flight, by: parameters, &turn)
        }
        let mayAskSondeHub = facts.state == .aprsFlying && parameters.options.asksSondeHub
        guard mayAskSondeHub, !asksTawhiri || hasTawhiriFailed || tawhiri.isPaused(at: now),
            let serial = facts.sonde.sondeHubSerial,
            sondeHub.isDue(every: hasTawhiriFailed ? .zero : Self.onlineInterval, at: now, &deadline)
        else { return }
        stop(&turn)
        question = Question(method: .sondehub, isBeforeBurst: !flight.hasDescentBegun)
        sondeHub.ask(.sondeHubPrediction(serial), &turn)
        turn.count(.predictionCalls)
    }

    private mutating func askTawhiri(_ flight: Flight, by parameters: PredictionParameters, _ turn: inout Turn) {
        guard let newest = flight.newestTrusted,
            let inputs = OwnWindsPredictor(options: parameters.ownWinds).onlineInputs(for: flight)
        else { return }
        let query = TawhiriQuery(
            launch: newest.coordinate, launchAltitudeMetres: newest.altitudeMetres,
            launchAt: newest.time, ascentRate: inputs.ascentRate,
            burstAltitudeMetres: inputs.burstAltitudeMetres, descentRate: inputs.descentRate)
        stop(&turn)
        question = Question(
            method: .tawhiri, query: query, inputs: inputs, isBeforeBurst: !flight.hasDescentBegun)
        tawhiri.ask(.tawhiri(query), &turn)
        turn.count(.predictionCalls)
    }

    // MARK: - Answers

    /// Whether the reply answers a question of this part.
    func awaits(_ reply: Reply) -> Bool { tawhiri.awaits(reply) || sondeHub.awaits(reply) }

    mutating func answered(
        _ reply: Reply, for flight: Flight, by parameters: PredictionParameters, _ turn: inout Turn
    ) {
        guard let answer = tawhiri.take(reply, &turn) ?? sondeHub.take(reply, &turn), let question else { return }
        switch answer {
        case .success(let answer?):
            if let fault = fault(of: answer, for: flight, at: turn.now) {
                hasTawhiriFailed = question.method == .tawhiri
                turn.count(.predictionFailures)
                return turn.note(
                    .info, "no landing prediction from \(question.method.rawValue)", facts: ["why": fault])
            }
            forecastPath = answer
            answers += 1
            let forecast = forecast(answer, to: question, for: flight, by: parameters, at: turn.now)
            adopt(forecast, flight, at: turn.now.monotonic, by: turn.clock)
        case .success(nil): break  // SondeHub has none.
        case .failure(let error):
            turn.count(.predictionFailures)
            hasTawhiriFailed = question.method == .tawhiri
            turn.note(
                .info, "no prediction from \(question.method.rawValue): \(error.code.rawValue)",
                facts: ["why": error.detail])
        }
    }

    /// Why an answer can't be used; nil if it can.
    private func fault(of answer: OnlinePrediction, for flight: Flight, at now: Moment) -> String? {
        if let madeAt = answer.madeAt {
            // Only SondeHub's own predictions say when they were made. They have a burst only if made in the ascent.
            if now.wall.duration(since: madeAt) >= Forecast.onlineLimit { return "it is too old" }
            if answer.burst != nil, flight.hasDescentBegun { return "it was made before the burst" }
        }
        return answer.fault(groundMetres: flight.groundMetres, from: flight.newestTrusted)
    }

    /// The live stream brought SondeHub's own prediction. It counts as if it had been asked for.
    mutating func offered(
        _ answer: OnlinePrediction, in state: TelemetryState, for flight: Flight, by parameters: PredictionParameters,
        _ turn: Turn
    ) {
        let now = turn.now
        guard wasFlying, state == .aprsFlying, parameters.options.asksSondeHub,
            fault(of: answer, for: flight, at: now) == nil
        else { return }
        if let online, online.method == .tawhiri, isValid(online, flight, at: now.monotonic) { return }
        forecastPath = answer
        let question = Question(method: .sondehub, isBeforeBurst: !flight.hasDescentBegun)
        sondeHub.wait(until: now.monotonic.advanced(by: Self.onlineInterval))
        let forecast = forecast(answer, to: question, for: flight, by: parameters, at: now)
        adopt(forecast, flight, at: now.monotonic, by: turn.clock)
    }

    /// Adopts a forecast, unless it starts from an older point than the valid one: SondeHub's may be some minutes old.
    private mutating func adopt(_ forecast: Forecast, _ flight: Flight, at now: MonotonicTime, by clock: RunClock) {
        forecastGroundMetres = forecast.prediction.landing.altitudeMetres
        let last = online?.rendered(by: clock)
        if let last, isValid(last, flight, at: now), forecast.startsAt < last.startsAt { return }
        online = forecast
    }

    private func forecast(
        _ answer: OnlinePrediction, to question: Question, for flight: Flight, by parameters: PredictionParameters,
        at now: Moment
    ) -> Forecast {
        // SondeHub's answer has a burst only while the sonde rises.
        let isBeforeBurst = question.method == .sondehub ? answer.burst != nil : question.isBeforeBurst
        var inputs = LandingPrediction.Inputs(
            ascentRate: isBeforeBurst ? question.query?.ascentRate : nil,
            burstAltitudeMetres: isBeforeBurst ? question.query?.burstAltitudeMetres : nil,
            descentRate: question.query?.descentRate ?? parameters.ownWinds.descentRate,
            descentRateOrigin: question.inputs?.descentRateOrigin ?? MeasuredDescent.Origin.prior.rawValue,
            descentGrowth: 0,
            groundMetres: flight.groundMetres, windLayers: flight.windLayers,
            winds: LandingPrediction.WindSources(ownTopMetres: flight.windTopMetres))
        let radius = RadiusFormula(isBigParachute: parameters.options.descentGrowth == 0)
        inputs.groundOrigin = flight.ground.origin
        return Forecast(
            answer, method: question.method, isBeforeBurst: isBeforeBurst, for: flight, inputs: inputs,
            measuredShare: question.inputs?.measuredShare ?? 1, radius: radius, at: now)
    }
}
