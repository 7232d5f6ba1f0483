public import FlightMath
public import GatewayReports
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
