public import FlightMath

/// The configuration's settings for predictions.
public struct PredictionOptions: Equatable, Sendable {
    /// If false, nothing is predicted.
    public var isEnabled = true
    /// Whether the gateway asks Tawhiri.
    public var asksTawhiri = true
    /// Whether the gateway asks SondeHub for its prediction if Tawhiri gives none.
    public var asksSondeHub = true
    /// Whether the gateway predicts from the flight's own winds, without a network.
    public var isOffline = true
    /// The winds of another sonde are fetched from SondeHub once per flight.
    public var borrowsWinds = false
    /// The crew has files with the heights of the ground.
    public var usesTerrain = false
    /// m/s, until the ascent has been measured.
    public var ascentRate = 5.0
    /// m/s at sea level, until the descent has been measured.
    public var descentRate = 6.0
    /// The descent rate's growth per 10 km, as a power of e: 0.2 for radiosondes, 0 for big parachutes.
    public var descentGrowth = 0.2
    /// Metres above sea level; nil uses the usual altitude of the sonde's type.
    public var burstAltitudeMetres: Double?
    /// The ground of the area, metres above sea level; nil if it is not configured.
    public var groundAltitudeMetres: Double?
    /// Places where sondes start, beside those that SondeHub knows.
    public var launchSites: [Coordinate] = []

    public init() {}

    /// Options that predict nothing.
    public static var off: PredictionOptions {
        var options = PredictionOptions()
        options.isEnabled = false
        return options
    }
}
