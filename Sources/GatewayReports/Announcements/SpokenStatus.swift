public import FlightMath

/// The values of the status sentence. The sentence says what the sonde does, where and when it lands, and whether the car
/// arrives before it. A value is nil if it is unknown, or if the sentence leaves it out.
public struct SpokenStatus: Equatable, Sendable {
    public enum Place: Equatable, Sendable {
        case inTheAir
        case onTheGround
        /// Nobody has seen it land.
        case probablyOnTheGround
        /// The receiver hears it, and no source has its place.
        case heardWithoutPlace
        case unknown
    }

    public var place: Place
    /// m/s, positive up.
    public var verticalSpeed: Double?
    /// Metres above sea level.
    public var altitudeMetres: Double?
    public var timeToGo: Duration?
    public var landing: Coordinate?
    /// Half of all sondes land within it; nil for a place that is known.
    public var radius50Metres: Double?
    /// The town that tells best where the place is, if it is unsure or if no car is known; nil without one.
    public var town: NearbyTown?
    /// How long before the sonde the car arrives; negative if the car arrives later.
    public var margin: Duration?
    /// The car's time to the sonde, which is on the ground.
    public var drive: Duration?
    /// The trip is a straight line, so its time is a rough guess.
    public var isStraight: Bool

    /// A shorter drive is not said: the car is there.
    private static let shortestDrive = Duration.seconds(30)

    public init(
        _ place: Place, verticalSpeed: Double? = nil, altitudeMetres: Double? = nil, timeToGo: Duration? = nil,
        landing: Coordinate? = nil, radius50Metres: Double? = nil, town: NearbyTown? = nil, margin: Duration? = nil,
        drive: Duration? = nil, isStraight: Bool = false
    ) {
        self.place = place
        self.verticalSpeed = verticalSpeed
        self.altitudeMetres = altitudeMetres
        self.timeToGo = timeToGo
        self.landing = landing
        (self.radius50Metres, self.town) = (radius50Metres, town)
        self.margin = margin
        self.drive = drive.flatMap { $0 < Self.shortestDrive ? nil : $0 }
        self.isStraight = isStraight
    }

    /// The vertical speed; nil if it is unknown, or so small that nobody says it.
    var spokenSpeed: Double? {
        verticalSpeed.flatMap { $0.isFinite && abs($0) >= 0.5 ? $0 : nil }
    }
}
