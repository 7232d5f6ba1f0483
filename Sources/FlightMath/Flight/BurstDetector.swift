/// Detects the burst from filtered points without smoothing. Smoothing would detect it minutes and kilometres late.
///
/// ```
///        top ─┐   the lowest point before it: ≥ 300 m lower, ≥ 60 s and ≥ 3 points earlier
///            ╱ ╲
///           ╱   ● ≥ 60 m lower, ≥ 8 s later, mean fall ≥ 1 m/s, last interval downwards,
///          ╱       the second point behind the top, or one ≥ 20 s later   -> burst at the top
///                  a later point > 100 m above that top                   -> revoked: it vented or floated
/// ```
///
/// Merged tracks of two receivers dip in the ascent. If a track has dipped and climbed on, a burst needs a fall twice
/// as deep as the deepest dip; a fall of 200 m is always enough.
struct BurstDetector: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case none
        case burst(TrackPoint)
        /// The balloon climbs above the reported burst, so it has not burst there.
        case revoked(TrackPoint)
    }

    private static let fallMetres = 60.0
    private static let fallAfterDip = 2.0
    private static let fallAfterDipLimit = 200.0
    private static let fallSeconds = 8.0
    private static let fallSpeed = 1.0
    private static let pointsBehind = 2
    private static let lonePointSeconds = 20.0
    private static let climbMetres = 300.0
    private static let climbSeconds = 60.0
    private static let climbPoints = 3
    private static let revokingMetres = 100.0

    private struct Mark: Equatable, Sendable {
        var point: TrackPoint
        /// The number of points before this one.
        var index: Int
    }

    /// The highest point before the fall; nil before the burst is detected, and after it is revoked.
    private(set) var burst: TrackPoint?
    private var top: Mark?
    private var lowest: Mark?
    private var lowestBeforeTop: Mark?
    /// Whether a point next to the top lies in the air, too. A single wrong altitude is no flight.
    private var hasNeighbour = false
    private var previousMetres: Double?
    /// The deepest fall below the top so far, metres.
    private var depth = 0.0
    /// The deepest fall of the ascent after which the balloon climbed above the top, metres.
    private var deepestDip = 0.0
    private var count = 0

    /// The highest point; the latest of several equally high ones.
    var highest: TrackPoint? { top?.point }
    /// The lowest point before the highest.
    var lowestBeforeHighest: TrackPoint? { lowestBeforeTop?.point }

    /// Call for each point that the outlier filter accepts.
    mutating func add(_ point: TrackPoint) -> Outcome {
        defer {
            previousMetres = point.altitudeMetres
            count += 1
        }
        let mark = Mark(point: point, index: count)
        guard let top else {
            (self.top, lowest, lowestBeforeTop) = (mark, mark, mark)
            return .none
        }
        var outcome = Outcome.none
        if let burst, point.altitudeMetres > burst.altitudeMetres + Self.revokingMetres {
            self.burst = nil
            outcome = .revoked(burst)
        }
        if let lowest, point.altitudeMetres < lowest.point.altitudeMetres { self.lowest = mark }
        if point.altitudeMetres >= top.point.altitudeMetres {
            (deepestDip, depth) = (max(deepestDip, depth), 0)
            self.top = mark
            lowestBeforeTop = lowest
            hasNeighbour = previousMetres.map(isInTheAir) ?? false
            return outcome
        }
        if count == top.index + 1, isInTheAir(point.altitudeMetres) { hasNeighbour = true }
        guard hasClimbed(to: top) else { return outcome }
        depth = max(depth, top.point.altitudeMetres - point.altitudeMetres)
        guard burst == nil, hasFallen(to: point, from: top) else { return outcome }
        burst = top.point
        return .burst(top.point)
    }

    /// Keeps a burst that an earlier pass found, unless a point revokes it.
    mutating func keep(_ known: TrackPoint) {
        guard burst == nil, let top, top.point.altitudeMetres <= known.altitudeMetres + Self.revokingMetres else {
            return
        }
        burst = known
    }

    private func isInTheAir(_ metres: Double) -> Bool {
        metres - (lowestBeforeTop?.point.altitudeMetres ?? .infinity) >= Self.climbMetres / 2
    }

    private func hasFallen(to point: TrackPoint, from top: Mark) -> Bool {
        let fall = top.point.altitudeMetres - point.altitudeMetres
        let seconds = point.time.seconds(since: top.point.time)
        let least = max(Self.fallMetres, min(Self.fallAfterDip * deepestDip, Self.fallAfterDipLimit))
        guard fall >= least, seconds >= Self.fallSeconds, fall >= Self.fallSpeed * seconds,
            let previousMetres, point.altitudeMetres < previousMetres
        else { return false }
        return count - top.index >= Self.pointsBehind || seconds >= Self.lonePointSeconds
    }

    private func hasClimbed(to top: Mark) -> Bool {
        guard hasNeighbour, let lowestBeforeTop else { return false }
        return top.point.altitudeMetres - lowestBeforeTop.point.altitudeMetres >= Self.climbMetres
            && top.point.time.seconds(since: lowestBeforeTop.point.time) >= Self.climbSeconds
            && top.index - lowestBeforeTop.index >= Self.climbPoints
    }
}
