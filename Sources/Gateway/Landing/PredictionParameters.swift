import FlightMath
import ReceiverProtocol

/// The parameters of a prediction before anything is measured: from the configuration, a command and earlier flights.
struct PredictionParameters: Equatable, Sendable {
    var options: PredictionOptions
    /// From commands. They replace the configuration's.
    var chosen: [PredictionChoice: Double] = [:]
    /// The followed sonde's type; nil while it is unknown.
    var sondeType: SondeType?
    /// The parameters from earlier flights; nil while no flight is followed.
    var learned: LearnedParameters?
    /// The sonde's altitude, metres above sea level; nil while it is unknown.
    var sondeMetres: Double?

    /// The winds above the ascending sonde, or below the falling one, that are known from other flights and forecasts.
    var otherWinds: StoredWinds?
    /// The heights of the ground around the landing point.
    var terrain: TerrainPatch?

    init(_ options: PredictionOptions) {
        self.options = options
    }

    var ownWinds: OwnWindsOptions {
        var own = OwnWindsOptions()
        own.ascentRate = chosen[.ascentRate] ?? options.ascentRate
        own.burstAltitudeMetres =
            chosen[.burstAltitude] ?? learned?.burstMetres(above: sondeMetres ?? 0) ?? options.burstAltitudeMetres
            ?? SondeType.usualBurstMetres(of: sondeType)
        own.descentRate = chosen[.descentRate] ?? learned?.descentRate ?? options.descentRate
        own.descentGrowth = options.descentGrowth
        own.otherWinds = otherWinds
        own.terrain = terrain
        return own.sane
    }
}
