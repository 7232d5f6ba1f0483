import FlightMath
import GatewayReports
import ReceiverProtocol

extension StoredPrediction {
    /// One of each method in this time is kept for the judgement.
    private static let interval = Duration.seconds(10)

    /// Not where the clock has been set back.
    fileprivate func isShortlyBefore(_ time: WallTime) -> Bool {
        (Duration.zero..<Self.interval).contains(time.duration(since: at))
    }
}

/// Keeps what was predicted of a flight, and judges it when the sonde was seen to land.
struct LandingScores: Equatable, Sendable {
    /// Of each method, for an hour and more; the oldest go.
    private static let limit = 400
    /// From a prediction that is kept, one in ten seconds, to the landing point of another in that time.
    private static let pointLag = Duration.seconds(15)

    private var isJudged = false
    private var kept: [PredictionMethod: [StoredPrediction]] = [:]
    /// When the last that was stored was made.
    private var storedAt: [PredictionMethod: WallTime] = [:]
    /// Those that counted.
    private var inForce: [StoredPrediction] = []
    private(set) var score: LandingScore?
    private(set) var sayAt: MonotonicTime?

    /// When it lands by the newest prediction.
    var landingAt: WallTime? {
        let newest = kept.values.compactMap(\.last).max { $0.at < $1.at }
        return newest.map { $0.at.advanced(by: .seconds(clamping: $0.minutesToGo * 60)) }
    }

    /// Of the prediction that a landing point came from, metres: of those of its time the one that said it would land
    /// nearest to there. Nil where there was none.
    func radius90(of point: EarlierLandingPoint) -> Double? {
        let then = kept.values.joined().filter { abs($0.at.seconds(since: point.time)) <= Self.pointLag.inSeconds }
        let distance = { (prediction: StoredPrediction) in prediction.landing.distanceMetres(to: point.coordinate) }
        return then.min { distance($0) < distance($1) }?.radius90
    }

    /// Adds what an earlier run has stored, by time.
    mutating func join(_ stored: [StoredPrediction]) {
        let newer = kept
        kept = [:]
        for prediction in stored { keep(prediction) }
        for prediction in newer.values.joined() { keep(prediction) }
    }

    /// The wall clock was wrong and has been set.
    /// - Parameter start: what is older is of an earlier run, whose clock is not meant.
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

    /// A prediction was published.
    /// - Parameter isInForce: it is the one that counts, and no other beside it.
    mutating func note(_ forecast: Forecast, isInForce: Bool, of serial: SondeSerial?, _ turn: inout Turn) {
        if isInForce { note(inForce: forecast) }
        let prediction = StoredPrediction(forecast)
        keep(prediction)
        // It may be one of two again, and no news itself.
        guard storedAt[prediction.method] != prediction.at, !isHeldBack(prediction) else { return }
        storedAt[prediction.method] = prediction.at
        if let serial { turn.record(.prediction(serial, prediction)) }
    }

    /// Own winds give one at every point: it goes to the disk as often as it is published.
    private func isHeldBack(_ prediction: StoredPrediction) -> Bool {
        guard prediction.method == .ownWinds, let last = storedAt[.ownWinds] else { return false }
        // Not where the clock has been set back.
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

    /// The sonde was seen to land.
    /// - Parameter sayAt: when the score is to be said; nil when it has been.
    /// - Returns: false when it has been already.
    mutating func judge(_ landing: TrackPoint, sayAt: MonotonicTime?) -> Bool {
        guard !isJudged else { return false }
        isJudged = true
        guard !kept.isEmpty else { return true }
        score = LandingScore(kept, inForce: inForce, landing: landing)
        self.sayAt = sayAt
        return true
    }

    /// The score, once, when it is time to say it.
    mutating func toSay(at now: MonotonicTime) -> LandingScore? {
        guard let sayAt, now >= sayAt else { return nil }
        self.sayAt = nil
        return score
    }

    /// How many times the 90 % radius the predictions were off: the 90th percentile of each five kilometres' worst.
    /// - Parameter factor: by which the radii of this flight were multiplied; the ratio is to those before.
    func worstRatio(_ landing: TrackPoint, factor: Double) -> Double? {
        var worst: [Int: Double] = [:]
        for prediction in kept.values.joined() where prediction.radius90 > 0 {
            guard let step = Int(exactly: (prediction.kilometresToGo / 5).rounded(.down)) else { continue }
            let ratio = prediction.landing.distanceMetres(to: landing.coordinate) / prediction.radius90
            worst[step] = max(ratio, worst[step] ?? 0)
        }
        let sorted = worst.values.sorted()
        return sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 9 / 10)] * factor
    }
}
