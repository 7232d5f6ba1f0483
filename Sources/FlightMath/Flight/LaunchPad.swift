/// Decides when the balloon has been let go. A sonde on its launch pad reports altitudes that slide by 70 m in a minute,
/// so a few metres are no climb.
///
///     60 m above the pad's median altitude, and 30 s of climb at 1.5 m/s    let go
///     first heard higher than any launch                                   let go
struct LaunchPad: Equatable, Sendable {
    private static let heightMetres = 60.0
    private static let climbRate = 1.5
    private static let climbSeconds = 30.0
    /// With fewer altitudes before the climb the balloon was first heard in it.
    private static let leastAltitudes = 3
    private static let mostAltitudes = 300

    /// The altitudes before ``latest``, metres.
    private var altitudes: [Double] = []
    /// The points of the last ``climbSeconds``, at least one.
    private var latest: [TrackPoint] = []
    /// When the climb began; nil before the balloon was let go.
    private(set) var climbBegan: WallTime?
    /// The pad's altitude, metres; nil before the balloon was let go, and if it was first heard in its climb.
    private(set) var metres: Double?

    var isLeft: Bool { climbBegan != nil }

    mutating func follow(_ point: TrackPoint) {
        guard !isLeft else { return }
        latest.append(point)
        while latest.count > 1, point.time.seconds(since: latest[1].time) >= Self.climbSeconds {
            altitudes.append(latest.removeFirst().altitudeMetres)
        }
        if altitudes.count > Self.mostAltitudes { altitudes.removeFirst(altitudes.count - Self.mostAltitudes) }
        guard let first = latest.first, !hasClimbed(from: first, to: point), point.mayBeLaunch else { return leave() }
    }

    private func hasClimbed(from first: TrackPoint, to last: TrackPoint) -> Bool {
        let seconds = last.time.seconds(since: first.time)
        let pad = altitudes.isEmpty ? first.altitudeMetres : altitudes.median
        return seconds >= Self.climbSeconds && last.altitudeMetres - first.altitudeMetres > Self.climbRate * seconds
            && last.altitudeMetres - pad >= Self.heightMetres
    }

    private mutating func leave() {
        climbBegan = latest.first?.time
        metres = altitudes.count >= Self.leastAltitudes ? altitudes.median : nil
        (altitudes, latest) = ([], [])
    }
}
