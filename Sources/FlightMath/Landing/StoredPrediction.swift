/// A prediction, stored so that its error can be computed after the landing.
public struct StoredPrediction: Equatable, Sendable {
    public var method: PredictionMethod
    public var at: WallTime
    public var isDescending: Bool
    /// Predicted from the position at that time to the landing.
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

extension StoredPrediction {
    public init(_ forecast: Forecast) {
        let prediction = forecast.prediction
        self.init(
            method: forecast.method, at: forecast.computedAt.wall, isDescending: !forecast.isBeforeBurst,
            minutesToGo: prediction.minutesToGo, kilometresToGo: prediction.kilometresToGo,
            landing: prediction.landing.coordinate, radius90: prediction.radius.metres90)
    }
}

extension StoredPrediction: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) { at = replacement(at) }
}
