import FlightMath
import GatewayReports
import ReceiverProtocol

extension StoredPrediction {
    /// In each interval, one prediction of each method is kept for the score.
    private static let interval = Duration.seconds(10)

    /// Whether this prediction is less than an interval before `time`. False if the clock has been set back.
    fileprivate func isShortlyBefore(_ time: WallTime) -> Bool {
        (Duration.zero..<Self.interval).contains(time.duration(since: at))
    }
}

/// Keeps the predictions of a flight, and scores them at an observed landing.
struct LandingScores: Equatable, Sendable {
    /// The number of predictions of each method that are kept: more than an hour. The oldest are dropped.
    private static let limit = 400
    /// The largest time between a landing point and the kept prediction that it came from.
    private static let pointLag = Duration.seconds(15)

    private var isJudged = false
    private var kept: [PredictionMethod: [Dated<StoredPrediction>]] = [:]
    /// When the last stored prediction of each method was made.
    private var storedAt: [PredictionMethod: MonotonicTime] = [:]
    /// The predictions that were in force.
    private var inForce: [Dated<StoredPrediction>] = []
    private(set) var score: LandingScore?
    private(set) var sayAt: MonotonicTime?

    /// The newest prediction.
    func newest(by clock: RunClock) -> StoredPrediction? {
        kept.values.compactMap { $0.last?.value(by: clock) }.max { $0.at < $1.at }
    }

    /// The 90 % radius of the prediction that a landing point came from, metres: of the predictions of that time, the
    /// one that is nearest to the point. Nil if there was none.
    func radius90(of point: EarlierLandingPoint?, by clock: RunClock) -> Double? {
        guard let point else { return nil }
        let all = kept.values.joined().map { $0.value(by: clock) }
        let then = all.filter { abs($0.at.seconds(since: point.time)) <= Self.pointLag.inSeconds }
        let distance = { (prediction: StoredPrediction) in prediction.landing.distanceMetres(to: point.coordinate) }
        return then.min { distance($0) < distance($1) }?.radius90
    }

    /// Adds the predictions that an earlier run has stored, in the order of time.
    mutating func join(_ stored: [StoredPrediction], by clock: RunClock) {
        let newer = kept
        kept = [:]
        for prediction in stored { keep(Dated(fromElsewhere: prediction), by: clock) }
        for prediction in newer.values.joined() { keep(prediction, by: clock) }
    }

    /// Keeps and records a published prediction.
    /// - Parameter isInForce: whether this prediction is in force, or is only shown beside the one in force.
    mutating func note(_ forecast: Forecast, isInForce: Bool, of serial: SondeSerial?, _ turn: inout Turn) {
        let prediction = StoredPrediction(forecast.rendered(by: turn.clock))
        let dated = Dated(prediction, by: turn.clock)
        if isInForce { note(inForce: dated, by: turn.clock) }
        keep(dated, by: turn.clock)
        // Two predictions can be published together, of which only one is new.
        let madeAt = forecast.computedAt.monotonic
        guard storedAt[forecast.method] != madeAt, !isHeldBack(forecast) else { return }
        storedAt[forecast.method] = madeAt
        if let serial { turn.record(.prediction(serial, prediction)) }
    }

    /// Own winds give a prediction at each point. It is stored only as often as it is published.
    private func isHeldBack(_ forecast: Forecast) -> Bool {
        guard forecast.method == .ownWinds, let last = storedAt[.ownWinds] else { return false }
        // The difference is negative for a prediction from the last point of a sonde that has fallen silent.
        return (Duration.zero..<PredictionReport.spacing)
            .contains(forecast.computedAt.monotonic.duration(since: last))
    }

    private mutating func keep(_ prediction: Dated<StoredPrediction>, by clock: RunClock) {
        let method = prediction.original.method
        let last = kept[method]?.last?.value(by: clock)
        if let last, last.isShortlyBefore(prediction.time(\.at, by: clock)) { return }
        kept[method, default: []].append(prediction)
        let excess = (kept[method]?.count ?? 0) - Self.limit
        if excess > 0 { kept[method]?.removeFirst(excess) }
    }

    private mutating func note(inForce prediction: Dated<StoredPrediction>, by clock: RunClock) {
        if let last = inForce.last?.value(by: clock), last.method == prediction.original.method,
            last.isShortlyBefore(prediction.original.at)
        {
            return
        }
        inForce.append(prediction)
        if inForce.count > Self.limit { inForce.removeFirst(inForce.count - Self.limit) }
    }

    /// Scores the predictions at an observed landing.
    /// - Parameter sayAt: when the score is to be announced; nil if an earlier run has announced it.
    /// - Returns: false if the landing has been scored already.
    mutating func judge(_ landing: TrackPoint, sayAt: MonotonicTime?, by clock: RunClock) -> Bool {
        guard !isJudged else { return false }
        isJudged = true
        guard !kept.isEmpty else { return true }
        score = LandingScore(
            kept.mapValues { $0.map { $0.value(by: clock) } }, inForce: inForce.map { $0.value(by: clock) },
            landing: landing)
        self.sayAt = sayAt
        return true
    }

    /// Drops the score, because the sonde had not landed there.
    mutating func takeBack() { (isJudged, score, sayAt) = (false, nil, nil) }

    /// Returns the score once, when the time to announce it has come.
    mutating func toSay(at now: MonotonicTime) -> LandingScore? {
        guard let sayAt, now >= sayAt else { return nil }
        self.sayAt = nil
        return score
    }
}
