/// The winds that one flight met, by layers of 250 m: what drifted it there, and for how long.
///
/// Adding a point costs as much as it crosses layers. The ascent's winds come first (they are unbiased); the
/// descent's fill in where the ascent was not heard.
struct WindProfile: Equatable, Sendable {
    static let layerMetres = 250.0
    /// Points further apart say nothing of the layers between them, seconds.
    private static let longestStep = 120.0
    private static let lowestLayer = -4
    private static let layerCount = 256
    /// A step before the burst that sinks more than this belongs to a descent.
    private static let sinkingMetres = 2.0
    /// A layer met for less is ignored, seconds.
    private static let leastSeconds = 2.0

    /// Metres drifted, and in which time.
    struct Drift: Equatable, Sendable {
        var east = 0.0
        var north = 0.0
        var seconds = 0.0
    }

    private var ascent = [Drift](repeating: Drift(), count: layerCount)
    private var descent = [Drift](repeating: Drift(), count: layerCount)

    /// Takes the way between two consecutive gated points.
    /// - Parameter isAscent: the burst has not been seen.
    mutating func add(from start: TrackPoint, to end: TrackPoint, isAscent: Bool) {
        let seconds = end.time.seconds(since: start.time)
        guard seconds > 0, seconds <= Self.longestStep else { return }
        let (east, north) = start.coordinate.offsetMetres(to: end.coordinate)
        let drift = Drift(east: east, north: north, seconds: seconds)
        let climb = end.altitudeMetres - start.altitudeMetres
        let low = min(start.altitudeMetres, end.altitudeMetres)
        if isAscent, climb >= -Self.sinkingMetres {
            Self.share(drift, from: low, over: abs(climb), among: &ascent)
        } else {
            Self.share(drift, from: low, over: abs(climb), among: &descent)
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

    /// What was met, from the lowest layer to the highest.
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
