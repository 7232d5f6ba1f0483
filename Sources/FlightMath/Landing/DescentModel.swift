import RealModule

/// A fall under a parachute. It is faster in thinner air. Radiosondes also fall faster and faster, because their
/// parachutes are small or tangled.
struct DescentModel: Equatable, Sendable {
    /// The descent rate at ``startMetres``, converted to air at sea level, m/s.
    var seaLevelRate: Double
    /// The rate grows by e to this power per 10 km fallen; 0 for big parachutes.
    var growth: Double
    /// Where the fall begins, metres above sea level.
    var startMetres: Double

    /// The speed downwards at an altitude, m/s.
    func speed(at metres: Double) -> Double {
        seaLevelRate * Double.exp(growth * (startMetres - metres) / 10_000) / Atmosphere.densityRoot(at: metres)
    }
}

/// The descent rate of the newest points, converted to air at sea level.
public struct MeasuredDescent: Equatable, Sendable {
    public enum Origin: String, CaseIterable, Sendable {
        /// The expected rate, from the configuration or from earlier flights.
        case prior
        /// A mean of both, soon after the burst.
        case blended
        case measured
    }

    /// The points of this time give the rate, seconds. A longer gap ends the measurement.
    static let windowSeconds = 120.0
    private static let leastSeconds = 10.0
    /// Points this soon after the burst are ignored.
    private static let tumblingSeconds = 20.0
    private static let slowest = 0.3

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

    /// - Parameter options: its `descentRate` is the expected rate.
    init(_ judge: FlightJudge, _ options: OwnWindsOptions) {
        let prior = options.descentRate
        rate = prior
        guard let newest = judge.recent.points.last,
            let slope = Self.slope(judge.recent, burst: judge.burst.burst) ?? judge.rateBeforeGap
        else { return }
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

    /// The descent rate of the last two minutes, converted to air at sea level, m/s; nil if the points give none.
    /// - Parameter burst: nil if it was not detected.
    static func slope(_ recent: RecentPoints, burst: TrackPoint?) -> Double? {
        guard let newest = recent.points.last else { return nil }
        var all = recent.points
        if let burst { all = all.drop { $0.time.seconds(since: burst.time) < tumblingSeconds } }
        var points = all.drop { newest.time.seconds(since: $0.time) > windowSeconds }
        if points.count < 2 { points = all.suffix(2) }
        guard points.spanSeconds <= windowSeconds, points.spanSeconds >= leastSeconds, let slope = slope(points),
            slope >= slowest
        else { return nil }
        return slope
    }

    /// The negative least-squares slope of s over time, m/s.
    private static func slope(_ points: ArraySlice<TrackPoint>) -> Double? {
        guard let first = points.first else { return nil }
        let count = Double(points.count)
        var (times, falls, products, squares) = (0.0, 0.0, 0.0, 0.0)
        for point in points {
            let time = point.time.seconds(since: first.time)
            let fall = Atmosphere.fallMetres(at: point.altitudeMetres)
            times += time
            falls += fall
            products += time * fall
            squares += time * time
        }
        let spread = count * squares - times * times
        return spread > 0 ? -(count * products - times * falls) / spread : nil
    }
}
