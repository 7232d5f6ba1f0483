/// The places of a flight that have a name: where it began, burst and landed. Found in one pass over its points, with no
/// more memory than a flight that is followed live.
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

    /// Takes the next points, by time.
    public mutating func add(_ points: some Sequence<TrackPoint>) {
        var changes: [Flight.Change] = []
        for point in points {
            if first == nil { first = point }
            judge.add(point, &changes)
            // It flew again: the flight before is not this one.
            if case .newFlight(let start)? = changes.last { first = start }
            changes.removeAll(keepingCapacity: true)
        }
    }

    /// When its landing was found: points behind it are no part of the flight (specification 3.5).
    public var landedAt: WallTime? { judge.landedAt }

    /// Where it was first heard, if that was near the ground; where it burst, and where it came to rest.
    public var marks: [Mark] {
        let launch = first.flatMap { $0.mayBeLaunch ? $0 : nil }
        let found: [(Mark.Kind, TrackPoint?)] = [
            (.launch, launch), (.burst, judge.burst.burst), (.landing, judge.afterLanding?.landing),
        ]
        return found.compactMap { kind, point in point.map { Mark(kind: kind, point: $0) } }
    }
}
