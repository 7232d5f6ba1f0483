public import ReceiverProtocol

/// How fast the car and something else come nearer: both ways of the last 10 s, each by its own times.
///
/// The car and the sonde are heard at different instants, and SondeHub tells of the sonde every 15 s only; a difference
/// of distances would take such a step for speed.
public struct ClosingSpeed: Equatable, Sendable {
    private static let span = Duration.seconds(10)
    /// Two places further apart in time say nothing of now.
    private static let longestGap = Duration.seconds(60)
    /// A place a second, and one more to reach back over the whole span.
    private static let limit = 12

    /// Where something was, in order of time.
    struct Trail: Equatable, Sendable {
        private var places: [(at: WallTime, coordinate: Coordinate)] = []

        mutating func add(_ coordinate: Coordinate, at time: WallTime) {
            if let last = places.last, time <= last.at || time.duration(since: last.at) > longestGap {
                if time == last.at { return }
                places = []
            }
            places.append((time, coordinate))
            while places.count > 2, time.duration(since: places[1].at) >= span || places.count > limit {
                places.removeFirst()
            }
        }

        mutating func clear() { places = [] }

        /// How fast the trail goes towards `target`, m/s; nil while it is too short.
        func speed(towards target: Coordinate) -> Double? {
            guard let first = places.first, let last = places.last else { return nil }
            let seconds = last.at.seconds(since: first.at)
            guard seconds > 0 else { return nil }
            return (first.coordinate.distanceMetres(to: target) - last.coordinate.distanceMetres(to: target)) / seconds
        }

        static func == (left: Trail, right: Trail) -> Bool {
            left.places.elementsEqual(right.places) { $0.at == $1.at && $0.coordinate == $1.coordinate }
        }
    }

    private(set) var car = Trail()
    private var carSource: CarSource?
    private(set) var sonde = Trail()
    private var serial: SondeSerial?

    public init() {}

    public mutating func add(_ position: CarPosition) {
        // Two sources don't stand at the same place.
        if position.source != carSource { car.clear() }
        carSource = position.source
        car.add(position.coordinate, at: position.time)
    }

    public mutating func add(_ point: TrackPoint, of serial: SondeSerial?) {
        if serial != self.serial { sonde.clear() }
        self.serial = serial
        sonde.add(point.coordinate, at: point.time)
    }

    /// To the sonde, which flies.
    public func toSonde(at place: Coordinate, from position: CarPosition) -> Double? {
        guard let own = car.speed(towards: place), let its = sonde.speed(towards: position.coordinate) else {
            return nil
        }
        return own + its
    }

    /// To a place that stays.
    public func toPlace(_ place: Coordinate) -> Double? { car.speed(towards: place) }
}
