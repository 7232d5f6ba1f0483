import RealModule

/// Predicts a landing without a network, from the winds that the flight itself has measured.
public struct OwnWindsPredictor: Equatable, Sendable {
    /// The ascent rate is measured over this time, seconds.
    private static let ascentSeconds = 300.0
    /// A shorter part of a climb gives neither the ascent rate nor the wind, seconds.
    private static let leastSeconds = 60.0
    /// A climb that seems slower is not measured well yet, m/s.
    private static let slowestAscent = 2.0
    /// A balloon that has passed the altitude at which it should burst climbs by this much, metres.
    private static let furtherClimb = 1500.0
    private static let leastAbove = 100.0

    let options: OwnWindsOptions

    public init(options: OwnWindsOptions = OwnWindsOptions()) {
        self.options = options.sane
    }

    /// - Returns: nil if the sonde is not in flight, if its climb was heard for less than a minute, if no wind is
    ///   known, or if the altitude is frozen.
    public func prediction(for flight: Flight) -> LandingPrediction? {
        let judge = flight.judge
        let isDescending = judge.descentBegan != nil
        guard judge.afterLanding == nil, !judge.isElsewhere, flight.phase.reason != .onGround, !judge.isAltitudeFrozen,
            let newest = judge.recent.points.last,
            isDescending || judge.isLetGo && judge.recent.points.spanSeconds >= Self.leastSeconds
        else { return nil }
        let winds = judge.winds.winds
        guard !winds.isEmpty else { return nil }
        let ground = flight.ground
        // A configured altitude beats the terrain.
        let below = GroundBelow(
            metres: ground.metres, terrain: ground.origin == .config ? nil : options.terrain,
            isGuessed: ground.origin == .lowest)
        let air = Air(
            winds, lowestHeard: judge.lowestMetres, other: options.otherWinds, isFalling: isDescending, at: newest.time)
        let start = LandingPrediction.PathPoint(
            time: newest.time, coordinate: newest.coordinate, altitudeMetres: newest.altitudeMetres)
        var prediction =
            isDescending ? descent(judge, from: start, to: below, air) : ascent(judge, from: start, to: below, air)
        let isTerrain = below.terrain?.heightMetres(at: prediction.landing.coordinate) != nil
        prediction.inputs.groundOrigin = isTerrain ? .terrain : ground.origin
        return prediction
    }

    private func descent(
        _ judge: FlightJudge, from start: LandingPrediction.PathPoint, to ground: GroundBelow, _ air: Air
    ) -> LandingPrediction {
        let measured = MeasuredDescent(judge, options, hasForecast: air.isJoined)
        let model = DescentModel(
            seaLevelRate: measured.rate, growth: options.descentGrowth, startMetres: start.altitudeMetres)
        var path = PredictedPath(from: start, highest: start.altitudeMetres)
        path.fall(to: ground, by: model, air)
        var prediction = prediction(
            path,
            inputs: inputs(
                rate: measured.rate, of: measured.origin, growth: model.growth, groundMetres: path.end.altitudeMetres,
                air))
        let basis = RadiusBasis.descent(
            minutes: prediction.minutesToGo, kilometres: prediction.kilometresToGo, blindMinutes: path.blindMinutes,
            measuredShare: measured.share)
        (prediction.radiusBasis, prediction.radius) = (basis, radius.radius(by: basis))
        prediction.radius.metres90 += ground.doubt(about: path, by: model, air)
        return prediction
    }

    private func ascent(
        _ judge: FlightJudge, from start: LandingPrediction.PathPoint, to ground: GroundBelow, _ air: Air
    ) -> LandingPrediction {
        let height = start.altitudeMetres
        let rate = ascentRate(judge)
        let burst = burstAltitude(above: height)
        var path = PredictedPath(from: start, highest: burst)
        path.climb(to: burst, rate: rate, air)
        let burstPoint = path.end
        let model = DescentModel(seaLevelRate: options.descentRate, growth: 0, startMetres: burst)
        path.fall(to: ground, by: model, air)
        var inputs = inputs(
            rate: options.descentRate, of: .prior, growth: 0, groundMetres: path.end.altitudeMetres, air)
        inputs.ascentRate = rate
        inputs.burstAltitudeMetres = burst
        var prediction = prediction(path, inputs: inputs)
        prediction.burst = burstPoint
        let basis = RadiusBasis.ascent(
            minutesAbove: path.minutesAbove, kilometres: prediction.kilometresToGo,
            certainty: air.certainty(upTo: burst))
        (prediction.radiusBasis, prediction.radius) = (basis, radius.radius(by: basis))
        prediction.radius.metres90 += ground.doubt(about: path, by: model, air)
        var now = PredictedPath(from: start, highest: nil)
        now.fall(
            to: ground,
            by: DescentModel(seaLevelRate: options.descentRate, growth: options.descentGrowth, startMetres: height), air
        )
        prediction.landingIfBurstNow = now.end
        return prediction
    }

    /// The net ascent rate of the last five minutes without the time on the launch pad, m/s. In the first minute of the
    /// climb, and while it seems slower than any balloon climbs, it is the configured rate.
    func ascentRate(_ judge: FlightJudge) -> Double {
        let window = judge.recent.window(seconds: Self.ascentSeconds)
        let began = judge.pad.climbBegan
        let climb = window.drop { point in began.map { point.time < $0 } ?? false }
        guard climb.spanSeconds >= Self.leastSeconds, let speeds = climb.netSpeeds,
            speeds.vertical >= Self.slowestAscent
        else { return options.ascentRate }
        return speeds.vertical
    }

    func burstAltitude(above metres: Double) -> Double {
        let expected = options.burstAltitudeMetres
        let isPassed = metres > expected + Self.leastAbove
        return isPassed ? metres + Self.furtherClimb : max(expected, metres + Self.leastAbove)
    }

    private var radius: RadiusFormula {
        RadiusFormula(isBigParachute: options.isBigParachute)
    }

    private func inputs(
        rate: Double, of origin: MeasuredDescent.Origin, growth: Double, groundMetres: Double, _ air: Air
    ) -> LandingPrediction.Inputs {
        LandingPrediction.Inputs(
            descentRate: rate, descentRateOrigin: origin.rawValue, descentGrowth: growth, groundMetres: groundMetres,
            windLayers: air.winds.layers.count, winds: air.sources)
    }

    private func prediction(_ path: PredictedPath, inputs: LandingPrediction.Inputs) -> LandingPrediction {
        let (east, north) = path.start.coordinate.offsetMetres(to: path.end.coordinate)
        return LandingPrediction(
            path: path.thinned, landing: path.end, inputs: inputs,
            radius: LandingPrediction.ErrorRadius(metres50: 0, metres90: 0), minutesToGo: path.seconds / 60,
            kilometresToGo: (east * east + north * north).squareRoot() / 1000)
    }
}
