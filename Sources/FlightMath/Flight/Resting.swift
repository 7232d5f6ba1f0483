/// When a sonde is at rest. Every part that judges rest uses these limits.
public enum Resting {
    /// Slower over ground, m/s.
    public static let horizontal = 1.0
    /// Slower up or down, m/s. A GPS altitude on the ground drifts.
    public static let vertical = 1.2
    /// Lower than this, metres above sea level. No sonde rests higher.
    public static let highestMetres = 5000.0

    public static func includes(horizontal: Double, vertical: Double) -> Bool {
        horizontal < Self.horizontal && isLevel(vertical)
    }

    /// Whether the sonde neither rises nor falls.
    public static func isLevel(_ vertical: Double) -> Bool { abs(vertical) < Self.vertical }
}
