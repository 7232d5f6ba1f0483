/// The ground's altitude, and how it is known.
public struct Ground: Equatable, Sendable {
    /// The first that is known counts.
    public enum Origin: String, CaseIterable, Sendable {
        /// `flight.ground_altitude`.
        case config
        /// A height model, at the landing point.
        case terrain
        /// The end of an online prediction of this flight, which lies on that service's height model.
        case forecast
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

    /// Whether the sonde may be below this altitude only by an error of its own altitude.
    var isHeightModel: Bool { origin == .config || origin == .terrain }

    /// How much lower the ground may be than the lowest altitude that was heard, metres.
    static let unheardMetres = 500.0

    /// The ground below a sonde. One that is lower than the believed ground has refuted that belief: the ground is then
    /// 500 m lower, and below that at sea level. It is at least 1 m below the sonde.
    func below(_ sondeMetres: Double) -> Ground {
        let highest = sondeMetres - 1
        guard metres > highest else { return self }
        guard !isHeightModel else { return Ground(metres: highest, origin: origin) }
        let next = [max(0, metres - Self.unheardMetres), 0].first { $0 < highest }
        return Ground(metres: next ?? highest, origin: .lowest)
    }

    /// Plausible altitudes, metres. Others count as unknown.
    static let plausible = -500.0...9000.0
}
