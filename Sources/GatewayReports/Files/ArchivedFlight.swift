public import FlightMath
public import ReceiverProtocol

/// A recorded flight without its points.
public struct ArchivedFlight: Equatable, Sendable, Identifiable {
    public var id: Int64
    public var serial: SondeSerial
    public var sondeType: SondeType
    public var firstAt: WallTime
    /// The newest point.
    public var last: TrackPoint
    public var points: Int
    public var highestMetres: Double
    /// Where the sonde came to rest; nil if that was not detected.
    public var landing: TrackPoint?
    /// The last landing point published in flight: a guess.
    public var predictedLanding: Coordinate?
    /// What was last reported of its recovery, `recovered HB9XYZ`; nil if nothing was.
    public var recovery: String?
    /// The note of that report; nil if it has none.
    public var recoveryNote: String?

    public init(
        id: Int64, serial: SondeSerial, sondeType: SondeType, firstAt: WallTime, last: TrackPoint, points: Int,
        highestMetres: Double, landing: TrackPoint? = nil, predictedLanding: Coordinate? = nil
    ) {
        self.id = id
        self.serial = serial
        self.sondeType = sondeType
        self.firstAt = firstAt
        self.last = last
        self.points = points
        self.highestMetres = highestMetres
        self.landing = landing
        self.predictedLanding = predictedLanding
    }
}
