/// How far off each method's predictions were, metres (specification 3.7).
public struct LandingScore: Equatable, Sendable {
    /// Of one method: nil where it had no prediction then.
    public struct Errors: Equatable, Sendable {
        /// Its last, and those 5, 15 and 30 minutes before the landing.
        public var last, at5Minutes, at15Minutes, at30Minutes: Double?
    }

    public var errors: [PredictionMethod: Errors]
    /// Of those that were in force, whatever their method; nil where only what is stored is known.
    public private(set) var inForce: Errors?

    /// - Parameters:
    ///   - predictions: of each method, by time.
    ///   - inForce: those that counted, by time.
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

    /// Of the newest prediction that was made by then; nil when there was none, or only one long before.
    private static func error(
        of predictions: [StoredPrediction], minutesBefore minutes: Int64, _ landing: TrackPoint
    ) -> Double? {
        // What was made of the first point on the ground is no prediction.
        let time = landing.time.advanced(byMilliseconds: -max(1, minutes * 60_000))
        guard let made = predictions.last(where: { $0.at <= time }),
            time.duration(since: made.at) <= Forecast.onlineLimit
        else { return nil }
        return made.landing.distanceMetres(to: landing.coordinate)
    }
}
