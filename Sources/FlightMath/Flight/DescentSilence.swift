import ReceiverProtocol

/// A silence during the descent in which the sonde may have come down. A longer one, after which the sonde must be down,
/// is a ``Blackout``.
struct DescentSilence: Equatable, Sendable {
    /// A track with a point every 30 s still shows the touch-down.
    private static let leastSeconds = 30.0
    /// A sonde that was lower is as good as down, metres above its resting place.
    private static let leastMetres = 50.0

    private let last, first: TrackPoint
    /// When the sonde was expected to land, before it was silent.
    private let expectedAt: WallTime?

    /// - Returns: nil if the two points are near enough in time.
    init?(from last: TrackPoint, to first: TrackPoint, expected: LandingExpectation?) {
        guard first.time.seconds(since: last.time) > Self.leastSeconds else { return nil }
        (self.last, self.first, expectedAt) = (last, first, expected?.at)
    }

    /// The landing with its probable time, if the sonde came down during this silence; otherwise nil.
    /// - Parameter place: where and since when the sonde was seen at rest.
    func landing(at place: TrackPoint) -> TrackPoint? {
        guard place.time <= first.time, last.altitudeMetres - place.altitudeMetres > Self.leastMetres else {
            return nil
        }
        var place = place
        place.time = min(max(expectedAt ?? first.time, last.time), first.time)
        return place
    }
}
