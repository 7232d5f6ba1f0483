import ReceiverProtocol

/// How a prediction was made.
public enum PredictionMethod: String, CaseIterable, Sendable {
    /// Tawhiri's answer to our own question.
    case tawhiri
    /// SondeHub's own.
    case sondehub
    /// From the winds that this flight has met.
    case ownWinds = "own_winds"
}

/// A prediction and where it comes from.
struct Forecast: Equatable, Sendable {
    /// An online answer is in force for this long (specification 3.7).
    static let onlineLimit = Duration.seconds(300)

    var method: PredictionMethod
    var prediction: LandingPrediction
    var computedAt: Moment
    /// It was made before the burst was known.
    var isBeforeBurst: Bool

    /// The wall clock was wrong and has been set. SondeHub's own prediction keeps its times: they were right.
    mutating func clockSet(byMilliseconds change: Int64) {
        computedAt.wall = computedAt.wall.advanced(byMilliseconds: change)
        if method != .sondehub { prediction.clockSet(byMilliseconds: change) }
    }

    /// Until landing; negative when it is past.
    func timeToGo(at now: MonotonicTime) -> Duration {
        prediction.landing.time.duration(since: computedAt.wall) - now.duration(since: computedAt.monotonic)
    }
}

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

extension LandingPrediction {
    /// Points of a path.
    static let longestPath = 200

    fileprivate mutating func clockSet(byMilliseconds change: Int64) {
        func moved(_ point: PathPoint) -> PathPoint {
            var point = point
            point.time = point.time.advanced(byMilliseconds: change)
            return point
        }
        path = path.map(moved)
        (burst, landing) = (burst.map(moved), moved(landing))
        landingIfBurstNow = landingIfBurstNow.map(moved)
    }
}
