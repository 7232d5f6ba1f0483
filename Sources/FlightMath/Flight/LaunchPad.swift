/// Decides when the balloon has been let go. A sonde on its launch pad reports altitudes that slide by 70 m in a minute,
/// so a few metres are no climb.
///
///     60 m above the pad's median altitude, after 30 s of climb at 1.5 m/s     let go
///     first heard in a climb: two points 20 m above the first, at 1.5 m/s      let go
///     first heard higher than any launch                                       let go
struct LaunchPad: Equatable, Sendable {
    private static let heightMetres = 60.0
    private static let firstMetres = 20.0
    private static let climbRate = 1.5
    private static let climbSeconds = 30.0
    private static let longestSeconds = 90.0
    /// With fewer altitudes before the climb the balloon was first heard in it.
    private static let leastAltitudes = 3
    private static let mostAltitudes = 300

    private var previous: TrackPoint?
    /// Whether the altitude hardly changed between the first two points; nil before the second point.
    private(set) var hasBegunOnGround: Bool?
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
        defer { previous = point }
        if hasBegunOnGround == nil, let previous {
            let seconds = max(1, point.time.seconds(since: previous.time))
            // A level sonde is on the ground, or has just left it.
            hasBegunOnGround = Resting.isLevel((point.altitudeMetres - previous.altitudeMetres) / seconds)
        }
        guard !isLeft else { return }
        latest.append(point)
        while latest.count > 1, isTooOld(latest[0], latest[1], at: point.time) {
            altitudes.append(latest.removeFirst().altitudeMetres)
        }
        if altitudes.count > Self.mostAltitudes { altitudes.removeFirst(altitudes.count - Self.mostAltitudes) }
        if !point.mayBeLaunch || hasClimbed || isFirstHeardInClimb { leave() }
    }

    /// The first of the latest points is the newest that is ``climbSeconds`` old; one from before a gap says nothing of the
    /// climb now.
    private func isTooOld(_ first: TrackPoint, _ second: TrackPoint, at now: WallTime) -> Bool {
        now.seconds(since: second.time) >= Self.climbSeconds || now.seconds(since: first.time) > Self.longestSeconds
    }

    /// A single wrong altitude is no climb, so two points must agree, if there are two.
    private var hasClimbed: Bool {
        guard let first = latest.first, let last = latest.last,
            last.time.seconds(since: first.time) >= Self.climbSeconds
        else { return false }
        let pad = altitudes.isEmpty ? first.altitudeMetres : altitudes.median
        return latest.dropFirst().suffix(2).allSatisfy { point in
            point.altitudeMetres - pad >= Self.heightMetres && Self.isClimb(from: first, to: point)
        }
    }

    private var isFirstHeardInClimb: Bool {
        guard altitudes.count < Self.leastAltitudes, let first = latest.first, latest.count > 2 else { return false }
        return latest.suffix(2).allSatisfy { point in
            point.altitudeMetres - first.altitudeMetres >= Self.firstMetres && Self.isClimb(from: first, to: point)
        }
    }

    private static func isClimb(from first: TrackPoint, to last: TrackPoint) -> Bool {
        last.altitudeMetres - first.altitudeMetres > climbRate * last.time.seconds(since: first.time)
    }

    private mutating func leave() {
        // Of equally low points the last one.
        climbBegan = latest.reversed().min { $0.altitudeMetres < $1.altitudeMetres }?.time
        metres = altitudes.count >= Self.leastAltitudes ? altitudes.median : nil
        (altitudes, latest) = ([], [])
    }
}
