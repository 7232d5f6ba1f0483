/// The ground's altitude, and how it is known (specification 3.5).
public struct Ground: Equatable, Sendable {
    /// The first that is known counts.
    public enum Origin: String, CaseIterable, Sendable {
        /// `flight.ground_altitude`.
        case config
        /// A height model, at the landing point.
        case terrain
        /// The newest observed landing near the sonde.
        case landing
        /// The car's altitude.
        case car
        /// The launch site's altitude.
        case site
        /// The flight's first point, which stood on the ground or had just left it.
        case launch
        /// The lowest altitude that was heard, which may be far above the ground.
        case lowest
    }

    /// Above sea level.
    public var metres: Double
    public var origin: Origin

    public init(metres: Double, origin: Origin) {
        self.metres = metres
        self.origin = origin
    }

    /// Plausible altitudes, metres. Others count as unknown.
    static let plausible = -500.0...9000.0
}
