import ReceiverProtocol

/// Keeps impossible points away from motion, burst, landing and winds.
///
/// | point | result |
/// | --- | --- |
/// | altitude exactly 0, outside ``altitudes`` or not finite | always set aside |
/// | faster than ``PlausibleVerticalSpeed`` or > 150 m/s horizontally since the last accepted point | set aside |
/// | the same, but the points set aside agree with one another for 60 s | all accepted: the last accepted was wrong |
struct OutlierFilter: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case accepted
        case setAside
        /// These points were set aside wrongly, the newest last. `isRestart`: the points accepted before span so little
        /// time that they were the wrong ones.
        case recovered([TrackPoint], isRestart: Bool)
    }

    /// Altitudes that a balloon can have, metres above mean sea level.
    static let altitudes = -1000.0...60_000.0
    private static let fastestHorizontal = 150.0
    private static let agreementSeconds = 60.0

    private var last: TrackPoint?
    /// The time of the first point of the unbroken run that ends with `last`.
    private var acceptedSince: WallTime?
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
            self.last = point
            if !setAside.isEmpty { setAside = [] }
            return .accepted
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
