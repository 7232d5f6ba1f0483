import FlightMath
import GatewayReports
import ReceiverProtocol

/// Finds the car's way to the landing point: asks the route server, and uses a straight line if there is no route.
///
///     request                             when
///     the first                           the car and the landing point are known
///     the next                            the landing point moved 100 m, the car is 50 m off the route, the mode
///                                         changed, or the answer is 2 min old
///     at most                             every 10 s, one call at a time; a public server every 30 s, and only while the
///                                         car drives
///     after a failure                     10, 20, 40, then every 60 s
///
/// "No road" is an answer, too, and is repeated after 2 min. The last route is used until the next answer or failure,
/// unless the mode or the landing point has changed.
struct Routing: Sendable {
    static let interval = Duration.seconds(10)
    static let publicInterval = Duration.seconds(30)
    private static let lifetime = Duration.seconds(120)
    /// When the landing point moves by this much, a route must be computed again, metres.
    private static let movedMetres = 100.0
    /// A route whose end is further from the landing point is not used, metres.
    private static let elsewhereMetres = 2000.0
    /// At this distance from its line the car is off the route, metres.
    private static let offMetres = 50.0

    private var options: RouteOptions
    var mode: CommandedChoice<RouteMode>
    /// Nil while the car or the landing point is unknown.
    private(set) var trip: Trip?
    private var answered: Answered?
    private(set) var errand = Errand<RouteAnswer>(retry: RetryPauses(first: interval, longest: .seconds(60)))
    /// The last question; nil before the first.
    private var asked: RouteQuery?
    private var failure: OnlineServiceError.Code?
    private(set) var deadline: MonotonicTime?
    private var clock = RunClock()
    /// The values from which the straight line was computed.
    private var straight: (car: CarPosition, landing: Coordinate, mode: RouteMode, reason: StraightLineReason)?
    /// The car's position when it was last compared with the route.
    private var compared: Coordinate?
    private var isOffRoute = false
    private(set) var failed = 0

    private struct Answered {
        var answer: RouteAnswer
        var query: RouteQuery
        var at: Moment

        /// The trip by road; nil if there is no road.
        func trip(to landing: Coordinate, by engine: RouteEngine, _ clock: RunClock) -> Trip? {
            guard case .road(let route) = answer else { return nil }
            let end = route.line.points.last ?? query.end
            // The landing point may have moved a little since the query.
            let gap = landing == query.end ? route.endGapMetres : end.distanceMetres(to: landing)
            let gaps = Trip.Gaps(start: route.startGapMetres(from: query.start), end: gap)
            return Trip(route, by: engine, query.mode, gaps: gaps, at: clock.rendered(at).wall)
        }
    }

    init(_ options: RouteOptions) {
        self.options = options
        mode = CommandedChoice(options.mode)
    }

    /// The route for the map; nil without a route.
    var report: RouteReport? {
        guard let engine = options.engine, let answered, case .road(let route) = answered.answer,
            let trip, trip.method != .straightLine,
            // Report the route as answered. Small moves of the landing point appear in the chase only.
            let whole = answered.trip(to: answered.query.end, by: engine, clock)
        else { return nil }
        return RouteReport(trip: whole, line: route.line)
    }

    mutating func follow(_ facts: Facts, _ turn: inout Turn) {
        deadline = nil
        guard let landing = facts.sonde.landing?.coordinate, !facts.run.isStopping else { return forget(&turn) }
        guard let car = facts.road.car else {
            // Keep the route. The car may be in a tunnel.
            trip = nil
            return
        }
        if clock != turn.clock { (clock, straight) = (turn.clock, nil) }
        compare(car)
        if options.mayAsk(mode.value, at: car.speed) {
            ask(RouteQuery(start: car.coordinate, end: landing, mode: mode.value), &turn)
        }
        travel(from: car, to: landing, at: turn.now)
    }

    private mutating func forget(_ turn: inout Turn) {
        errand.cancel(&turn)
        (answered, trip, straight, compared) = (nil, nil, nil, nil)
    }

    private mutating func compare(_ car: CarPosition) {
        guard car.coordinate != compared, let answered, case .road(let route) = answered.answer else { return }
        compared = car.coordinate
        // The piece from the query's start to the road counts as part of the route. Otherwise a parked car would always
        // be off it.
        isOffRoute = route.line.distanceMetres(to: car.coordinate, from: answered.query.start) >= Self.offMetres
    }

    // MARK: - Asking

    private mutating func ask(_ query: RouteQuery, _ turn: inout Turn) {
        guard options.engine != nil else { return }
        let now = turn.now.monotonic
        if asked?.mode != mode.value { errand.cancel(&turn) }
        guard !errand.isOut else { return }
        if let answered, !isOutOfDate(answered, query, at: now) {
            deadline = answered.at.monotonic.advanced(by: Self.lifetime)
            return
        }
        guard errand.isDue(every: options.isPublic ? Self.publicInterval : Self.interval, at: now, &deadline) else {
            return
        }
        asked = query
        errand.ask(.route(query), &turn)
    }

    private func isOutOfDate(_ answered: Answered, _ query: RouteQuery, at now: MonotonicTime) -> Bool {
        answered.query.mode != query.mode
            || now.duration(since: answered.at.monotonic) >= Self.lifetime
            || answered.query.end.distanceMetres(to: query.end) >= Self.movedMetres || isOffRoute
    }

    mutating func answered(_ reply: Reply, _ turn: inout Turn) {
        switch errand.take(reply, &turn) {
        case .success(let route):
            answered = asked.map { Answered(answer: route, query: $0, at: turn.now) }
            failure = nil
            (compared, isOffRoute) = (nil, false)
        case .failure(let error):
            answered = nil
            failed += 1
            failure = error.code
            turn.note(.info, "no route: \(error.code.rawValue)", facts: ["why": error.detail])
        case nil: break  // The answer is another part's.
        }
    }

    // MARK: - The trip

    private mutating func travel(from car: CarPosition, to landing: Coordinate, at now: Moment) {
        if let engine = options.engine, let answered, isUsable(answered, to: landing),
            let trip = answered.trip(to: landing, by: engine, clock)
        {
            self.trip = trip
            straight = nil
            return
        }
        let reason = straightLineReason(to: landing)
        if let straight, trip != nil, straight == (car, landing, mode.value, reason) { return }
        straight = (car, landing, mode.value, reason)
        trip = Trip(
            straightFrom: car.coordinate, to: landing, by: mode.value, because: reason,
            detour: options.detour, at: now.wall)
    }

    private func isUsable(_ answered: Answered, to landing: Coordinate) -> Bool {
        answered.query.mode == mode.value && answered.query.end.distanceMetres(to: landing) < Self.elsewhereMetres
    }

    private func straightLineReason(to landing: Coordinate) -> StraightLineReason {
        guard options.engine != nil else { return .noServer }
        if let failure { return .failed(failure) }
        if let answered, isUsable(answered, to: landing), case .noRoad(let what) = answered.answer {
            return .noRoad(what)
        }
        return .waiting
    }
}

extension RouteAnswer: AnswerValue {
    init?(_ answer: Answer) {
        guard case .route(let route) = answer else { return nil }
        self = route
    }
}
