/// The winds that one flight has measured, in layers of 250 m: how far the sonde drifted in each, and for how long.
///
/// Adding a point takes one step for each layer that it crosses. The ascent's winds are used first, because they are
/// unbiased. The descent's fill the layers in which the ascent was not heard.
struct WindProfile: Equatable, Sendable {
    static let layerMetres = 250.0
    /// Points further apart give no wind, seconds.
    private static let longestStep = 120.0
    private static let lowestLayer = -4
    private static let layerCount = 256
    /// A step before the burst that sinks more than this belongs to a descent.
    private static let sinkingMetres = 2.0
    /// A layer in which the sonde drifted for less is ignored, seconds.
    private static let leastSeconds = 2.0

    /// If the first two steps differ by more than this, the first fix was wrong, m/s.
    private static let firstFixSpeed = 15.0

    private struct Step: Equatable, Sendable {
        var start, end: TrackPoint
        var drift: Drift
        var isAscent: Bool
    }

    /// A drift in metres, and its time.
    struct Drift: Equatable, Sendable {
        var east = 0.0
        var north = 0.0
        var seconds = 0.0

        fileprivate func differs(from other: Drift, byMoreThan speed: Double) -> Bool {
            let (east, north) = (
                east / seconds - other.east / other.seconds, north / seconds - other.north / other.seconds
            )
            return east * east + north * north > speed * speed
        }
    }

    /// The first step. It waits until the second confirms it.
    private var first: Step?
    private var hasBegun = false
    private var ascent = [Drift](repeating: Drift(), count: layerCount)
    private var descent = [Drift](repeating: Drift(), count: layerCount)

    /// Adds the drift between two consecutive filtered points.
    /// - Parameter isAscent: whether no burst has been detected yet.
    mutating func add(from start: TrackPoint, to end: TrackPoint, isAscent: Bool) {
        let seconds = end.time.seconds(since: start.time)
        guard seconds > 0, seconds <= Self.longestStep else { return }
        let (east, north) = start.coordinate.offsetMetres(to: end.coordinate)
        let step = Step(
            start: start, end: end, drift: Drift(east: east, north: north, seconds: seconds), isAscent: isAscent)
        guard hasBegun else {
            (first, hasBegun) = (step, true)
            return
        }
        if let first {
            self.first = nil
            if !first.drift.differs(from: step.drift, byMoreThan: Self.firstFixSpeed) { share(first) }
        }
        share(step)
    }

    private mutating func share(_ step: Step) {
        let climb = step.end.altitudeMetres - step.start.altitudeMetres
        let low = min(step.start.altitudeMetres, step.end.altitudeMetres)
        if step.isAscent, climb >= -Self.sinkingMetres {
            Self.share(step.drift, from: low, over: abs(climb), among: &ascent)
        } else {
            Self.share(step.drift, from: low, over: abs(climb), among: &descent)
        }
    }

    private static func share(_ drift: Drift, from low: Double, over metres: Double, among layers: inout [Drift]) {
        var layer = (low / layerMetres).rounded(.down)
        while layer * layerMetres <= low + metres {
            let top = min(low + metres, (layer + 1) * layerMetres)
            let share = metres > 0 ? (top - max(low, layer * layerMetres)) / metres : 1
            let index = Int(layer) - lowestLayer
            if layers.indices.contains(index), share > 0 {
                layers[index].east += drift.east * share
                layers[index].north += drift.north * share
                layers[index].seconds += drift.seconds * share
            }
            layer += 1
        }
    }

    /// The measured winds, from the lowest layer to the highest.
    var winds: Winds {
        var known: [Winds.Layer] = []
        for index in ascent.indices {
            let isHeardRising = ascent[index].seconds >= Self.leastSeconds
            let drift = isHeardRising ? ascent[index] : descent[index]
            guard drift.seconds >= Self.leastSeconds else { continue }
            let centre = (Double(index + Self.lowestLayer) + 0.5) * Self.layerMetres
            known.append(Winds.Layer(centreMetres: centre, drift: drift))
        }
        return Winds(layers: known)
    }
}
