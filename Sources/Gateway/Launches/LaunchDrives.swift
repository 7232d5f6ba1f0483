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
    private static let retryInterval = Duration.seconds(900)
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
    private var call: (key: Launches.Key, query: RouteQuery)?
    private var notBefore = MonotonicTime.zero
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
        guard engine != nil, call == nil, let start else { return }
        known = known.filter { item in wanted.contains { $0.key == item.key } }
        let queries = wanted.map { (key: $0.key, query: RouteQuery(start: start, end: $0.landing, mode: mode)) }
        guard let next = queries.first(where: { !isKnown($0.query, $0.key) }) else { return }
        guard turn.now.monotonic >= notBefore else {
            deadline = notBefore
            return
        }
        notBefore = turn.now.monotonic.advanced(by: Self.interval)
        call = next
        _ = turn.call(.route(next.query), for: .launchDrives)
    }

    private func isKnown(_ query: RouteQuery, _ key: Launches.Key) -> Bool {
        guard let old = known[key]?.query else { return false }
        return old.mode == query.mode && old.end == query.end
            && old.start.distanceMetres(to: query.start) < Self.sameStartMetres
    }

    /// - Returns: whether a drive is known now.
    mutating func answered(_ answer: Answer, _ turn: inout Turn) -> Bool {
        guard let call, let engine else { return false }
        self.call = nil
        switch answer {
        case .route(.road(let road)):
            let trip = Trip(road, by: engine, call.query.mode, gap: road.endGapMetres, at: turn.now.wall)
            known[call.key] = Known(query: call.query, trip: trip)
            return true
        case .route(.noRoad):
            known[call.key] = Known(query: call.query)
            return false
        case .failed(let error):
            let wait = max(Self.retryInterval, error.askedPause)
            notBefore = turn.now.monotonic.advanced(by: wait)
            turn.note(.info, "no route to a launch's landing: \(error.code.rawValue)", facts: ["why": error.detail])
            return false
        // Not answers to this part's calls.
        case .sondes, .trackPart, .trackEnd, .prediction, .terrain, .landings, .recoveries, .recoveryTaken, .sites,
            .carShared, .stream, .crews:
            return false
        }
    }

    /// The duration of the drive; nil if the server gave none.
    func duration(of query: RouteQuery, _ key: Launches.Key) -> Duration? {
        isKnown(query, key) ? known[key]?.trip?.duration : nil
    }
}
