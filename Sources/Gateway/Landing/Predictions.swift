import FlightMath
import GatewayReports
import ReceiverProtocol

/// Where the followed sonde will land: asks Tawhiri and SondeHub, computes from its own winds, and says which of them
/// counts (specification 3.7).
///
///     asked                      when
///     own winds                  at every new point in a flying state, at most once a second
///     Tawhiri                    first telemetry, end of a gap fill, every 60 s, on command; one call at a time, a new
///                                one cancels the old
///     SondeHub's own             as Tawhiri, while the position comes from SondeHub and Tawhiri gave none
///
///     in force                   when
///     the online answer          younger than 5 min, not from before a burst that is over, own winds none or older
///     own winds                  else, and on the way down below 5 km above the ground
///     the last one               when nothing newer is to be had, marked with its age
struct Predictions: Sendable {
    private static let onlineInterval = Duration.seconds(60)
    /// A sonde that only the receiver hears may lie on the launch pad; SondeHub shows those that fly.
    private static let launchInterval = Duration.seconds(5)
    private static let ownInterval = Duration.seconds(1)
    /// Below this above the ground the sonde's own winds know best, metres.
    private static let lowMetres = 5000.0
    /// Tawhiri's flight begins a little later than now: it has to be asked first.
    private static let launchDelay = Duration.seconds(60)

    private(set) var own: Forecast?
    private(set) var online: Forecast?
    private var cache = TawhiriCache()
    private var call: (id: CallID, question: Question)?
    private var askOnlineAt: MonotonicTime?
    /// It has asked to be left alone until then.
    private var tawhiriIsBusyUntil: MonotonicTime?
    private var hasTawhiriFailed = false
    private var computedFor: TrackPoint?
    private var wasFlying = false

    /// What was asked, and when in the flight.
    private struct Question {
        var method: PredictionMethod
        /// Nil for SondeHub's own.
        var query: TawhiriQuery?
        var descentRateOrigin = MeasuredDescent.Origin.prior.rawValue
        var isBeforeBurst: Bool
    }

    /// When the next online prediction is due; nil while none is.
    var deadline: MonotonicTime? { wasFlying ? askOnlineAt : nil }

    /// The one that counts; nil when there never was any.
    func inForce(_ flight: Flight, at now: MonotonicTime) -> Forecast? {
        guard let own else { return online }
        guard let online, isValid(online, flight, at: now) else { return own }
        let height = (flight.newestTrusted?.altitudeMetres ?? 0) - flight.groundMetres
        let isLow = flight.hasDescentBegun && height < Self.lowMetres
        return isLow && own.computedAt.monotonic >= online.computedAt.monotonic ? own : online
    }

    private func isValid(_ online: Forecast, _ flight: Flight, at now: MonotonicTime) -> Bool {
        now.duration(since: online.computedAt.monotonic) < Forecast.onlineLimit
            && !(online.isBeforeBurst && flight.hasDescentBegun)
    }

    /// By command, or because there is more to predict from: asks now.
    mutating func askNow(at now: MonotonicTime) {
        askOnlineAt = now
        computedFor = nil
    }

    /// The wall clock was wrong and has been set.
    mutating func clockSet(byMilliseconds change: Int64) {
        own?.clockSet(byMilliseconds: change)
        online?.clockSet(byMilliseconds: change)
        cache = TawhiriCache()
    }

    mutating func stop(_ turn: inout Turn) {
        if let call { turn.cancel(call.id) }
        call = nil
        hasTawhiriFailed = false
    }

    // MARK: - What follows from the facts

    /// - Parameter isPlaceKnown: a prediction, if only of an earlier run, has said where it lands.
    mutating func follow(
        _ facts: Facts, flight: Flight, by parameters: PredictionParameters, isPlaceKnown: Bool, _ turn: inout Turn
    ) {
        let isFlying =
            (facts.state == .liveBLEFlying || facts.state == .aprsFlying) && flight.newest != nil
            && parameters.options.isEnabled && !facts.isStopping
        if isFlying, !wasFlying { askNow(at: turn.now.monotonic) }
        wasFlying = isFlying
        guard isFlying else {
            // Down before anybody could ask: the last that was heard of it says where, as well as it can.
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
        let mayAskSondeHub = facts.state == .aprsFlying && parameters.options.asksSondeHub
        if hasTawhiriFailed, mayAskSondeHub {
            hasTawhiriFailed = false
            return askSondeHub(facts, about: flight, &turn)
        }
        guard let due = askOnlineAt, now >= due else { return }
        // Whatever comes of it: what is due now must not be due for ever.
        let mayBeOnLaunchPad = flight.newest?.source == .ble && !flight.isLetGo
        askOnlineAt = now.advanced(by: mayBeOnLaunchPad ? Self.launchInterval : Self.onlineInterval)
        hasTawhiriFailed = false
        guard !mayBeOnLaunchPad, flight.phase.reason != .onGround else { return }
        if parameters.options.asksTawhiri, tawhiriIsBusyUntil.map({ now >= $0 }) ?? true {
            askTawhiri(flight, by: parameters, &turn)
        } else if mayAskSondeHub {
            askSondeHub(facts, about: flight, &turn)
        }
    }

    private mutating func askSondeHub(_ facts: Facts, about flight: Flight, _ turn: inout Turn) {
        guard let serial = facts.sondeHubSerial else { return }
        begin(
            .sondeHubPrediction(serial),
            asking: Question(method: .sondehub, isBeforeBurst: !flight.hasDescentBegun), &turn)
    }

    private mutating func askTawhiri(_ flight: Flight, by parameters: PredictionParameters, _ turn: inout Turn) {
        guard let newest = flight.newestTrusted,
            let inputs = OwnWindsPredictor(options: parameters.ownWinds).onlineInputs(for: flight)
        else { return }
        let query = TawhiriQuery(
            launch: newest.coordinate, launchAltitudeMetres: newest.altitudeMetres,
            launchAt: turn.now.wall.advanced(by: Self.launchDelay), ascentRate: inputs.ascentRate,
            burstAltitudeMetres: inputs.burstAltitudeMetres, descentRate: inputs.descentRate)
        let isBeforeBurst = !flight.hasDescentBegun
        if let known = cache.answer(to: query, isBeforeBurst: isBeforeBurst, at: turn.now) {
            turn.count(.predictionCacheHits)
            stop(&turn)
            return adopt(known, flight, at: turn.now.monotonic)
        }
        begin(
            .tawhiri(query),
            asking: Question(
                method: .tawhiri, query: query, descentRateOrigin: inputs.descentRateOrigin,
                isBeforeBurst: isBeforeBurst), &turn)
    }

    /// One call at a time: a new one cancels the old.
    private mutating func begin(_ request: Request, asking question: Question, _ turn: inout Turn) {
        stop(&turn)
        call = (turn.call(request, for: .predictions), question)
        turn.count(.predictionCalls)
    }

    // MARK: - Answers

    mutating func answered(
        _ answer: Answer, for flight: Flight, by parameters: PredictionParameters, _ turn: inout Turn
    ) {
        guard let call else { return }
        self.call = nil
        switch answer {
        case .prediction(let answer?):
            let forecast = forecast(answer, to: call.question, for: flight, by: parameters, at: turn.now)
            if let query = call.question.query { cache.remember(forecast, to: query) }
            adopt(forecast, flight, at: turn.now.monotonic)
        case .prediction(nil): break  // SondeHub has none.
        case .failed(let error):
            turn.count(.predictionFailures)
            askOnlineAt = turn.now.monotonic.advanced(by: Self.onlineInterval)
            if call.question.method == .tawhiri {
                hasTawhiriFailed = true
                let pause = min(error.retryAfter ?? .zero, .seconds(3600))
                tawhiriIsBusyUntil = turn.now.monotonic.advanced(by: pause)
            }
            turn.note(
                .info, "no prediction from \(call.question.method.rawValue): \(error.code.rawValue)",
                facts: ["why": error.detail])
        case .sondes, .trackPart, .trackEnd, .route, .carShared: break  // Asked by nobody here.
        }
    }

    /// One that is older than what counts is no news: SondeHub made its own a while ago.
    private mutating func adopt(_ forecast: Forecast, _ flight: Flight, at now: MonotonicTime) {
        if let online, isValid(online, flight, at: now), forecast.computedAt.monotonic < online.computedAt.monotonic {
            return
        }
        online = forecast
    }

    private func forecast(
        _ answer: OnlinePrediction, to question: Question, for flight: Flight, by parameters: PredictionParameters,
        at now: Moment
    ) -> Forecast {
        // SondeHub says itself whether it saw the sonde rise.
        let isBeforeBurst = question.method == .sondehub ? answer.burst != nil : question.isBeforeBurst
        let inputs = LandingPrediction.Inputs(
            ascentRate: isBeforeBurst ? question.query?.ascentRate : nil,
            burstAltitudeMetres: isBeforeBurst ? question.query?.burstAltitudeMetres : nil,
            descentRate: question.query?.descentRate ?? parameters.ownWinds.descentRate,
            descentRateOrigin: question.descentRateOrigin, descentGrowth: 0,
            groundMetres: flight.groundMetres, windLayers: flight.windLayers)
        let radius = RadiusFormula(
            isBigParachute: parameters.options.descentGrowth == 0, factor: parameters.ownWinds.radiusFactor)
        return Forecast(
            answer, method: question.method, isBeforeBurst: isBeforeBurst, for: flight, inputs: inputs,
            radius: radius, at: now)
    }
}
