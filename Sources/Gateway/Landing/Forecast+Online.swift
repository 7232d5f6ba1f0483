import FlightMath
import ReceiverProtocol

extension Forecast {
    /// A forecast from an online answer. Online services give no radii, so it has those of the flight's own winds.
    /// - Parameters:
    ///   - isBeforeBurst: whether it was requested, or made, before the burst was known.
    ///   - measuredShare: the part of the measured rate in the requested descent rate, 0 ... 1.
    init(
        _ online: OnlinePrediction, method: PredictionMethod, isBeforeBurst: Bool, for flight: Flight,
        inputs: LandingPrediction.Inputs, measuredShare: Double, radius: RadiusFormula, at now: Moment
    ) {
        // Without any point nothing is left to go.
        let landing = online.landing
        let start =
            flight.newestTrusted
            ?? TrackPoint(time: now.wall, coordinate: landing.coordinate, altitudeMetres: 0, source: .sondehub)
        func minutesUntil(_ time: WallTime) -> Double { max(0, time.seconds(since: start.time)) / 60 }
        let minutes = minutesUntil(landing.time)
        let kilometres = start.coordinate.distanceMetres(to: landing.coordinate) / 1000
        let isAscending = isBeforeBurst && online.burst != nil
        let above = online.path.last { $0.altitudeMetres >= start.altitudeMetres } ?? landing
        // A forecast knows the winds above the sonde as well as another sonde of the same day.
        let basis: RadiusBasis =
            isAscending
            ? .ascent(
                minutesAbove: minutesUntil(above.time), kilometres: kilometres, certainty: 1)
            : .descent(minutes: minutes, kilometres: kilometres, blindMinutes: 0, measuredShare: measuredShare)
        self.init(
            method: method,
            prediction: LandingPrediction(
                path: Self.thinned(online.path), burst: isAscending ? online.burst : nil,
                landing: landing, inputs: inputs, radius: radius.radius(by: basis),
                minutesToGo: minutes,
                kilometresToGo: kilometres),
            computedAt: Self.made(online, by: now), isBeforeBurst: isBeforeBurst)
    }

    /// When the prediction was made. SondeHub's own may be some minutes old; its answer gives the time.
    private static func made(_ online: OnlinePrediction, by now: Moment) -> Moment {
        guard let madeAt = online.madeAt else { return now }
        let age = max(.zero, now.wall.duration(since: madeAt))
        return Moment(
            monotonic: now.monotonic.advanced(by: .zero - age), wall: now.wall.advanced(by: .zero - age),
            isClockSynced: now.isClockSynced)
    }

    private static func thinned(_ path: [OnlinePrediction.Point]) -> [OnlinePrediction.Point] {
        let step = max(1, (path.count + LandingPrediction.longestPath - 2) / max(1, LandingPrediction.longestPath - 1))
        let kept = path.enumerated().filter { $0.offset % step == 0 || $0.offset == path.count - 1 }
        return kept.map(\.element)
    }
}
