/// An unbroken fall, for a sonde whose ascent nobody heard: the net vertical speed of the last 60 s stays below
/// -1.5 m/s.
struct FallDetector: Equatable, Sendable {
    private static let windowSeconds = 60.0
    /// A window that spans less reaches back further.
    private static let leastSeconds = 15.0
    private static let speed = -1.5
    /// A fall that is a flight's end, metres.
    private static let flightMetres = 1000.0

    /// The highest point of the fall under way; nil while it doesn't fall.
    private(set) var top: TrackPoint?
    /// It fell 1000 m without a break: it has flown.
    private(set) var hasFallenFar = false
    /// Of the point after the top: one bad altitude alone is no fall.
    private var secondMetres: Double?

    /// Looks at the points with their new newest one.
    mutating func follow(_ recent: RecentPoints) {
        let window = recent.window(seconds: Self.windowSeconds, spanning: Self.leastSeconds)
        guard let newest = window.last, let speeds = window.netSpeeds, speeds.vertical < Self.speed else {
            (top, secondMetres) = (nil, nil)
            return
        }
        if top == nil {
            guard var highest = window.indices.first else { return }
            for index in window.indices where window[index].altitudeMetres >= window[highest].altitudeMetres {
                highest = index
            }
            top = window[highest]
            let second = window.index(after: highest)
            secondMetres = second < window.endIndex ? window[second].altitudeMetres : nil
        } else if secondMetres == nil {
            secondMetres = newest.altitudeMetres
        }
        guard !hasFallenFar, let top, let secondMetres else { return }
        hasFallenFar =
            top.altitudeMetres - newest.altitudeMetres >= Self.flightMetres
            && secondMetres - newest.altitudeMetres >= Self.flightMetres / 2
    }
}
