public import GatewayCore
public import ReceiverProtocol

/// SondeHub for a simulated receiver: other people's stations hear the same sonde all the time.
public struct SimulatedSondeHub: SondeHubSource, PredictionSource {
    private let transport: SimulatorTransport

    public init(_ transport: SimulatorTransport) {
        self.transport = transport
    }

    public func sondes(_ query: SondeHubQuery) async throws(SondeHubError) -> SondeHubAnswer {
        SondeHubAnswer(records: transport.flown.suffix(1))
    }

    public func trackPieces(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: (SondeHubAnswer) async -> Void
    ) async throws(SondeHubError) {
        let points = transport.flown
        let records = points.filter { point in
            guard point.serial == serial, let newest = points.last else { return false }
            return newest.time.duration(since: point.time) <= duration.duration
        }
        await receive(SondeHubAnswer(records: records))
    }

    public func prediction(for query: TawhiriQuery) async throws(OnlineServiceError) -> OnlinePrediction {
        throw OnlineServiceError(.unreachable, "nobody predicts simulated weather")
    }

    public func sondeHubPrediction(of serial: SondeSerial) async throws(OnlineServiceError) -> OnlinePrediction? { nil }

    public func close() async {}
}
