import RealModule

/// A fall under a parachute. It is faster in thinner air. Radiosondes also fall ever faster, because their parachutes
/// are small or tangled.
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
        /// A mean of both, in the first 8 km below the burst.
        case blended
        case measured
    }

    private static let windowSeconds = 120.0
    private static let leastSeconds = 10.0
    /// Points this soon after the burst are ignored.
    private static let tumblingSeconds = 20.0
    private static let slowest = 0.3
    /// The measured rate takes over from the prior along the first 8 km of the fall.
    private static let blendMetres = 8000.0

    /// m/s.
    private(set) var rate: Double
    private(set) var origin = Origin.prior

    /// - Parameters:
    ///   - burst: nil if it was not detected. Then the measured rate alone counts.
    ///   - prior: the expected rate, m/s at sea level.
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
