/// Why there is no road.
public enum NoRoad: String, CaseIterable, Sendable {
    /// No road leads there.
    case noRoute = "no_route"
    /// There is no road near the car or the landing point.
    case noSegment = "no_segment"
}
