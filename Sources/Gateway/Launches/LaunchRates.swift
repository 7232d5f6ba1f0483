import FlightMath
import GatewayReports
import ReceiverProtocol

/// How the sondes of a launch site climb, burst and fall: by SondeHub's list, else as configured, else as usual.
struct LaunchRates: Equatable, Sendable {
    private static let usualBurstSpread = 2000.0
    /// As a share of the descent rate.
    private static let usualDescentSpread = 0.15
    private static let smallestRadius = 1000.0
    /// Standard deviations in one direction that hold 90 %.
    private static let ninetyPercent = 1.645

    /// m/s.
    let ascent, descent: Double
    /// Metres above sea level.
    let burstMetres: Double
    /// The standard deviations of the burst altitude, metres, and of the descent rate, m/s.
    let burstSpread, descentSpread: Double

    init(of site: LaunchSite, else options: PredictionOptions) {
        let burst = site.burstAltitudeMetres ?? options.burstAltitudeMetres ?? SondeType.usualBurstMetres(of: nil)
        burstMetres = max(site.altitudeMetres + 1000, burst)
        ascent = site.ascentRate ?? options.ascentRate
        descent = site.descentRate ?? options.descentRate
        burstSpread = site.burstSpread ?? Self.usualBurstSpread
        descentSpread = site.descentSpread ?? descent * Self.usualDescentSpread
    }

    /// The landing and its radius. The spreads of burst and descent rate change how long the winds carry the sonde.
    func landing(of prediction: OnlinePrediction) -> LaunchesReport.Landing {
        let start = prediction.path.first ?? prediction.landing
        let flight = max(1, prediction.landing.time.seconds(since: start.time))
        let fall = prediction.burst.map { prediction.landing.time.seconds(since: $0.time) } ?? flight
        let drift = start.coordinate.distanceMetres(to: prediction.landing.coordinate) / flight
        let byBurst = burstSpread / max(1, ascent)
        let byDescent = fall * descentSpread / max(1, descent)
        let seconds = (byBurst * byBurst + byDescent * byDescent).squareRoot()
        return LaunchesReport.Landing(
            prediction.landing.coordinate, at: prediction.landing.time,
            radiusMetres: max(Self.smallestRadius, Self.ninetyPercent * drift * seconds))
    }
}
