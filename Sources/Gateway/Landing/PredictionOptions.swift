/// What the configuration says of predictions.
public struct PredictionOptions: Equatable, Sendable {
    /// Off means none at all.
    public var isEnabled = true
    /// Tawhiri is asked.
    public var asksTawhiri = true
    /// SondeHub is asked for its own, where Tawhiri gives none.
    public var asksSondeHub = true
    /// From this flight's own winds, without a network.
    public var isOffline = true
    /// m/s, until the ascent has been measured.
    public var ascentRate = 5.0
    /// m/s at sea level, until the descent has been measured.
    public var descentRate = 6.0
    /// Of the descent rate per 10 km, as a power of e: 0.2 for radiosondes, 0 for big parachutes.
    public var descentGrowth = 0.2
    /// Metres above sea level.
    public var burstAltitudeMetres = 30_000.0
    /// Of the area, metres above sea level; nil where nobody says.
    public var groundAltitudeMetres: Double?

    public init() {}

    /// No prediction.
    public static var off: PredictionOptions {
        var options = PredictionOptions()
        options.isEnabled = false
        return options
    }

    /// What commands may set as the burst altitude, metres.
    static let burstAltitudes = 1000.0...60_000.0
}
