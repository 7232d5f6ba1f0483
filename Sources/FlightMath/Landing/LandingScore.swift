/// The errors of each method's predictions, metres.
public struct LandingScore: Equatable, Sendable {
    /// The errors of one method; nil for a time at which it had no prediction.
    public struct Errors: Equatable, Sendable {
        /// The errors of the last prediction, and of those 5, 15 and 30 minutes before the landing.
        public var last, at5Minutes, at15Minutes, at30Minutes: Double?
    }

    public var errors: [PredictionMethod: Errors]
    /// The errors of the predictions that were used, of any method; nil if only stored predictions are known.
    public private(set) var inForce: Errors?

    /// - Parameters:
    ///   - predictions: each method's predictions, by time.
    ///   - inForce: the predictions that were used, by time.
    public init(
        _ predictions: [PredictionMethod: [StoredPrediction]], inForce: [StoredPrediction] = [], landing: TrackPoint
    ) {
        errors = predictions.mapValues { Self.errors(of: $0, landing) }
        if !inForce.isEmpty { self.inForce = Self.errors(of: inForce, landing) }
    }

    private static func errors(of predictions: [StoredPrediction], _ landing: TrackPoint) -> Errors {
        Errors(
            last: error(of: predictions, minutesBefore: 0, landing),
            at5Minutes: error(of: predictions, minutesBefore: 5, landing),
            at15Minutes: error(of: predictions, minutesBefore: 15, landing),
            at30Minutes: error(of: predictions, minutesBefore: 30, landing))
    }

    /// The error of the newest prediction made at least this long before the landing; nil if there was none, or if it
    /// was too old at that time.
    private static func error(
        of predictions: [StoredPrediction], minutesBefore minutes: Int64, _ landing: TrackPoint
    ) -> Double? {
        // A prediction from the first point on the ground does not count.
        let time = landing.time.advanced(byMilliseconds: -max(1, minutes * 60_000))
        guard let made = predictions.last(where: { $0.at <= time }),
            time.duration(since: made.at) <= Forecast.onlineLimit
        else { return nil }
        return made.landing.distanceMetres(to: landing.coordinate)
    }
}
