public import ReceiverProtocol

/// How fast the car and the sonde come nearer: the sum of both speeds over the last 10 s, each computed with its own
/// times.
///
/// The difference of two distances would be wrong: the car and the sonde are heard at different instants, and SondeHub
/// sends the sonde's position every 15 s only. Each such step would look like speed.
public struct ClosingSpeed: Equatable, Sendable {
    private static let span = Duration.seconds(10)
    /// After a gap of this length the trail begins again.
    private static let longestGap = Duration.seconds(60)
    /// The most places: one a second over ``span``, and two more.
    private static let limit = 12

    /// The places of the car or the sonde, in the order of time.
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

        /// The speed towards `target`, m/s; nil while the trail has fewer than two places.
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
        // A change of source is no motion of the car.
        if position.source != carSource { car.clear() }
        carSource = position.source
        car.add(position.coordinate, at: position.time)
    }

    public mutating func add(_ point: TrackPoint, of serial: SondeSerial?) {
        if serial != self.serial { sonde.clear() }
        self.serial = serial
        sonde.add(point.coordinate, at: point.time)
    }

    /// The closing speed of the car and the flying sonde, m/s; nil if either trail is too short.
    public func toSonde(at place: Coordinate, from position: CarPosition) -> Double? {
        guard let own = car.speed(towards: place), let its = sonde.speed(towards: position.coordinate) else {
            return nil
        }
        return own + its
    }

    /// The closing speed of the car and a fixed place, m/s; nil if the trail is too short.
    public func toPlace(_ place: Coordinate) -> Double? { car.speed(towards: place) }
}
