public import FlightMath
public import Gateway
public import GatewayReports
public import ReceiverProtocol

/// SondeHub for a simulated receiver: other stations always hear the same sonde.
public struct SimulatedSondeHub: SondeHubSource, PredictionSource {
    /// It answers for any launch site. A simulation without a configured one asks for this one.
    public static let site = "06610"

    private let transport: SimulatorTransport
    private let forecasts: (any SondeHubSource & PredictionSource)?

    /// - Parameter forecasts: a configured forecast server; nil without one.
    public init(_ transport: SimulatorTransport, forecasts: (any SondeHubSource & PredictionSource)? = nil) {
        self.transport = transport
        self.forecasts = forecasts
    }

    public func sondes(_ query: SondeHubQuery) async throws(OnlineServiceError) -> SondeHubAnswer {
        SondeHubAnswer(records: transport.flown.suffix(1))
    }

    public func trackPieces(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: (SondeHubAnswer) async -> Void
    ) async throws(OnlineServiceError) {
        let points = transport.flown
        let records = points.filter { point in
            guard point.serial == serial, let newest = points.last else { return false }
            return newest.time.duration(since: point.time) <= duration.duration
        }
        await receive(SondeHubAnswer(records: records))
    }

    public func prediction(for query: TawhiriQuery) async throws(OnlineServiceError) -> OnlinePrediction {
        guard let forecasts else { throw OnlineServiceError(.unreachable, "nobody predicts simulated weather") }
        return try await forecasts.prediction(for: query)
    }

    public func sondeHubPrediction(of serial: SondeSerial) async throws(OnlineServiceError) -> OnlinePrediction? { nil }

    /// None: there are no other sondes.
    public func landings(
        around place: Coordinate, radiusMetres: Double
    ) async throws(OnlineServiceError) -> [SondeLanding] { [] }

    /// None: a simulated sonde starts anywhere.
    public func sites() async throws(OnlineServiceError) -> [LaunchSite] { [] }

    /// None: nobody drives to a simulated sonde.
    public func recoveries(_ query: RecoveryQuery) async throws(OnlineServiceError) -> [Recovery] { [] }

    /// Does nothing: a simulated sonde is never reported.
    public func report(_ recovery: Recovery) async throws(OnlineServiceError) {}

    /// Does nothing: a simulated car is never shared.
    public func share(_ car: SharedCar) async throws(OnlineServiceError) {}

    public func close() async { await forecasts?.close() }
}
