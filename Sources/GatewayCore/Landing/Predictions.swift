import ReceiverProtocol

/// Where the followed sonde will land: asks Tawhiri and SondeHub, computes from its own winds, and says which of them
/// counts (specification 3.7).
///
///     asked                      when
///     own winds                  at every new point in a flying state, at most once a second
///     Tawhiri                    first telemetry, end of a gap fill, every 60 s, on command; one call at a time
///     SondeHub's own             as Tawhiri, while the position comes from SondeHub and Tawhiri gave none
///
///     in force                   when
///     the online answer          younger than 5 min, not from before a burst that is over, own winds none or older
///     own winds                  else, and below 5 km above the ground
///     the last one               when nothing newer is to be had, marked with its age
struct Predictions: Sendable {
    private static let onlineInterval = Duration.seconds(60)
    private static let ownInterval = Duration.seconds(1)
    /// Below this above the ground the sonde's own winds know best, metres.
    private static let lowMetres = 5000.0
    /// Tawhiri's flight begins a little later than now: it has to be asked first.
    private static let launchDelay = Duration.seconds(60)

    private(set) var own: Forecast?
    private(set) var online: Forecast?
    private var cache = TawhiriCache()
    private var call: (id: CallID, method: PredictionMethod, query: TawhiriQuery?)?
    private var askOnlineAt: MonotonicTime?
    private var hasTawhiriFailed = false
    private var computedFor: TrackPoint?
    private var wasFlying = false

    /// When the next online prediction is due; nil while none is.
    var deadline: MonotonicTime? { call == nil && wasFlying ? askOnlineAt : nil }

    /// The one that counts; nil when there never was any.
    func inForce(_ flight: Flight, at now: MonotonicTime) -> Forecast? {
        guard let own else { return online }
        guard let online, isValid(online, flight, at: now) else { return own }
        let height = (flight.newest?.altitudeMetres ?? 0) - flight.groundMetres
        let isLow = flight.judge.descentBegan != nil && height < Self.lowMetres
        return isLow && own.computedAt.monotonic >= online.computedAt.monotonic ? own : online
    }

    private func isValid(_ online: Forecast, _ flight: Flight, at now: MonotonicTime) -> Bool {
        now.duration(since: online.computedAt.monotonic) < Forecast.onlineLimit
            && !(online.isBeforeBurst && flight.judge.descentBegan != nil)
    }

    /// By command, or because there is more to predict from: asks now.
    mutating func askNow(at now: MonotonicTime) {
        askOnlineAt = now
        computedFor = nil
    }

    mutating func stop(_ turn: inout Turn) {
        if let call { turn.cancel(call.id) }
        call = nil
    }

    // MARK: - What follows from the facts

    mutating func follow(_ facts: Facts, flight: Flight, by prior: Prior, _ turn: inout Turn) {
        let isFlying =
            (facts.state == .liveBLEFlying || facts.state == .aprsFlying) && flight.newest != nil
            && prior.options.isEnabled && !facts.isStopping
        if isFlying, !wasFlying { askNow(at: turn.now.monotonic) }
        wasFlying = isFlying
        guard isFlying else { return stop(&turn) }
        compute(flight, prior, at: turn.now)
        ask(facts, flight: flight, by: prior, &turn)
    }

    private mutating func compute(_ flight: Flight, _ prior: Prior, at now: Moment) {
        guard prior.options.isOffline, flight.newest != computedFor else { return }
        if let own, now.duration(since: own.computedAt) < Self.ownInterval, computedFor != nil { return }
        computedFor = flight.newest
        guard let prediction = OwnWindsPredictor(options: prior.ownWinds).prediction(for: flight) else { return }
        own = Forecast(
            method: .ownWinds, prediction: prediction, computedAt: now,
            isBeforeBurst: flight.judge.descentBegan == nil)
    }

    private mutating func ask(_ facts: Facts, flight: Flight, by prior: Prior, _ turn: inout Turn) {
        guard call == nil else { return }
        let now = turn.now.monotonic
        let mayAskSondeHub = facts.state == .aprsFlying && prior.options.asksSondeHub
        if hasTawhiriFailed, mayAskSondeHub {
            hasTawhiriFailed = false
            return askSondeHub(facts, &turn)
        }
        guard let due = askOnlineAt, now >= due else { return }
        // Whatever comes of it: what is due now must not be due for ever.
        askOnlineAt = now.advanced(by: Self.onlineInterval)
        hasTawhiriFailed = false
        guard flight.phase.reason != .onGround else { return }
        if prior.options.asksTawhiri {
            askTawhiri(flight, by: prior, &turn)
        } else if mayAskSondeHub {
            askSondeHub(facts, &turn)
        }
    }

    private mutating func askSondeHub(_ facts: Facts, _ turn: inout Turn) {
        guard let serial = facts.serial else { return }
        call = (turn.call(.sondeHubPrediction(serial)), .sondehub, nil)
        turn.count(.predictionCalls)
    }

    private mutating func askTawhiri(_ flight: Flight, by prior: Prior, _ turn: inout Turn) {
        guard let newest = flight.newest, let query = query(flight, from: newest, by: prior, at: turn.now) else {
            return
        }
        if let known = cache.answer(to: query, at: turn.now) {
            turn.count(.predictionCacheHits)
            return take(known, of: query, .tawhiri, for: flight, by: prior, at: turn.now)
        }
        call = (turn.call(.tawhiri(query)), .tawhiri, query)
        turn.count(.predictionCalls)
    }

    private func query(_ flight: Flight, from newest: TrackPoint, by prior: Prior, at now: Moment) -> TawhiriQuery? {
        guard let inputs = OwnWindsPredictor(options: prior.ownWinds).onlineInputs(for: flight) else { return nil }
        return TawhiriQuery(
            launch: newest.coordinate, launchAltitudeMetres: newest.altitudeMetres,
            launchAt: now.wall.advanced(by: Self.launchDelay), ascentRate: inputs.ascentRate,
            burstAltitudeMetres: inputs.burstAltitudeMetres, descentRate: inputs.descentRate)
    }

    // MARK: - Answers

    /// - Returns: false when the call is none of these.
    mutating func take(
        _ answer: Answer, to id: CallID, for flight: Flight, by prior: Prior, _ turn: inout Turn
    ) -> Bool {
        guard let call, call.id == id else { return false }
        self.call = nil
        switch answer {
        case .prediction(let online?):
            if let query = call.query { cache.remember(online, for: query, at: turn.now) }
            take(online, of: call.query, call.method, for: flight, by: prior, at: turn.now)
        case .prediction(nil): break  // SondeHub has none.
        case .failed(let error):
            turn.count(.predictionFailures)
            hasTawhiriFailed = call.method == .tawhiri
            let asked = min(error.retryAfter ?? .zero, .seconds(3600))
            askOnlineAt = turn.now.monotonic.advanced(by: max(Self.onlineInterval, asked))
            turn.note(
                .info, "no prediction from \(call.method.rawValue): \(error.code.rawValue)", ["why": error.detail])
        case .sondes, .trackPart, .trackEnd: break  // Asked by nobody here.
        }
        return true
    }

    private mutating func take(
        _ answer: OnlinePrediction, of query: TawhiriQuery?, _ method: PredictionMethod, for flight: Flight,
        by prior: Prior, at now: Moment
    ) {
        let isAscending = flight.judge.descentBegan == nil
        let inputs = LandingPrediction.Inputs(
            ascentRate: isAscending ? query?.ascentRate : nil,
            burstAltitudeMetres: isAscending ? query?.burstAltitudeMetres : nil,
            descentRate: query?.descentRate ?? prior.ownWinds.descentRate,
            descentRateOrigin: MeasuredDescent.Origin.prior.rawValue, descentGrowth: 0,
            groundMetres: flight.groundMetres, windLayers: flight.judge.winds.winds.layers.count)
        let radius = RadiusFormula(
            isBigParachute: prior.options.descentGrowth == 0, factor: prior.ownWinds.radiusFactor)
        online = Forecast(answer, method: method, for: flight, inputs: inputs, radius: radius, at: now)
    }
}
