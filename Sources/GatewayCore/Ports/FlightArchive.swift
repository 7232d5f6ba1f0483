public import FlightMath
public import ReceiverProtocol

/// The recorded flights, for whoever shows them: files, the page, the recovery feed. Reads only, in small steps, and
/// holds up no writer.
public protocol FlightArchive: Sendable {
    /// The newest flights, the newest first.
    /// - Parameter serial: nil takes every sonde's.
    func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight]
    /// Points of a flight, by time.
    /// - Parameter second: they come after this whole second since 1970.
    func points(
        ofFlight id: ArchivedFlight.ID, after second: Int64, limit: Int
    ) async throws(StoreError) -> [TrackPoint]
    /// As above, without its first points.
    func points(
        ofFlight id: ArchivedFlight.ID, skipping count: Int, limit: Int
    ) async throws(StoreError) -> [TrackPoint]
    /// The last points of a flight, by time.
    func newestPoints(ofFlight id: ArchivedFlight.ID, limit: Int) async throws(StoreError) -> [TrackPoint]
    /// How far off the predictions of a flight were; nil when its landing was not seen.
    func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore?
}

/// A recorded flight without its points.
public struct ArchivedFlight: Equatable, Sendable, Identifiable {
    public var id: Int64
    public var serial: SondeSerial
    public var sondeType: SondeType
    public var firstAt: WallTime
    /// Its newest point.
    public var last: TrackPoint
    public var points: Int
    public var highestMetres: Double
    /// Where it was seen to come to rest.
    public var landing: TrackPoint?
    /// The last landing point that was told while it flew; a guess.
    public var predictedLanding: Coordinate?

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
