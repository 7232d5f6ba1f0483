import RealModule

/// A fall under a parachute: in proportion to the air's thinness, and for radiosondes faster and faster (small or
/// tangled parachutes).
struct DescentModel: Equatable, Sendable {
    /// m/s in air as at sea level, at ``startMetres``.
    var seaLevelRate: Double
    /// By e to this power per 10 km fallen; 0 for big parachutes.
    var growth: Double
    /// Where the fall under consideration begins, metres above sea level.
    var startMetres: Double

    /// m/s downwards at an altitude.
    func speed(at metres: Double) -> Double {
        seaLevelRate * Double.exp(growth * (startMetres - metres) / 10_000) / Atmosphere.densityRoot(at: metres)
    }
}

/// The descent rate that the newest points show, at sea level.
public struct MeasuredDescent: Equatable, Sendable {
    public enum Origin: String, CaseIterable, Sendable {
        /// From the configuration, or of earlier flights.
        case prior
        /// While the sonde still tumbles after the burst: of both.
        case blended
        case measured
    }

    private static let windowSeconds = 120.0
    private static let leastSeconds = 10.0
    /// After the burst nothing measured is usable.
    private static let tumblingSeconds = 20.0
    private static let slowest = 0.3
    /// The measured rate takes over from the prior along the first 8 km of the fall.
    private static let blendMetres = 8000.0

    /// m/s.
    private(set) var rate: Double
    private(set) var origin = Origin.prior

    /// - Parameters:
    ///   - burst: nil when nobody saw it: then what was measured counts fully.
    ///   - prior: m/s at sea level.
    init(_ recent: RecentPoints, burst: TrackPoint?, prior: Double) {
        rate = prior
        guard let newest = recent.points.last else { return }
        var all = recent.points
        if let burst { all = all.drop { $0.time.seconds(since: burst.time) < Self.tumblingSeconds } }
        var points = all.drop { newest.time.seconds(since: $0.time) > Self.windowSeconds }
        if points.count < 2 { points = all.suffix(2) }
        guard points.spanSeconds <= Self.windowSeconds, points.spanSeconds >= Self.leastSeconds,
            let slope = Self.slope(points), slope >= Self.slowest
        else {
            return
        }
        let weight = burst.map { min(1, max(0, $0.altitudeMetres - newest.altitudeMetres) / Self.blendMetres) } ?? 1
        rate = Double.exp(weight * Double.log(slope) + (1 - weight) * Double.log(prior))
        origin = weight < 1 ? .blended : .measured
    }

    /// Minus the least-squares slope of s against time.
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
