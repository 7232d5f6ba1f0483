import RealModule

/// The descent rate of the newest points, converted to air at sea level.
public struct MeasuredDescent: Equatable, Sendable {
    public enum Origin: String, CaseIterable, Sendable {
        /// The expected rate, from the configuration or from earlier flights.
        case prior
        /// A mean of both, soon after the burst.
        case blended
        case measured
    }

    /// The measured rate replaces the prior gradually over this much of s (``Atmosphere``). That takes about the same
    /// time from any burst altitude: 8 km of fall from 30 km, 3 km from 20 km. A big parachute's prior is better: the
    /// logarithms of such rates spread by 0.24, those of radiosondes by 0.43. So that prior counts longer, by about the
    /// same ratio.
    private enum BlendMetres {
        static let radiosonde = 1200.0
        static let bigParachute = 2000.0
    }

    /// The descent rate, m/s.
    private(set) var rate: Double
    private(set) var origin = Origin.prior
    /// The part of the measured rate in ``rate``, 0 ... 1.
    private(set) var share = 0.0

    /// - Parameters:
    ///   - options: its `descentRate` is the expected rate.
    ///   - hasForecast: a forecast's winds are used. Then the time of the fall is the larger part of the error high up, and
    ///     that of big parachutes is corrected (``DescentRate/inThickerAir``). With the own winds alone the correction
    ///     brings next to nothing.
    init(_ judge: FlightJudge, _ options: OwnWindsOptions, hasForecast: Bool) {
        let prior = options.descentRate
        rate = prior
        guard let newest = judge.recent.points.last,
            let measured = DescentSlope.rate(judge.recent, burst: judge.burst.burst) ?? judge.rateBeforeGap
        else { return }
        let slope = hasForecast && options.isBigParachute ? measured.inThickerAir : measured.seaLevel
        // Without a detected burst the measured rate alone counts.
        share =
            judge.burst.burst.map { burst in
                let way =
                    Atmosphere.fallMetres(at: burst.altitudeMetres) - Atmosphere.fallMetres(at: newest.altitudeMetres)
                return min(
                    1, max(0, way) / (options.isBigParachute ? BlendMetres.bigParachute : BlendMetres.radiosonde))
            } ?? 1
        rate = Double.exp(share * Double.log(slope) + (1 - share) * Double.log(prior))
        origin = share < 1 ? .blended : .measured
    }
}
