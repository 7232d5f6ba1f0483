public import FlightMath
public import GatewayReports
public import ReceiverProtocol

/// Reads the recorded flights for files, the page and the recovery feed. It reads in small steps and never blocks the
/// writer.
public protocol FlightArchive: Sendable {
    /// Whether something of the flights could not be read. It is left out of the answers.
    var isDamaged: Bool { get }
    /// The newest flights, the newest first.
    /// - Parameter serial: the sonde; nil for all sondes.
    /// - Throws: if there are flights, and nothing of them can be read.
    func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight]
    /// Points of a flight, by time.
    /// - Parameter second: only points after this whole second since 1970.
    func points(
        ofFlight id: ArchivedFlight.ID, after second: Int64, limit: Int
    ) async throws(StoreError) -> [TrackPoint]
    /// Points of a flight, by time, without the first `count`.
    func points(
        ofFlight id: ArchivedFlight.ID, skipping count: Int, limit: Int
    ) async throws(StoreError) -> [TrackPoint]
    /// The last points of a flight, by time.
    func newestPoints(ofFlight id: ArchivedFlight.ID, limit: Int) async throws(StoreError) -> [TrackPoint]
    /// Points of the car's own way, by time.
    /// - Parameter time: only points after this time, milliseconds since 1970.
    func carPoints(
        ofFlight id: ArchivedFlight.ID, after time: Int64, limit: Int
    ) async throws(StoreError) -> [CarPoint]
    /// How the sonde was heard in these whole seconds since 1970, by time.
    func samples(
        ofFlight id: ArchivedFlight.ID, seconds: ClosedRange<Int64>
    ) async throws(StoreError) -> [HeardSample]
    /// How the sonde was heard, by time.
    /// - Parameter time: only samples after this time, milliseconds since 1970.
    func samples(
        ofFlight id: ArchivedFlight.ID, after time: Int64, limit: Int
    ) async throws(StoreError) -> [HeardSample]
    /// What happened to the receiver during a flight, by time.
    func receiverEvents(ofFlight id: ArchivedFlight.ID) async throws(StoreError) -> [ReceiverEvent]
    /// How well the receiver has heard, over all flights.
    func coverage() async throws(StoreError) -> HeardCoverage
    /// The errors of a flight's predictions; nil if its landing was not detected.
    func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore?
}

extension FlightArchive {
    public var isDamaged: Bool { false }
}
