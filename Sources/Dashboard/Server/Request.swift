import NIOCore
import NIOHTTP1

/// A request, taken apart.
struct Request: Sendable {
    var method: HTTPMethod
    /// Up to the question mark, as it came.
    var path: String
    /// What follows it.
    var query: [String: String]
    var headers: HTTPHeaders
    /// HTTP/1.0, which knows no chunks.
    var isOld: Bool
    var body: [UInt8] = []

    init(_ head: HTTPRequestHead) {
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

    /// The client has this already.
    func knows(tag: String) -> Bool {
        headers[canonicalForm: "if-none-match"].contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
    }
}
