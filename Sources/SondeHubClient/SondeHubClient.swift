import AsyncHTTPClient
import FoundationEssentials
public import GatewayCore
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
public import ReceiverProtocol
import SondeHubProtocol

/// SondeHub over HTTP: polls and tracks, bounded in time and size, with certificates checked.
public struct SondeHubClient: SondeHubSource {
    /// Where SondeHub is and who asks.
    public struct Configuration: Equatable, Sendable {
        /// `https://api.v2.sondehub.org`; plain http is for this machine only.
        public var url: String
        public var userAgent: String
        /// Of an answer after decompression, bytes.
        public var sizeLimit = 64 << 20
        /// Seconds for a poll and for a track.
        public var pollTimeout = 5.0
        public var trackTimeout = 30.0

        public init(url: String, userAgent: String) {
            self.url = url
            self.userAgent = userAgent
        }
    }

    private let configuration: Configuration
    private let base: BaseURL
    private let client: HTTPClient
    private static let redirects = 3
    /// Records handed on at once.
    private static let batch = 500

    /// Whether ``Configuration/url`` may be this.
    public static func accepts(_ url: String) -> Bool { (try? BaseURL(url)) != nil }

    /// - Throws: the URL is neither https nor of this machine.
    public init(_ configuration: Configuration) throws(SondeHubError) {
        self.configuration = configuration
        base = try BaseURL(configuration.url)
        var http = HTTPClient.Configuration()
        http.redirectConfiguration = .disallow
        http.decompression = .enabled(limit: .size(configuration.sizeLimit))
        http.timeout.connect = .seconds(5)
        http.connectionPool.idleTimeout = .seconds(60)
        http.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: http)
    }

    public func close() async {
        try? await client.shutdown()
    }

    public func sondes(_ query: SondeHubQuery) async throws(SondeHubError) -> SondeHubAnswer {
        var answer = SondeHubAnswer(records: [])
        var stream = RecordStream(query.isTrack ? .track : .newest)
        try await get(base.path(of: query), within: configuration.pollTimeout) { head in
            answer.cacheAge = head.cacheAge
            answer.answeredAt = head.date
        } body: { chunk throws(SondeHubError) in
            try stream.append(chunk.readableBytesView)
        }
        try stream.end()
        answer.records = stream.takeRecords()
        answer.skipped = stream.skipped
        return answer
    }

    public func track(
        of serial: SondeSerial, last duration: TrackDuration, _ receive: ([SondeHubRecord]) async -> Void
    ) async throws(SondeHubError) {
        var stream = RecordStream(.track)
        let path = base.path(ofTrack: serial, duration)
        do throws(SondeHubError) {
            try await get(path, within: configuration.trackTimeout) { _ in
            } body: { chunk throws(SondeHubError) in
                try stream.append(chunk.readableBytesView)
                if stream.records.count >= Self.batch { await receive(stream.takeRecords()) }
            }
            try stream.end()
        } catch {
            await receive(stream.takeRecords())
            throw error
        }
        await receive(stream.takeRecords())
    }

    private func get(
        _ path: String, within seconds: Double, head: (HTTPHeaders) -> Void,
        body: (ByteBuffer) async throws(SondeHubError) -> Void
    ) async throws(SondeHubError) {
        let deadline = NIODeadline.now() + .nanoseconds(Int64(seconds * 1e9))
        do {
            let response = try await follow(base.text + path, until: deadline)
            head(response.headers)
            var size = 0
            for try await chunk in response.body {
                size += chunk.readableBytes
                guard size <= configuration.sizeLimit else {
                    throw SondeHubError(.tooLarge, "the answer is larger than \(configuration.sizeLimit) bytes")
                }
                guard NIODeadline.now() < deadline else {
                    throw SondeHubError(.timedOut, "the answer is not whole after \(Int(seconds)) s")
                }
                try await body(chunk)
            }
        } catch let error as SondeHubError {
            throw error
        } catch {
            throw SondeHubError(error)
        }
    }

    /// Follows redirects on the same host and to https only.
    private func follow(_ start: String, until deadline: NIODeadline) async throws -> HTTPClientResponse {
        var url = start
        for _ in 0...Self.redirects {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "User-Agent", value: configuration.userAgent)
            request.headers.add(name: "Accept", value: "application/json")
            let response = try await client.execute(request, deadline: deadline)
            switch response.status.code {
            case 200: return response
            case 301, 302, 303, 307, 308:
                let target = response.headers.first(name: "Location") ?? ""
                guard let next = base.redirected(to: target) else {
                    throw SondeHubError(.redirect, "not followed to \(target.prefix(100))")
                }
                url = next
            case 429:
                throw SondeHubError(.rateLimited, "too many requests", retryAfter: response.headers.retryAfter)
            case let code:
                throw SondeHubError(.status, "HTTP status \(code)", retryAfter: response.headers.retryAfter)
            }
        }
        throw SondeHubError(.redirect, "more than \(Self.redirects) redirects")
    }
}

extension SondeHubQuery {
    /// The answer holds records by time.
    fileprivate var isTrack: Bool {
        switch self {
        case .sonde: true
        case .site, .area: false
        }
    }
}

extension HTTPHeaders {
    fileprivate var cacheAge: Double { Swift.max(0, first(name: "Age").flatMap(Double.init) ?? 0) }

    /// Seconds; the form with a date is not sent by SondeHub and ignored.
    fileprivate var retryAfter: Double? {
        first(name: "Retry-After").flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }

    /// `Thu, 11 Dec 2025 13:09:26 GMT`
    fileprivate var date: WallTime? { first(name: "Date").flatMap(SondeHubTime.parseHTTPDate) }
}

extension SondeHubError {
    /// What the HTTP library reports, in the gateway's words.
    fileprivate init(_ error: any Error) {
        let text = String(describing: error)
        switch error {
        case is CancellationError: self.init(.cancelled, "cancelled")
        case let error as HTTPClientError
        where error == .connectTimeout || error == .readTimeout || error == .deadlineExceeded
            || error == .getConnectionFromPoolTimeout || error == .tlsHandshakeTimeout:
            self.init(.timedOut, "no answer in time")
        case let error as HTTPClientError where error == .cancelled: self.init(.cancelled, "cancelled")
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            self.init(.malformed, "the answer breaks off")
        case let error as HTTPParserError where error == .invalidEOFState:
            self.init(.malformed, "the answer breaks off")
        case is NIOConnectionError: self.init(.unreachable, "can't connect")
        default:
            // NIOSSL and the decompressor have error types that are not public.
            if text.contains("SSL") || text.contains("CERTIFICATE") || text.contains("certificate") {
                self.init(.tls, "the certificate or the TLS handshake: \(text.prefix(160))")
            } else if text.contains("ecompression") || text.contains("limit") {
                self.init(.tooLarge, "the answer can't be decompressed: \(text.prefix(100))")
            } else {
                self.init(.unreachable, String(text.prefix(160)))
            }
        }
    }
}
