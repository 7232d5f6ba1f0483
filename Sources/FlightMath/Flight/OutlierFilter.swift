import ReceiverProtocol

/// Keeps impossible points away from motion, burst, landing and winds.
///
/// | point | result |
/// | --- | --- |
/// | altitude exactly 0, outside ``altitudes`` or not finite | always set aside |
/// | faster than ``PlausibleVerticalSpeed`` or > 150 m/s horizontally since the last accepted point | set aside |
/// | the same, but the points set aside agree with one another for 60 s | all accepted: the last accepted was wrong |
/// | the same, soon after a pause, but it agrees with the last one before the pause | accepted: the last accepted was late |
///
/// The receiver's points have the times at which they arrived. After a pause of the computer those that have waited arrive
/// together, in several pieces. Only the last one shows the present place.
struct OutlierFilter: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case accepted
        case setAside
        /// Accepted, in place of the last accepted point, which had arrived late.
        case replacesLate
        /// These points were set aside wrongly, the newest last. `isRestart`: the points accepted before span so little
        /// time that they were the wrong ones.
        case recovered([TrackPoint], isRestart: Bool)
    }

    /// Altitudes that a balloon can have, metres above mean sea level.
    static let altitudes = -1000.0...60_000.0
    private static let fastestHorizontal = 150.0
    private static let agreementSeconds = 60.0
    /// After a shorter pause all that has waited arrives in one piece, seconds.
    private static let pauseSeconds = 60.0
    /// The pieces arrive within this time, seconds.
    private static let lateSeconds = 10.0

    private var last: TrackPoint?
    /// The time of the first point of the unbroken run that ends with `last`.
    private var acceptedSince: WallTime?
    /// The point before the pause that ended with `last`; nil if there was none, and once a point agrees with `last`.
    private var beforePause: TrackPoint?
    /// Points that agree with one another, but not with `last`. At most 61: a track has one point a second, and points
    /// that span more than ``agreementSeconds`` are accepted.
    private var setAside: [TrackPoint] = []

    mutating func judge(_ point: TrackPoint) -> Verdict {
        guard point.altitudeMetres != 0, Self.altitudes.contains(point.altitudeMetres), point.coordinate.isOnEarth
        else { return .setAside }
        guard let last else {
            self.last = point
            acceptedSince = point.time
            return .accepted
        }
        if Self.agree(last, with: point) {
            beforePause = point.time.seconds(since: last.time) >= Self.pauseSeconds ? last : nil
            self.last = point
            if !setAside.isEmpty { setAside = [] }
            return .accepted
        }
        if isLate(last, before: point) {
            (self.last, setAside) = (point, [])
            return .replacesLate
        }
        if let newest = setAside.last, !Self.agree(newest, with: point) { setAside = [] }
        setAside.append(point)
        guard let first = setAside.first, point.time.seconds(since: first.time) > Self.agreementSeconds else {
            return .setAside
        }
        let isRestart = acceptedSince.map { last.time.seconds(since: $0) <= Self.agreementSeconds } ?? true
        let recovered = setAside
        setAside = []
        self.last = point
        acceptedSince = first.time
        return .recovered(recovered, isRestart: isRestart)
    }

    /// Whether `point`, which is not older, shows that the newest accepted point had arrived late.
    func showsLate(_ point: TrackPoint) -> Bool {
        last.map { !Self.agree($0, with: point) && isLate($0, before: point) } ?? false
    }

    private func isLate(_ last: TrackPoint, before point: TrackPoint) -> Bool {
        guard let beforePause, last.source == .ble, point.source == .ble else { return false }
        return point.time.seconds(since: last.time) <= Self.lateSeconds && Self.agree(beforePause, with: point)
    }

    static func agree(_ earlier: TrackPoint, with later: TrackPoint) -> Bool {
        let seconds = max(1, later.time.seconds(since: earlier.time))
        let climb = (later.altitudeMetres - earlier.altitudeMetres) / seconds
        let top = max(later.altitudeMetres, earlier.altitudeMetres)
        guard PlausibleVerticalSpeed.contains(climb, atMetres: top) else { return false }
        let (east, north) = earlier.coordinate.offsetMetres(to: later.coordinate)
        let limit = fastestHorizontal * seconds
        return east * east + north * north <= limit * limit
    }
}
