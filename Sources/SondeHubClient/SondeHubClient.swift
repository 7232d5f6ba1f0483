import AsyncAlgorithms
public import FlightMath
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
        /// Where the live stream is.
        public var stream = StreamPlace.named
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
        /// The time between two pings of the live stream, and the limit for their answers. A connection that is only half
        /// open is noticed after twice this time.
        public var streamKeepAlive = Duration.seconds(30)

        public init(url: String, userAgent: String) {
            self.url = url
            self.userAgent = userAgent
        }
    }

    private let configuration: Configuration
    private let base: BaseURL
    private let tawhiri: BaseURL
    private let fetcher: HTTPFetcher
    private let live: LiveStream
    /// The longest address of the live stream, bytes.
    private static let longestAddress = 1024
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
        live = LiveStream(
            keepAlive: configuration.streamKeepAlive, authorities: configuration.authorities,
            userAgent: configuration.userAgent)
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

    public func landings(
        around place: Coordinate, radiusMetres: Double
    ) async throws(OnlineServiceError) -> [SondeLanding] {
        let path = SondeHubPaths.predictions(around: place, radiusMetres: radiusMetres)
        return try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
            try SondeHubPredictionFormat.landings(
                await fetcher.body(path, of: base, limit: configuration.predictionSizeLimit))
        }
    }

    public func sites() async throws(OnlineServiceError) -> [LaunchSite] {
        try await within(configuration.trackTimeout) { () async throws(OnlineServiceError) in
            try SiteFormat.decode(
                await fetcher.body("/sites", of: base, limit: configuration.predictionSizeLimit))
        }
    }

    public func recoveries(_ query: RecoveryQuery) async throws(OnlineServiceError) -> [Recovery] {
        let path = SondeHubPaths.recoveries(query)
        return try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
            try RecoveryFormat.decode(
                await fetcher.body(path, of: base, limit: configuration.predictionSizeLimit))
        }
    }

    public func report(_ recovery: Recovery) async throws(OnlineServiceError) {
        let body = RecoveryFormat.encode(recovery, software: configuration.userAgent)
        try await within(configuration.trackTimeout) { () async throws(OnlineServiceError) in
            try await fetcher.put(body, to: SondeHubPaths.recovered, of: base)
        }
    }

    public func stream(
        of serial: SondeSerial, _ receive: (SondeHubStreamNews) async -> Void
    ) async throws(OnlineServiceError) {
        try await runStream(of: serial) { news in
            await receive(news)
            return true
        }
    }

    /// Opens the live stream once, and ends it as soon as the server has accepted the subscription.
    public func tryStream() async throws(OnlineServiceError) {
        guard let serial = SondeSerial(name: "sondygo2mqtt", type: .other("")) else { return }
        try await runStream(of: serial) { news in
            switch news {
            case .opened: false
            case .frames, .prediction, .recoveries: true
            }
        }
    }

    private func runStream(
        of serial: SondeSerial, _ receive: (SondeHubStreamNews) async -> Bool
    ) async throws(OnlineServiceError) {
        try await live.run(of: serial, find: streamAddress, receive)
    }

    private func streamAddress() async throws(OnlineServiceError) -> StreamAddress {
        if case .address(let text) = configuration.stream { return try StreamAddress(text) }
        do throws(OnlineServiceError) {
            let answer = try await within(configuration.pollTimeout) { () async throws(OnlineServiceError) in
                try await fetcher.body(SondeHubPaths.stream, of: base, limit: Self.longestAddress)
            }
            return try StreamAddress(answer: answer)
        } catch {
            // Only SondeHub's own API may fall back to SondeHub's usual stream.
            guard base.host == Self.host else { throw error }
            return try StreamAddress(StreamAddress.usual)
        }
    }

    /// The host of SondeHub's API.
    private static let host = "api.v2.sondehub.org"

    public func crews(near places: [Coordinate]) async throws(OnlineServiceError) -> [CrewPosition] {
        try await within(configuration.trackTimeout) { () async throws(OnlineServiceError) in
            var stream = CrewStream(near: places)
            try await fetcher.get(SondeHubPaths.crews, of: base, limit: configuration.sizeLimit) { _ in
            } body: { piece throws(OnlineServiceError) in
                try stream.append(piece)
            }
            return try stream.end()
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
        case .site, .area, .dayAround: false
        }
    }
}

/// Where SondeHub's live stream is.
public enum StreamPlace: Equatable, Sendable {
    /// The API names the address.
    case named
    /// `wss://…`, or `ws://` for this machine.
    case address(String)

    /// Whether an address may have this value.
    public static func accepts(_ text: String) -> Bool { (try? StreamAddress(text)) != nil }
}
