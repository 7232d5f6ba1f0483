/// A chase in a few values, from the car's own way.
public struct ChaseLog: Equatable, Sendable {
    /// Where the sonde lies, or was last seen.
    public let place: Coordinate
    /// The time of the car's first point; nil without one.
    public private(set) var from: WallTime?
    /// The time of the car's last point.
    public private(set) var to: WallTime?
    /// The length of the way, metres.
    public private(set) var drivenMetres = 0.0
    /// The time of the first point within ``RelativePosition/nearMetres`` of the place that is not before the flight's end; nil
    /// without one. A car that stands has no points, so one that waits there has none before it moves.
    public private(set) var arrivedAt: WallTime?

    private let endedAt: WallTime
    private var last: CarPoint?

    /// - Parameter end: where and when the flight ended.
    public init(end: TrackPoint) { (place, endedAt) = (end.coordinate, end.time) }

    /// Adds the next points, which must be in the order of time.
    public mutating func add(_ points: some Sequence<CarPoint>) {
        for point in points {
            from = from ?? point.time
            to = point.time
            if let last { drivenMetres += last.coordinate.distanceMetres(to: point.coordinate) }
            last = point
            let isThere = point.coordinate.distanceMetres(to: place) <= RelativePosition.nearMetres
            if arrivedAt == nil, isThere, point.time >= endedAt { arrivedAt = point.time }
        }
    }
}
