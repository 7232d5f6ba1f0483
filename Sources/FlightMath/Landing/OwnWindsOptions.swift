/// The expectations of a flight, from the configuration, the sonde's type and earlier flights.
public struct OwnWindsOptions: Equatable, Sendable {
    /// Used until the ascent rate has been measured, m/s.
    public var ascentRate = 5.0
    /// Metres above sea level.
    public var burstAltitudeMetres = 30_000.0
    /// Used until the descent rate has been measured; converted to air at sea level, m/s.
    public var descentRate = 6.0
    /// The descent rate grows by e to this power per 10 km fallen: 0.2 for radiosondes, 0 for big parachutes.
    public var descentGrowth = 0.2
    /// The winds of another flight or a forecast, for the altitudes above the own ascent. In the fall a forecast of the same
    /// half day counts beside the own winds. Nil if none are known.
    public var otherWinds: StoredWinds?
    /// The heights of the ground around the landing point; nil if they are unknown.
    public var terrain: TerrainPatch?

    public init() {}

    /// An amateur balloon with a big parachute, not a radiosonde.
    var isBigParachute: Bool { descentGrowth == 0 }

    /// The same options with impossible numbers replaced by the nearest possible ones, and NaN by the default. A
    /// configuration may hold a mistyped number.
    public var sane: OwnWindsOptions {
        var options = OwnWindsOptions()
        options.ascentRate = Self.bounded(ascentRate, 0.5...20, else: options.ascentRate)
        options.burstAltitudeMetres = Self.bounded(burstAltitudeMetres, 0...60_000, else: options.burstAltitudeMetres)
        options.descentRate = Self.bounded(descentRate, 0.5...50, else: options.descentRate)
        options.descentGrowth = Self.bounded(descentGrowth, 0...1, else: options.descentGrowth)
        options.otherWinds = otherWinds
        options.terrain = terrain
        return options
    }

    private static func bounded(_ value: Double, _ range: ClosedRange<Double>, else fallback: Double) -> Double {
        value.isNaN ? fallback : min(range.upperBound, max(range.lowerBound, value))
    }
}
