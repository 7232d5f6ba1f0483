/// Finds the named places of a flight: launch, burst and landing. It needs one pass over the points and no more memory
/// than a live flight.
public struct FlightMarks: Equatable, Sendable {
    /// A named place.
    public struct Mark: Equatable, Sendable {
        public enum Kind: String, Sendable {
            case launch, burst, landing
        }

        public var kind: Kind
        public var point: TrackPoint
    }

    private var judge = FlightJudge()
    private var first: TrackPoint?

    public init() {}

    /// Judges the next points, which must be in the order of time.
    public mutating func add(_ points: some Sequence<TrackPoint>) {
        var changes: [Flight.Change] = []
        for point in points {
            if first == nil { first = point }
            judge.add(point, &changes)
            // The sonde flew again. The marks belong to the new flight only.
            if case .newFlight(let start)? = changes.last { first = start }
            changes.removeAll(keepingCapacity: true)
        }
    }

    /// When the landing was detected, or the sonde was last heard before somebody carried it. Later points are not part
    /// of the flight.
    public var landedAt: WallTime? { judge.landedAt ?? judge.blackout.flatMap { $0.isCarried ? $0.last.time : nil } }

    /// The place of the first point if it was near the ground, of the burst, and of the rest after the landing.
    public var marks: [Mark] {
        let launch = first.flatMap { $0.mayBeLaunch ? $0 : nil }
        let found: [(Mark.Kind, TrackPoint?)] = [
            (.launch, launch), (.burst, judge.burst.burst), (.landing, judge.afterLanding?.landing),
        ]
        return found.compactMap { kind, point in point.map { Mark(kind: kind, point: $0) } }
    }
}
