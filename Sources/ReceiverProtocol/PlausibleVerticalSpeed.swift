/// The vertical speeds that a sonde can have.
///
/// The speed of a fall goes with 1 / sqrt(density). A sonde that comes down without a parachute hits the ground at 10 to
/// 25 m/s, and falls nine times as fast where the balloon bursts.
///
///     up, at any altitude     100 m/s
///     down, below 12 km       100 m/s
///     down, above 25 km       250 m/s; in between in proportion
public enum PlausibleVerticalSpeed {
    private static let climb = 100.0
    private static let falls = (low: 100.0, high: 250.0)
    private static let altitudes = (low: 12_000.0, high: 25_000.0)

    /// - Parameters:
    ///   - speed: m/s, positive up.
    ///   - altitude: metres above mean sea level; of a piece of fall, its upper end.
    public static func contains(_ speed: Double, atMetres altitude: Double) -> Bool {
        guard speed < 0 else { return speed <= climb }
        let share = min(1, max(0, (altitude - altitudes.low) / (altitudes.high - altitudes.low)))
        return -speed <= falls.low + (falls.high - falls.low) * share
    }
}
