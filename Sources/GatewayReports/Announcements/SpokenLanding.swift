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

    public init(
        _ place: Coordinate, timeToGo: Duration? = nil, radius50Metres: Double? = nil, town: NearbyTown? = nil
    ) {
        self.place = place
        self.timeToGo = timeToGo
        self.radius50Metres = radius50Metres
        self.town = town
    }

    /// How a sentence tells the place.
    enum Words: Equatable {
        /// Nobody knows where the crew is, and no town is near.
        case unknown
        /// The place is not known well enough to drive there.
        case within(metres: Double, of: String)
        /// As the driver sees it, and its error in metres.
        case fromCar(RelativePosition, giveOrTake: Double?)
        case fromTown(NearbyTown, giveOrTake: Double?)
    }

    /// A radius larger than this part of the way says more than the direction does.
    private static let vagueShare = 1.0 / 3
    /// The same where nobody knows where the crew is, metres.
    private static let vagueMetres = 10_000.0
    /// A town stands for the place only if it is nearer to it than this part of the radius.
    private static let townShare = 0.5

    func words(from car: CarPosition?) -> Words {
        let relative = car.map { RelativePosition(of: place, from: $0) }
        let limit = relative.map { $0.distanceMetres * Self.vagueShare } ?? Self.vagueMetres
        if let radius50Metres, radius50Metres > limit, let town, town.metres <= radius50Metres * Self.townShare {
            return .within(metres: radius50Metres, of: town.name)
        }
        if let relative { return .fromCar(relative, giveOrTake: radius50Metres) }
        return town.map { .fromTown($0, giveOrTake: radius50Metres) } ?? .unknown
    }
}

extension NearbyTown {
    /// The place is so near to the town's middle that no direction tells more.
    var isAtTown: Bool { metres < 1500 }
}
