/// Why the route server found no route.
public enum NoRoad: String, CaseIterable, Sendable {
    /// No road connects the car and the landing point.
    case noRoute = "no_route"
    /// There is no road near the car or the landing point.
    case noSegment = "no_segment"
}
