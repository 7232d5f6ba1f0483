import ReceiverProtocol

/// How far off each method's predictions were, metres (specification 3.7).
public struct LandingScore: Equatable, Sendable {
    /// Of one method: nil where it had no prediction then.
    public struct Errors: Equatable, Sendable {
        /// Its last, and those 5, 15 and 30 minutes before the landing.
        public var last, at5Minutes, at15Minutes, at30Minutes: Double?
    }

    public var errors: [PredictionMethod: Errors]

    func fields(_ json: inout JSONText) {
        for method in PredictionMethod.allCases {
            json.field(method.rawValue, errors[method]) { inner, errors in
                inner.field("now_m", errors.last, decimals: 1)
                inner.field("5_min_m", errors.at5Minutes, decimals: 1)
                inner.field("15_min_m", errors.at15Minutes, decimals: 1)
                inner.field("30_min_m", errors.at30Minutes, decimals: 1)
            }
        }
    }
}

/// One prediction as it is judged after the landing.
public struct StoredPrediction: Equatable, Sendable {
    public var method: PredictionMethod
    public var at: WallTime
    public var isDescending: Bool
    /// Predicted, from the position of then.
    public var minutesToGo, kilometresToGo: Double
    public var landing: Coordinate
    /// Metres.
    public var radius90: Double

    public init(
        method: PredictionMethod, at: WallTime, isDescending: Bool, minutesToGo: Double, kilometresToGo: Double,
        landing: Coordinate, radius90: Double
    ) {
        self.method = method
        self.at = at
        self.isDescending = isDescending
        self.minutesToGo = minutesToGo
        self.kilometresToGo = kilometresToGo
        self.landing = landing
        self.radius90 = radius90
    }
}

/// Keeps what was predicted of a flight, and judges it when the sonde was seen to land.
struct LandingScores: Equatable, Sendable {
    /// One of each method in this time is kept, and stored.
    private static let interval = Duration.seconds(10)
    /// Of each method, for an hour and more; the oldest go.
    private static let limit = 400

    private var kept: [PredictionMethod: [StoredPrediction]] = [:]
    private(set) var score: LandingScore?

    /// A prediction was published.
    mutating func note(_ forecast: Forecast, of serial: SondeSerial?, _ turn: inout Turn) {
        let time = forecast.computedAt.wall
        if let last = kept[forecast.method]?.last, time.duration(since: last.at) < Self.interval { return }
        let prediction = forecast.prediction
        let entry = StoredPrediction(
            method: forecast.method, at: time, isDescending: !forecast.isBeforeBurst,
            minutesToGo: prediction.minutesToGo, kilometresToGo: prediction.kilometresToGo,
            landing: prediction.landing.coordinate, radius90: prediction.radius.metres90)
        var list = kept[forecast.method] ?? []
        list.append(entry)
        if list.count > Self.limit { list.removeFirst(list.count - Self.limit) }
        kept[forecast.method] = list
        if let serial { turn.record(.prediction(serial, entry)) }
    }

    /// The sonde was seen to land.
    /// - Returns: nil when it is judged already, or nothing was predicted.
    mutating func judge(_ landing: TrackPoint) -> LandingScore? {
        guard score == nil, !kept.isEmpty else { return nil }
        score = LandingScore(
            errors: kept.mapValues { predictions in
                LandingScore.Errors(
                    last: Self.error(of: predictions, minutesBefore: 0, landing),
                    at5Minutes: Self.error(of: predictions, minutesBefore: 5, landing),
                    at15Minutes: Self.error(of: predictions, minutesBefore: 15, landing),
                    at30Minutes: Self.error(of: predictions, minutesBefore: 30, landing))
            })
        return score
    }

    /// How many times the 90 % radius the predictions were off: the 90th percentile of each five kilometres' worst.
    func worstRatio(_ landing: TrackPoint) -> Double? {
        var worst: [Int: Double] = [:]
        for prediction in kept.values.joined() where prediction.radius90 > 0 {
            guard let step = Int(exactly: (prediction.kilometresToGo / 5).rounded(.down)) else { continue }
            let ratio = prediction.landing.distanceMetres(to: landing.coordinate) / prediction.radius90
            worst[step] = max(ratio, worst[step] ?? 0)
        }
        let sorted = worst.values.sorted()
        return sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
    }

    /// Of the newest prediction that was made by then; nil when there was none, or only one long before.
    private static func error(
        of predictions: [StoredPrediction], minutesBefore minutes: Int64, _ landing: TrackPoint
    ) -> Double? {
        let time = landing.time.advanced(byMilliseconds: -minutes * 60_000)
        guard let made = predictions.last(where: { $0.at <= time }),
            time.duration(since: made.at) <= Forecast.onlineLimit
        else { return nil }
        return made.landing.distanceMetres(to: landing.coordinate)
    }
}
