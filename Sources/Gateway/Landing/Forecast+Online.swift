import FlightMath
import ReceiverProtocol

extension Forecast {
    /// From an online answer; its radii are those of the flight's own winds: nobody tells others.
    /// - Parameter isBeforeBurst: it was asked for, or made, before the burst was known.
    init(
        _ online: OnlinePrediction, method: PredictionMethod, isBeforeBurst: Bool, for flight: Flight,
        inputs: LandingPrediction.Inputs, radius: RadiusFormula, at now: Moment
    ) {
        let newest = flight.newestTrusted
        let start = newest?.altitudeMetres ?? 0
        let from = newest?.time ?? now.wall
        let minutes = max(0, online.landing.time.seconds(since: from)) / 60
        let kilometres = (newest?.coordinate.distanceMetres(to: online.landing.coordinate) ?? 0) / 1000
        let isAscending = isBeforeBurst && online.burst != nil
        let above = online.path.last { $0.altitudeMetres >= start }?.time
        let radii =
            isAscending
            ? radius.ascent(
                minutesAbove: above.map { max(0, $0.seconds(since: from)) / 60 } ?? minutes, kilometres: kilometres)
            : radius.descent(minutes: minutes, kilometres: kilometres, blindMinutes: 0)
        self.init(
            method: method,
            prediction: LandingPrediction(
                path: Self.thinned(online.path), burst: isAscending ? online.burst.map(Self.point) : nil,
                landing: Self.point(online.landing), inputs: inputs, radius: radii, minutesToGo: minutes,
                kilometresToGo: kilometres),
            computedAt: Self.made(online, by: now), isBeforeBurst: isBeforeBurst)
    }

    /// SondeHub says when it made its own, which may be a while ago.
    private static func made(_ online: OnlinePrediction, by now: Moment) -> Moment {
        guard let madeAt = online.madeAt else { return now }
        let age = max(.zero, now.wall.duration(since: madeAt))
        return Moment(
            monotonic: now.monotonic.advanced(by: .zero - age), wall: now.wall.advanced(by: .zero - age),
            isClockSynced: now.isClockSynced)
    }

    private static func point(_ point: OnlinePrediction.Point) -> LandingPrediction.PathPoint {
        LandingPrediction.PathPoint(
            time: point.time, coordinate: point.coordinate, altitudeMetres: point.altitudeMetres)
    }

    private static func thinned(_ path: [OnlinePrediction.Point]) -> [LandingPrediction.PathPoint] {
        let step = max(1, (path.count + LandingPrediction.longestPath - 2) / max(1, LandingPrediction.longestPath - 1))
        let kept = path.enumerated().filter { $0.offset % step == 0 || $0.offset == path.count - 1 }
        return kept.map { point($0.element) }
    }
}
