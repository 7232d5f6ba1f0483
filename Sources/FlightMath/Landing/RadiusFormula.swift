/// The quantities from which the radii of a prediction are computed.
public enum RadiusBasis: Equatable, Sendable {
    /// - Parameters:
    ///   - minutesAbove: the duration of the coming flight above the present altitude.
    ///   - kilometres: from the sonde to the landing point.
    ///   - certainty: how well the winds up there are known from another flight or a forecast, 0 ... 1 (``Air``).
    case ascent(minutesAbove: Double, kilometres: Double, certainty: Double)
    /// - Parameters:
    ///   - minutes: the duration of the rest of the fall.
    ///   - kilometres: from the sonde to the landing point.
    ///   - blindMinutes: the part of it through altitudes whose wind is unknown.
    ///   - measuredShare: the part of the measured rate in the descent rate, 0 ... 1.
    case descent(minutes: Double, kilometres: Double, blindMinutes: Double, measuredShare: Double)
}

/// The expected error of a prediction. It grows with the time and distance to the landing. Fitted to real flights.
public struct RadiusFormula: Equatable, Sendable {
    /// An amateur balloon with a big parachute, not a radiosonde.
    var isBigParachute: Bool

    public init(isBigParachute: Bool) { self.isBigParachute = isBigParachute }

    public func radius(by basis: RadiusBasis) -> LandingPrediction.ErrorRadius {
        var radius = place(by: basis)
        radius.seconds50 = time(by: basis)
        return radius
    }

    /// The landing time depends on burst altitude and descent rate alone, so known winds make it no surer.
    private func time(by basis: RadiusBasis) -> Double {
        switch basis {
        case .descent(let minutes, _, _, _): isBigParachute ? 32 + 0.085 * minutes * minutes : 30 + 9 * minutes
        case .ascent(let minutesAbove, _, _): isBigParachute ? 330 + 4 * minutesAbove : 1250 + 3 * minutesAbove
        }
    }

    private func place(by basis: RadiusBasis) -> LandingPrediction.ErrorRadius {
        switch basis {
        case .descent(let minutes, let kilometres, let blindMinutes, let measuredShare):
            if isBigParachute {
                return radius(
                    0.5 + 0.02 * minutes + 0.067 * kilometres + 0.2 * blindMinutes,
                    1.4 + 0.04 * minutes + 0.16 * kilometres + 0.4 * blindMinutes)
            }
            return radius(
                0.35 + 0.105 * minutes + 0.09 * kilometres + 0.2 * blindMinutes,
                0.9 + 0.30 * minutes + 0.08 * kilometres + 0.4 * blindMinutes + 0.35 * (1 - measuredShare) * minutes)
        case .ascent(let minutesAbove, let kilometres, let certainty):
            let alone =
                isBigParachute
                ? (2.0 + 0.36 * minutesAbove + 0.01 * kilometres, 12.5 + 0.60 * minutesAbove + 0.045 * kilometres)
                : (20 + 0.23 * minutesAbove + 0.08 * kilometres, 45 + 0.21 * minutesAbove + 0.20 * kilometres)
            // If the winds are known, only the errors of burst altitude and descent rate remain. They don't vanish shortly
            // before the burst. The numbers come from Tests/FlightMeasurements/fit-radii.py.
            let known =
                isBigParachute
                ? (7.0, 16.0 + 0.08 * minutesAbove)
                : (9.0 + 0.16 * minutesAbove, 14.0 + 0.38 * minutesAbove)
            return radius(
                (1 - certainty) * alone.0 + certainty * known.0, (1 - certainty) * alone.1 + certainty * known.1)
        }
    }

    /// - Parameters: both in kilometres.
    private func radius(_ half: Double, _ most: Double) -> LandingPrediction.ErrorRadius {
        LandingPrediction.ErrorRadius(metres50: half * 1000, metres90: max(half, most) * 1000)
    }
}
