import AsyncHTTPClient
import GatewayReports
import NIOCore
import NIOHTTP1
import NIOSSL
import SondeHubProtocol

/// GET and PUT requests that check certificates, redirects, status and size. The body comes decompressed and in pieces,
/// so a long answer needs no more memory than a short one.
struct HTTPFetcher: Sendable {
    private static let redirects = 3
    /// The most bytes of an error's text that are read.
    private static let longestErrorText = 8192
    /// Longer than each request's own limit, so that this one never ends a request first.
    private static let connectTimeout = TimeAmount.seconds(30)

    let owned: OwnedHTTPClient
    let userAgent: String

    /// - Parameter authorities: a PEM file with the authorities to trust; nil trusts the machine's own.
    init(userAgent: String, authorities: String?) {
        self.userAgent = userAgent
        var http = HTTPClient.Configuration(tlsConfiguration: Self.tls(authorities))
        http.redirectConfiguration = .disallow
        // We decompress ourselves: the library decompresses a whole chunk at once, 64 kB into up to 64 MB.
        http.decompression = .disabled
        http.timeout.connect = Self.connectTimeout
        http.connectionPool.idleTimeout = .seconds(60)
        http.connectionPool.retryConnectionEstablishment = false
        http.httpVersion = .http1Only
        // The library has no other way to add a handler to its connections, although it names this one for debugging.
        http.http1_1ConnectionDebugInitializer = { StatusGuard.install(in: $0) }
        owned = OwnedHTTPClient(http)
    }

    static func tls(_ authorities: String?) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authorities { tls.trustRoots = .file(authorities) }
        return tls
    }

    func close() async {
        await owned.close()
    }

    /// Fetches a small answer as a whole.
    /// - Parameter statuses: the statuses whose body is an answer; any other status is an error.
    func body(
        _ path: String, of base: BaseURL, limit: Int, accepting statuses: Set<UInt> = [200]
    ) async throws(OnlineServiceError) -> [UInt8] {
        var whole: [UInt8] = []
        try await get(path, of: base, limit: limit, accepting: statuses) { _ in
        } body: { piece throws(OnlineServiceError) in
            whole += piece
        }
        return whole
    }

    /// - Parameters:
    ///   - path: follows the base, with its query.
    ///   - limit: the longest body after decompression, bytes.
    ///   - body: receives the pieces, each at most about 64 kB.
    func get(
        _ path: String, of base: BaseURL, limit: Int, accepting statuses: Set<UInt> = [200],
        head: (ResponseFacts) -> Void,
        body: ([UInt8]) async throws(OnlineServiceError) -> Void
    ) async throws(OnlineServiceError) {
        do {
            let response = try await follow(path, of: base, accepting: statuses)
            let facts = ResponseFacts(response.headers)
            head(facts)
            try await read(response, facts.encoding, limit: limit, into: body)
        } catch {
            throw OnlineServiceError(connection: error)
        }
    }

    /// Sends `body` as JSON. Only the status of the answer matters.
    func put(_ body: [UInt8], to path: String, of base: BaseURL) async throws(OnlineServiceError) {
        do {
            var request = HTTPClientRequest(url: base.text + path)
            request.method = .PUT
            request.headers.add(name: "User-Agent", value: userAgent)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
            let response = try await owned.client.execute(request, deadline: .distantFuture)
            let facts = ResponseFacts(response.headers)
            guard response.status.code == 200 else {
                throw await fault(of: response, facts, code: Int(response.status.code))
            }
            try await read(response, facts.encoding, limit: Self.longestErrorText) { _ in }
        } catch {
            throw OnlineServiceError(connection: error)
        }
    }

    func read(
        _ response: HTTPClientResponse, _ encoding: ResponseFacts.Encoding, limit: Int,
        into body: ([UInt8]) async throws(OnlineServiceError) -> Void
    ) async throws {
        let inflater: Inflater?
        switch encoding {
        case .none: inflater = nil
        case .gzip: inflater = Inflater()
        case .unknown(let name):
            throw OnlineServiceError(.malformed, "the answer is encoded as \(name.prefix(20)), which was not asked for")
        }
        var room = limit
        for try await chunk in response.body {
            let bytes = Array(chunk.readableBytesView)
            guard let inflater else {
                try await hand(bytes, room: &room, limit: limit, to: body)
                continue
            }
            inflater.feed(bytes)
            while let piece = try inflater.next() { try await hand(piece, room: &room, limit: limit, to: body) }
        }
        if let inflater, !inflater.isEnded { throw OnlineServiceError.cutShort }
    }

    private func hand(
        _ piece: [UInt8], room: inout Int, limit: Int,
        to body: ([UInt8]) async throws(OnlineServiceError) -> Void
    ) async throws(OnlineServiceError) {
        room -= piece.count
        guard room >= 0 else {
            throw OnlineServiceError(.tooLarge, "the answer is larger than \(Self.words(forSize: limit))")
        }
        // A long answer that has already arrived never suspends, so check for cancellation at each piece.
        guard !Task.isCancelled else { throw OnlineServiceError(.cancelled, "cancelled") }
        try await body(piece)
    }

    /// `8 MB`, `977 kB`
    private static func words(forSize bytes: Int) -> String {
        bytes >= 1 << 20 ? "\(bytes >> 20) MB" : "\(bytes >> 10) kB"
    }

    /// Follows redirects that keep scheme, host and port.
    /// - Parameter types: the types of content that are asked for.
    func follow(
        _ path: String, of base: BaseURL, accepting statuses: Set<UInt>, types: String = "application/json"
    ) async throws -> HTTPClientResponse {
        var url = base.text + path
        for _ in 0...Self.redirects {
            var request = HTTPClientRequest(url: url)
            request.headers.add(name: "User-Agent", value: userAgent)
            request.headers.add(name: "Accept", value: types)
            request.headers.add(name: "Accept-Encoding", value: "gzip")
            let response = try await owned.client.execute(request, deadline: .distantFuture)
            let facts = ResponseFacts(response.headers)
            switch response.status.code {
            case let code where statuses.contains(code): return response
            case 301, 302, 303, 307, 308:
                let target = response.headers.first(name: "Location") ?? ""
                guard let next = base.redirected(to: target) else {
                    throw OnlineServiceError(
                        .redirect, "a redirect leads elsewhere, to \(PrintableText.of(target.utf8))")
                }
                url = next
            case 429:
                throw OnlineServiceError(.rateLimited, "too many requests", retryAfter: facts.retryAfter)
            case let code: throw await fault(of: response, facts, code: Int(code))
            }
        }
        throw OnlineServiceError(.redirect, "more than \(Self.redirects) redirects")
    }

    /// The body of an answer that reports an error, as far as it can be read: the status alone is known, too.
    func errorText(of response: HTTPClientResponse) async -> [UInt8] {
        var text: [UInt8] = []
        try? await read(response, ResponseFacts(response.headers).encoding, limit: Self.longestErrorText) { text += $0 }
        return text
    }

    /// The error for a status, with the text of the server's error object.
    private func fault(of response: HTTPClientResponse, _ facts: ResponseFacts, code: Int) async -> OnlineServiceError {
        let said = ErrorObject(await errorText(of: response)).map { ": \($0.text)" } ?? ""
        // The request is wrong, or this server never serves it: asking again does not help.
        let isRefusal = code == 400 || code == 501
        return OnlineServiceError(
            isRefusal ? .refused : .status, "HTTP status \(code)\(said)", retryAfter: facts.retryAfter)
    }
}
