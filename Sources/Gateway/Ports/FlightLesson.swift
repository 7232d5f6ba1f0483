public import FlightMath
public import ReceiverProtocol

/// What a flight teaches the next ones: the altitude of a burst that was seen, the descent rate of a fall of 8 km, and
/// the ground where a landing was seen.
public struct FlightLesson: Equatable, Sendable {
    public var serial: SondeSerial
    public var sondeType: SondeType
    /// When it landed, or was last heard.
    public var at: WallTime
    /// When the flight was first heard. Older lessons of the same sonde are of an earlier flight. Nil if that is
    /// unknown: the store doesn't keep it.
    public var begunAt: WallTime?
    /// The launch site; nil if nobody heard the launch.
    public var launch: Coordinate?
    /// Nil if the landing was not seen.
    public var landing: Landing?
    public var burstMetres: Double?
    /// The mean over the whole descent, converted to sea level, m/s.
    public var descentRate: Double?

    /// Where it landed.
    public struct Landing: Equatable, Sendable {
        public var coordinate: Coordinate
        /// The altitude of the ground there, metres above sea level.
        public var altitudeMetres: Double

        public init(_ coordinate: Coordinate, altitudeMetres: Double) {
            self.coordinate = coordinate
            self.altitudeMetres = altitudeMetres
        }
    }

    public init(
        serial: SondeSerial, sondeType: SondeType, at: WallTime, launch: Coordinate?, landing: Landing? = nil,
        burstMetres: Double?, descentRate: Double?
    ) {
        self.serial = serial
        self.sondeType = sondeType
        self.at = at
        self.launch = launch
        self.landing = landing
        self.burstMetres = burstMetres
        self.descentRate = descentRate
    }
}

extension FlightLesson: HoldsTimes {
    package mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        (at, begunAt) = (replacement(at), begunAt.map(replacement))
    }
}
