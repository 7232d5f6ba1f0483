import RealModule

/// What a forecast server is asked with, as measured on this flight.
public struct OnlineInputs: Equatable, Sendable {
    /// m/s.
    public var ascentRate: Double
    /// Metres; in the descent 10 m above the sonde, so that it falls at once.
    public var burstAltitudeMetres: Double
    /// m/s in air as at sea level, constant: the mean over the fall that is left.
    public var descentRate: Double
    /// Where that comes from: `prior`, `blended`, `measured`.
    public var descentRateOrigin: String
}

extension OwnWindsPredictor {
    private static let aboveFallingMetres = 10.0

    /// The numbers that Tawhiri wants.
    /// - Returns: nil before any plausible point.
    public func onlineInputs(for flight: Flight) -> OnlineInputs? {
        let judge = flight.judge
        guard let height = judge.recent.points.last?.altitudeMetres else { return nil }
        guard judge.descentBegan != nil else {
            return OnlineInputs(
                ascentRate: ascentRate(judge), burstAltitudeMetres: burstAltitude(above: height),
                descentRate: options.descentRate, descentRateOrigin: MeasuredDescent.Origin.prior.rawValue)
        }
        let measured = MeasuredDescent(judge.recent, burst: judge.burst.burst, prior: options.descentRate)
        let growth = Double.exp(options.descentGrowth * (height - flight.groundMetres) / 20_000)
        return OnlineInputs(
            ascentRate: options.ascentRate, burstAltitudeMetres: height + Self.aboveFallingMetres,
            descentRate: measured.rate * growth, descentRateOrigin: measured.origin.rawValue)
    }
}
