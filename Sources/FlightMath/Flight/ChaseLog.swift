/// A chase in a few values, from the car's own way.
public struct ChaseLog: Equatable, Sendable {
    /// The time of the car's first point; nil without one.
    public private(set) var from: WallTime?
    /// The time of the car's last point.
    public private(set) var to: WallTime?
    /// The length of the way, metres.
    public private(set) var drivenMetres = 0.0
    /// The time of the first point within ``RelativePosition/nearMetres`` of the sonde on the ground; nil without one. A car
    /// that stands has no points, so one that waits there has none before it moves.
    public private(set) var arrivedAt: WallTime?

    private let landing: TrackPoint?
    private var last: CarPoint?

    /// - Parameter landing: where and when the sonde came to rest; nil if nobody knows it. Whoever drives below a sonde in the
    ///   air is not there.
    public init(landing: TrackPoint?) { self.landing = landing }

    /// Adds the next points, which must be in the order of time.
    public mutating func add(_ points: some Sequence<CarPoint>) {
        for point in points {
            from = from ?? point.time
            to = point.time
            if let last { drivenMetres += last.coordinate.distanceMetres(to: point.coordinate) }
            last = point
            guard arrivedAt == nil, let landing, point.time >= landing.time else { continue }
            let metres = point.coordinate.distanceMetres(to: landing.coordinate)
            if metres <= RelativePosition.nearMetres { arrivedAt = point.time }
        }
    }
}
