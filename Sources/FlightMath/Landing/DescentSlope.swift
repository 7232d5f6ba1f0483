/// A descent rate that points have shown.
struct DescentRate: Equatable, Sendable {
    /// Big parachutes fall a little faster than by the density of the air where it is thin: on 111 flights by nothing below
    /// 13 km and by 12 % above 23 km. Half of that is used, because few flights are like their mean.
    private enum ThinAir {
        static let begins = 13_000.0
        static let ends = 23_000.0
        static let gain = 0.06
    }

    /// Converted to air at sea level, m/s.
    var seaLevel: Double
    /// Where the sonde fell so, metres above sea level.
    var metres: Double

    /// The rate to expect of a big parachute in the rest of the fall, m/s at sea level.
    var inThickerAir: Double {
        let share = (metres - ThinAir.begins) / (ThinAir.ends - ThinAir.begins)
        return seaLevel / (1 + ThinAir.gain * min(1, max(0, share)))
    }
}

/// Measures the descent rate.
enum DescentSlope {
    /// The points of this time give the rate, seconds. A longer gap ends the measurement.
    static let windowSeconds = 120.0
    private static let leastSeconds = 10.0
    /// Points this soon after the burst are ignored.
    private static let tumblingSeconds = 20.0
    private static let slowest = 0.3

    /// The rate of the last two minutes; nil if the points give none.
    /// - Parameter burst: nil if it was not detected.
    static func rate(_ recent: RecentPoints, burst: TrackPoint?) -> DescentRate? {
        guard let newest = recent.points.last else { return nil }
        var all = recent.points
        if let burst { all = all.drop { $0.time.seconds(since: burst.time) < tumblingSeconds } }
        var points = all.drop { newest.time.seconds(since: $0.time) > windowSeconds }
        if points.count < 2 { points = all.suffix(2) }
        guard points.spanSeconds <= windowSeconds, points.spanSeconds >= leastSeconds, let slope = slope(points),
            slope >= slowest
        else { return nil }
        return DescentRate(seaLevel: slope, metres: newest.altitudeMetres)
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
