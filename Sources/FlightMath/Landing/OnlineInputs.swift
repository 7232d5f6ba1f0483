import RealModule

/// The numbers that are sent to a forecast server, measured on this flight.
public struct OnlineInputs: Equatable, Sendable {
    /// m/s.
    public var ascentRate: Double
    /// Metres. In the descent it is 10 m above the sonde, so that the server lets it fall at once.
    public var burstAltitudeMetres: Double
    /// The mean over the rest of the fall, converted to air at sea level, m/s.
    public var descentRate: Double
    /// The origin of the descent rate: `prior`, `blended`, `measured`.
    public var descentRateOrigin: String
    /// The part of the measured rate in the descent rate, 0 ... 1.
    public var measuredShare = 0.0
}

extension OwnWindsPredictor {
    private static let aboveFallingMetres = 10.0

    /// The numbers to send to Tawhiri; nil before the first plausible point.
    public func onlineInputs(for flight: Flight) -> OnlineInputs? {
        let judge = flight.judge
        guard let height = judge.recent.points.last?.altitudeMetres else { return nil }
        guard judge.descentBegan != nil else {
            return OnlineInputs(
                ascentRate: ascentRate(judge), burstAltitudeMetres: burstAltitude(above: height),
                descentRate: options.descentRate, descentRateOrigin: MeasuredDescent.Origin.prior.rawValue)
        }
        let measured = MeasuredDescent(judge, options, hasForecast: true)
        let growth = Double.exp(options.descentGrowth * (height - flight.groundMetres) / 20_000)
        return OnlineInputs(
            ascentRate: options.ascentRate, burstAltitudeMetres: height + Self.aboveFallingMetres,
            descentRate: measured.rate * growth, descentRateOrigin: measured.origin.rawValue,
            measuredShare: measured.share)
    }
}
