import NIOCore
import NIOHTTP1

/// A parsed request.
struct Request: Sendable {
    var method: HTTPMethod
    /// The path up to the question mark, still percent-encoded.
    var path: String
    /// The parameters after the question mark.
    var query: [String: String]
    var headers: HTTPHeaders
    /// The client speaks HTTP/1.0, which has no chunks.
    var isOld: Bool
    var body: [UInt8] = []
    /// The client's address; empty if unknown.
    var client: String
    /// False through a proxy on this machine, if it says so in one of ``proxyHeaders``.
    var isFromThisMachine: Bool

    /// What proxies add to a request.
    private static let proxyHeaders = ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"]

    init(_ head: HTTPRequestHead, from address: SocketAddress?) {
        client = address?.ipAddress ?? ""
        let isProxied = Self.proxyHeaders.contains { head.headers.contains(name: $0) }
        isFromThisMachine = address?.isLoopback == true && !isProxied
        method = head.method
        headers = head.headers
        isOld = head.version != .http1_1
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "/")
        query = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&").prefix(16) {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(sides[0])] = sides.count > 1 ? String(sides[1]) : ""
        }
    }

    /// The path's parts: `/maps/a/1` -> `maps`, `a`, `1`.
    var parts: [Substring] { path.split(separator: "/", omittingEmptySubsequences: true) }

    func accepts(encoding: String) -> Bool {
        headers[canonicalForm: "accept-encoding"].contains { $0 == encoding || $0.hasPrefix(encoding + ";") }
    }

    /// The client's cache has the version with this tag.
    func knows(tag: String) -> Bool {
        headers[canonicalForm: "if-none-match"].contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
    }
}
