import FlightMath
import GatewayReports
import ReceiverProtocol

/// The drives to the predicted landings, by the route server: one call at a time, and one for each landing.
///
///     asked again     the start is 5 km elsewhere, or the mode has changed
///     no road         an answer, too: the detour rule gives the drive
///     after a failure 15 min later; the detour rule gives the drive until then
struct LaunchDrives: Sendable {
    private static let interval = Duration.seconds(10)
    /// A drive from within this distance of its start is still right, metres.
    private static let sameStartMetres = 5000.0

    private struct Known: Sendable {
        var query: RouteQuery
        /// Nil if there is no road.
        var trip: Trip?
    }

    /// Nil if no server is configured.
    private let engine: RouteEngine?
    private var known: [Launches.Key: Known] = [:]
    private var errand = Errand<RouteAnswer>(retry: .constant(.seconds(900)))
    /// The last question; nil before the first.
    private var asked: (key: Launches.Key, query: RouteQuery)?
    private(set) var deadline: MonotonicTime?

    init(_ engine: RouteEngine?) {
        self.engine = engine
    }

    /// - Parameter wanted: the landings to drive to, the most urgent first.
    mutating func follow(
        _ wanted: [(key: Launches.Key, landing: Coordinate)], from start: Coordinate?, by mode: RouteMode,
        _ turn: inout Turn
    ) {
        deadline = nil
        guard engine != nil, !errand.isOut, let start else { return }
        known = known.filter { item in wanted.contains { $0.key == item.key } }
        let queries = wanted.map { (key: $0.key, query: RouteQuery(start: start, end: $0.landing, mode: mode)) }
        guard let next = queries.first(where: { !isKnown($0.query, $0.key) }) else { return }
        guard errand.isDue(every: Self.interval, at: turn.now.monotonic, &deadline) else { return }
        asked = next
        errand.ask(.route(next.query), &turn)
    }

    private func isKnown(_ query: RouteQuery, _ key: Launches.Key) -> Bool {
        guard let old = known[key]?.query else { return false }
        return old.mode == query.mode && old.end == query.end
            && old.start.distanceMetres(to: query.start) < Self.sameStartMetres
    }

    /// Whether the reply answers this part's call.
    func awaits(_ reply: Reply) -> Bool { errand.awaits(reply) }

    /// - Returns: whether a drive is known now.
    mutating func answered(_ reply: Reply, _ turn: inout Turn) -> Bool {
        guard let answer = errand.take(reply, &turn), let asked, let engine else { return false }
        switch answer {
        case .success(.road(let road)):
            let gaps = Trip.Gaps(start: road.startGapMetres(from: asked.query.start), end: road.endGapMetres)
            let trip = Trip(road, by: engine, asked.query.mode, gaps: gaps, at: turn.now.wall)
            known[asked.key] = Known(query: asked.query, trip: trip)
            return true
        case .success(.noRoad):
            known[asked.key] = Known(query: asked.query)
            return false
        case .failure(let error):
            turn.note(.info, "no route to a launch's landing: \(error.code.rawValue)", facts: ["why": error.detail])
            return false
        }
    }

    /// The duration of the drive; nil if the server gave none.
    func duration(of query: RouteQuery, _ key: Launches.Key) -> Duration? {
        isKnown(query, key) ? known[key]?.trip?.duration : nil
    }
}
