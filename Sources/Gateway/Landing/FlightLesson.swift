public import FlightMath
public import ReceiverProtocol

/// What a flight whose landing was seen teaches the next ones.
public struct FlightLesson: Equatable, Sendable {
    public var sondeType: SondeType
    public var landedAt: WallTime
    /// Nil where nobody heard it.
    public var launch: Coordinate?
    public var landing: Coordinate
    /// The true ground there, metres above sea level.
    public var landingAltitudeMetres: Double
    public var burstMetres: Double?
    /// m/s in air as at sea level, over the whole descent.
    public var descentRate: Double?
    /// The 90 % radius' worst error: how many times the radius, the predictions of one flight were off, at the 90th
    /// percentile of its five-kilometre steps.
    public var worstRatio: Double?

    public init(
        sondeType: SondeType, landedAt: WallTime, launch: Coordinate?, landing: Coordinate,
        landingAltitudeMetres: Double, burstMetres: Double?, descentRate: Double?, worstRatio: Double?
    ) {
        self.sondeType = sondeType
        self.landedAt = landedAt
        self.launch = launch
        self.landing = landing
        self.landingAltitudeMetres = landingAltitudeMetres
        self.burstMetres = burstMetres
        self.descentRate = descentRate
        self.worstRatio = worstRatio
    }
}
