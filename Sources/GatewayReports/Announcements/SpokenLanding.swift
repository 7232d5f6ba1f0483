public import FlightMath

/// A predicted landing as it is said: when, where, and how sure.
public struct SpokenLanding: Equatable, Sendable {
    public var place: Coordinate
    /// Nil while it is unknown.
    public var timeToGo: Duration?
    /// Half of all sondes land within it; nil for a place that somebody has set.
    public var radius50Metres: Double?
    /// The town that tells best where the place is; nil without one.
    public var town: NearbyTown?
    /// Bearings of the signal cross there. Nobody has seen a flight that lands.
    public var isCrossing: Bool
    /// The sentence has no time for the radius, so "about" stands for it.
    var isBrief = false

    public init(
        _ place: Coordinate, timeToGo: Duration? = nil, radius50Metres: Double? = nil, town: NearbyTown? = nil,
        isCrossing: Bool = false
    ) {
        self.place = place
        self.timeToGo = timeToGo
        self.radius50Metres = radius50Metres
        self.town = town
        self.isCrossing = isCrossing
    }

    /// How a sentence tells the place.
    enum Words: Equatable {
        /// Nobody knows where the crew is, and no town is near.
        case unknown
        /// The place is not known well enough to drive there.
        case within(metres: Double, of: String)
        /// The same, and the car is in the middle of it.
        case around(metres: Double)
        /// As the driver sees it.
        case fromCar(RelativePosition, Doubt)
        case fromTown(NearbyTown, Doubt)
    }

    /// How a sentence tells the error beside a distance.
    enum Doubt: Equatable {
        /// "give or take 3"; nil where there is no error to tell.
        case metres(Double?)
        /// "about"
        case inAWord
    }

    /// A radius larger than this part of the way says more than the direction does.
    private static let vagueShare = 1.0 / 3
    /// The same where nobody knows where the crew is, metres.
    private static let vagueMetres = 10_000.0
    /// A town stands for the place only if it is nearer to it than this part of the radius.
    private static let townShare = 0.5

    /// The place is not known well enough to drive there, or to say when the car arrives.
    public func isVague(from car: CarPosition?) -> Bool {
        let limit = car.map { $0.coordinate.distanceMetres(to: place) * Self.vagueShare } ?? Self.vagueMetres
        return radius50Metres ?? 0 > limit
    }

    func words(from car: CarPosition?) -> Words {
        let relative = car.map { RelativePosition(of: place, from: $0) }
        if let radius50Metres, isVague(from: car) {
            if let town, town.metres <= radius50Metres * Self.townShare {
                return .within(metres: radius50Metres, of: town.name)
            }
            if let relative, relative.distanceMetres <= radius50Metres { return .around(metres: radius50Metres) }
        }
        if let relative { return .fromCar(relative, doubt(hasDistance: !relative.isHere)) }
        return town.map { .fromTown($0, doubt(hasDistance: !$0.isAtTown)) } ?? .unknown
    }

    private func doubt(hasDistance: Bool) -> Doubt {
        isBrief && hasDistance && radius50Metres != nil ? .inAWord : .metres(radius50Metres)
    }
}

extension NearbyTown {
    /// The place is so near to the town's middle that no direction tells more.
    var isAtTown: Bool { metres < 1500 }
}
