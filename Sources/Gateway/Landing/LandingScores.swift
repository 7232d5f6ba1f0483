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
    private var kept: [PredictionMethod: [StoredPrediction]] = [:]
    /// The time of the last stored prediction of each method.
    private var storedAt: [PredictionMethod: WallTime] = [:]
    /// The predictions that were in force.
    private var inForce: [StoredPrediction] = []
    private(set) var score: LandingScore?
    private(set) var sayAt: MonotonicTime?

    /// The newest prediction.
    var newest: StoredPrediction? { kept.values.compactMap(\.last).max { $0.at < $1.at } }

    /// The 90 % radius of the prediction that a landing point came from, metres: of the predictions of that time, the
    /// one that is nearest to the point. Nil if there was none.
    func radius90(of point: EarlierLandingPoint?) -> Double? {
        guard let point else { return nil }
        let then = kept.values.joined().filter { abs($0.at.seconds(since: point.time)) <= Self.pointLag.inSeconds }
        let distance = { (prediction: StoredPrediction) in prediction.landing.distanceMetres(to: point.coordinate) }
        return then.min { distance($0) < distance($1) }?.radius90
    }

    /// Adds the predictions that an earlier run has stored, in the order of time.
    mutating func join(_ stored: [StoredPrediction]) {
        let newer = kept
        kept = [:]
        for prediction in stored { keep(prediction) }
        for prediction in newer.values.joined() { keep(prediction) }
    }

    /// The wall clock was wrong and has been set.
    /// - Parameter start: older times are from an earlier run. Its clock was another one, so they stay.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        func moved(_ time: WallTime) -> WallTime { time >= start ? time.advanced(byMilliseconds: change) : time }
        func moved(_ prediction: StoredPrediction) -> StoredPrediction {
            var prediction = prediction
            prediction.at = moved(prediction.at)
            return prediction
        }
        kept = kept.mapValues { $0.map(moved) }
        inForce = inForce.map(moved)
        storedAt = storedAt.mapValues(moved)
    }

    /// Keeps and records a published prediction.
    /// - Parameter isInForce: whether this prediction is in force, or is only shown beside the one in force.
    mutating func note(_ forecast: Forecast, isInForce: Bool, of serial: SondeSerial?, _ turn: inout Turn) {
        if isInForce { note(inForce: forecast) }
        let prediction = StoredPrediction(forecast)
        keep(prediction)
        // Two predictions can be published together, of which only one is new.
        guard storedAt[prediction.method] != prediction.at, !isHeldBack(prediction) else { return }
        storedAt[prediction.method] = prediction.at
        if let serial { turn.record(.prediction(serial, prediction)) }
    }

    /// Own winds give a prediction at each point. It is stored only as often as it is published.
    private func isHeldBack(_ prediction: StoredPrediction) -> Bool {
        guard prediction.method == .ownWinds, let last = storedAt[.ownWinds] else { return false }
        // The difference is negative if the clock has been set back.
        return (Duration.zero..<PredictionReport.spacing).contains(prediction.at.duration(since: last))
    }

    private mutating func keep(_ prediction: StoredPrediction) {
        if let last = kept[prediction.method]?.last, last.isShortlyBefore(prediction.at) { return }
        kept[prediction.method, default: []].append(prediction)
        let excess = (kept[prediction.method]?.count ?? 0) - Self.limit
        if excess > 0 { kept[prediction.method]?.removeFirst(excess) }
    }

    private mutating func note(inForce forecast: Forecast) {
        if let last = inForce.last, last.method == forecast.method, last.isShortlyBefore(forecast.computedAt.wall) {
            return
        }
        inForce.append(StoredPrediction(forecast))
        if inForce.count > Self.limit { inForce.removeFirst(inForce.count - Self.limit) }
    }

    /// Scores the predictions at an observed landing.
    /// - Parameter sayAt: when the score is to be said; nil if an earlier run has said it.
    /// - Returns: false if the landing has been scored already.
    mutating func judge(_ landing: TrackPoint, sayAt: MonotonicTime?) -> Bool {
        guard !isJudged else { return false }
        isJudged = true
        guard !kept.isEmpty else { return true }
        score = LandingScore(kept, inForce: inForce, landing: landing)
        self.sayAt = sayAt
        return true
    }

    /// Drops the score, because the sonde had not landed there.
    mutating func takeBack() { (isJudged, score, sayAt) = (false, nil, nil) }

    /// Returns the score once, when the time to say it has come.
    mutating func toSay(at now: MonotonicTime) -> LandingScore? {
        guard let sayAt, now >= sayAt else { return nil }
        self.sayAt = nil
        return score
    }
}
