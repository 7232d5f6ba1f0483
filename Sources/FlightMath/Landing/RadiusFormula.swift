/// The expected error of a prediction. It grows with the time and distance to the landing. Fitted to real flights.
public struct RadiusFormula: Equatable, Sendable {
    /// An amateur balloon with a big parachute, not a radiosonde.
    var isBigParachute: Bool
    /// Both radii are multiplied by this. Learnt from earlier flights.
    var factor: Double

    public init(isBigParachute: Bool, factor: Double) {
        self.isBigParachute = isBigParachute
        self.factor = factor
    }

    /// - Parameter blindMinutes: the part of the fall through altitudes whose wind is unknown.
    public func descent(minutes: Double, kilometres: Double, blindMinutes: Double) -> LandingPrediction.ErrorRadius {
        if isBigParachute {
            return radius(
                0.37 + 0.02 * minutes + 0.067 * kilometres + 0.2 * blindMinutes,
                1.1 + 0.04 * minutes + 0.16 * kilometres + 0.4 * blindMinutes)
        }
        return radius(
            0.25 + 0.105 * minutes + 0.09 * kilometres + 0.2 * blindMinutes,
            0.7 + 0.30 * minutes + 0.08 * kilometres + 0.4 * blindMinutes)
    }

    /// - Parameter minutesAbove: the part of the coming flight above the present altitude.
    public func ascent(minutesAbove: Double, kilometres: Double) -> LandingPrediction.ErrorRadius {
        if isBigParachute {
            return radius(
                2.0 + 0.36 * minutesAbove + 0.01 * kilometres, 12.5 + 0.60 * minutesAbove + 0.045 * kilometres)
        }
        return radius(20 + 0.23 * minutesAbove + 0.08 * kilometres, 45 + 0.21 * minutesAbove + 0.20 * kilometres)
    }

    /// - Parameters: both in kilometres.
    private func radius(_ half: Double, _ most: Double) -> LandingPrediction.ErrorRadius {
        LandingPrediction.ErrorRadius(metres50: half * factor * 1000, metres90: max(half, most) * factor * 1000)
    }
}
