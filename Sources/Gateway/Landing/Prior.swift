import FlightMath

/// What is known before the flight: the configuration, and what earlier flights have taught.
struct Prior: Equatable, Sendable {
    var options: PredictionOptions
    /// By command; beats the configuration.
    var burstAltitudeMetres: Double?
    /// Of earlier flights of that type from there; nil while too few are known.
    var learntDescentRate: Double?
    var learntBurstMetres: Double?
    /// By which both radii are multiplied.
    var radiusFactor = 1.0

    init(_ options: PredictionOptions) {
        self.options = options
    }

    var ownWinds: OwnWindsOptions {
        var own = OwnWindsOptions()
        own.ascentRate = options.ascentRate
        own.burstAltitudeMetres = burstAltitudeMetres ?? learntBurstMetres ?? options.burstAltitudeMetres
        own.descentRate = learntDescentRate ?? options.descentRate
        own.descentGrowth = options.descentGrowth
        own.radiusFactor = radiusFactor
        return own.sane
    }
}
