import FlightMath

/// What a prediction goes by before anything is measured: the configuration, a command, and what earlier flights teach.
struct PredictionParameters: Equatable, Sendable {
    var options: PredictionOptions
    /// By command; beats the configuration.
    var burstAltitudeMetres: Double?
    /// What earlier flights teach; nil while no flight is followed.
    var learned: LearnedParameters?

    init(_ options: PredictionOptions) {
        self.options = options
    }

    var ownWinds: OwnWindsOptions {
        var own = OwnWindsOptions()
        own.ascentRate = options.ascentRate
        own.burstAltitudeMetres = burstAltitudeMetres ?? learned?.burstMetres ?? options.burstAltitudeMetres
        own.descentRate = learned?.descentRate ?? options.descentRate
        own.descentGrowth = options.descentGrowth
        own.radiusFactor = learned?.radiusFactor ?? 1
        return own.sane
    }
}
