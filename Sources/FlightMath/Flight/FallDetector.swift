/// Detects an unbroken fall: the net vertical speed of the last 60 s stays below -1.5 m/s. It is needed for a
/// sonde whose ascent nobody heard.
struct FallDetector: Equatable, Sendable {
    private static let windowSeconds = 60.0
    /// If the window spans less, it includes older points.
    private static let leastSeconds = 15.0
    private static let speed = -1.5
    /// A fall of this height ends a flight, metres.
    private static let flightMetres = 1000.0
    /// A carried sonde, or a GPS altitude that settles, falls less than this, metres.
    private static let endMetres = 100.0

    /// The highest point of the present fall; nil while the sonde doesn't fall.
    private(set) var top: TrackPoint?
    /// The sonde fell 1000 m without a break, so it has flown.
    private(set) var hasFallenFar = false
    /// The end of a flight was heard: the sonde fell 100 m without a break.
    private(set) var hasFallen = false
    /// The altitude of the point after the top. It must be high, too, because a single wrong altitude is no fall.
    private var secondMetres: Double?

    /// Call after each new point.
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
        guard let top, let secondMetres else { return }
        let fallen = min(top.altitudeMetres - newest.altitudeMetres, 2 * (secondMetres - newest.altitudeMetres))
        hasFallen = hasFallen || fallen >= Self.endMetres
        hasFallenFar = hasFallenFar || fallen >= Self.flightMetres
    }
}
