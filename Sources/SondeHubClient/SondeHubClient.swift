import AsyncAlgorithms
public import Gateway
public import GatewayReports
public import ReceiverProtocol
import SondeHubProtocol

/// SondeHub and Tawhiri over HTTP. Each answer is limited in time and size, and certificates are checked.
public struct SondeHubClient: SondeHubSource, PredictionSource {
    /// The addresses of the services, and the limits.
    public struct Configuration: Equatable, Sendable {
        /// For example `https://api.v2.sondehub.org`. Plain http is allowed to this machine only.
        public var url: String
        /// The address of Tawhiri; nil for `/tawhiri` below ``url``.
        public var tawhiriURL: String?
        public var userAgent: String
        /// A PEM file with the authorities to trust; nil trusts the machine's own.
        public var authorities: String?
        /// The longest poll or track after decompression, bytes.
        public var sizeLimit = 64 << 20
        /// The longest prediction after decompression, bytes.
        public var predictionSizeLimit = 4 << 20
        /// The limit for a poll, for SondeHub's own prediction, and for sharing the car.
        public var pollTimeout = Duration.seconds(5)
        /// The limit for a track and for Tawhiri.
        public var trackTimeout = Duration.seconds(30)

        public init(url: String, userAgent: String) {
            self.url = url
            self.userAgent = userAgent
        }
    }

    private let configuration: Configuration
    private let base: BaseURL
    private let tawhiri: BaseURL
    private let fetcher: HTTPFetcher
    /// The number of records that fill a piece. The chunk that fills it may add more.
    private static let batch = 500

    /// Whether ``Configuration/url`` may have this value.
    public static func accepts(_ url: String) -> Bool { (try? BaseURL(url)) != nil }

    /// - Throws: `unreachable` if a URL is neither https nor on this machine.
    public init(_ configuration: Configuration) throws(OnlineServiceError) {
        self.configuration = configuration
        base = try BaseURL(configuration.url)
        tawhiri = try BaseURL(configuration.tawhiriURL ?? base.text + "/tawhiri")
        fetcher = HTTPFetcher(userAgent: configuration.userAgent, authorities: configuration.authorities)
    }

    public func close() async {
        await fetcher.close()
    }

    public func sondes(_ query: SondeHubQuery) async throws(OnlineServiceError) -> SondeHubAnswer {
        let path = SondeHubPaths.sondes(query)
        return try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
            var answer = SondeHubAnswer(records: [])
            var stream = RecordStream(query.isTrack ? .track : .newest, keeping: SondeHubAnswer.limit)
            try await fetcher.get(path, of: base, limit: configuration.sizeLimit) { facts in
                answer.cacheAge = facts.cacheAge
                answer.answeredAt = facts.answeredAt
            } body: { piece throws(OnlineServiceError) in
                try stream.append(piece)
            }
            try stream.end()
            answer.records = stream.takeRecords()
            answer.skipped = stream.skipped
            answer.dropped = stream.dropped
            return answer
        }
    }

    public func trackPieces(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: (SondeHubAnswer) async -> Void
    ) async throws(OnlineServiceError) {
        // The time limit covers only the fetch, which waits while `receive` handles a piece. `receive` must run in this
        // task, so the fetch runs in another and sends its pieces through a channel.
        let pieces = AsyncChannel<SondeHubAnswer>()
        let path = SondeHubPaths.track(of: serial, last: duration)
        async let outcome = fetchTrack(path, into: pieces)
        for await piece in pieces { await receive(piece) }
        try await outcome.get()
    }

    private func fetchTrack(
        _ path: String, into pieces: AsyncChannel<SondeHubAnswer>
    ) async -> Result<Void, OnlineServiceError> {
        defer { pieces.finish() }
        let track = TrackBuffer(pieceSize: Self.batch)
        do throws(OnlineServiceError) {
            try await within(configuration.trackTimeout) { () async throws(OnlineServiceError) in
                try await fetcher.get(path, of: base, limit: configuration.sizeLimit) { facts in
                    track.begin(facts)
                } body: { bytes throws(OnlineServiceError) in
                    if let piece = try track.append(bytes) { await pieces.send(piece) }
                }
                try track.end()
            }
            await pieces.send(track.rest())
            return .success(())
        } catch {
            // The records before the error stay valid.
            await pieces.send(track.rest())
            return .failure(error)
        }
    }

    public func prediction(for query: TawhiriQuery) async throws(OnlineServiceError) -> OnlinePrediction {
        guard let parameters = TawhiriFormat.parameters(of: query) else {
            throw OnlineServiceError(.refused, "the prediction was asked for with numbers out of range")
        }
        let prediction = try await within(configuration.trackTimeout) { () async throws(OnlineServiceError) in
            try TawhiriFormat.decode(
                await fetcher.body("?" + parameters, of: tawhiri, limit: configuration.predictionSizeLimit))
        }
        guard prediction.answers(query) else {
            throw OnlineServiceError(.malformed, "the predicted course is not of the flight that was asked for")
        }
        return prediction
    }

    public func sondeHubPrediction(
        of serial: SondeSerial
    ) async throws(OnlineServiceError) -> OnlinePrediction? {
        let path = SondeHubPaths.prediction(of: serial)
        return try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
            try SondeHubPredictionFormat.decode(
                await fetcher.body(path, of: base, limit: configuration.predictionSizeLimit), for: serial)
        }
    }

    public func share(_ car: SharedCar) async throws(OnlineServiceError) {
        let body = car.upload(from: configuration.userAgent)
        try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
            try await fetcher.put(body, to: SondeHubPaths.listeners, of: base)
        }
    }
}

extension SondeHubQuery {
    /// Whether the answer holds records by time, instead of one record for each sonde.
    fileprivate var isTrack: Bool {
        switch self {
        case .sonde: true
        case .site, .area: false
        }
    }
}
