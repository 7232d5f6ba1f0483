import FlightMath
import FoundationEssentials
import GatewayCore
import NIOHTTP1
import ReceiverProtocol
import SondeHubProtocol

/// What the head of an answer tells.
struct ResponseFacts: Sendable {
    /// How long the answer lay in a cache.
    var cacheAge: Duration
    /// The server's clock when it answered.
    var answeredAt: WallTime?
    /// How long the server wants to be left alone.
    var retryAfter: Duration?
    var encoding: Encoding

    enum Encoding {
        case none, gzip
        case unknown(String)
    }

    /// SondeHub's caches keep an answer for a minute or two. What is said to be older than this says nothing of the time.
    private static let longestCacheAge = Duration.seconds(3600)

    init(_ headers: HTTPHeaders, receivedAt now: WallTime = .now) {
        let age = headers.first(name: "Age").flatMap(Self.seconds) ?? .zero
        let isBelievable = age <= Self.longestCacheAge
        cacheAge = isBelievable ? age : .zero
        answeredAt = isBelievable ? headers.first(name: "Date").flatMap(SondeHubTime.parseHTTPDate) : nil
        let base = answeredAt ?? now
        retryAfter = headers.first(name: "Retry-After").flatMap { text in
            // Seconds, or a date by the server's own clock.
            Self.seconds(text)
                ?? SondeHubTime.parseHTTPDate(text).map { date in
                    max(.zero, date.duration(since: base))
                }
        }
        encoding =
            switch headers.first(name: "Content-Encoding")?.lowercased() {
            case nil, "", "identity": .none
            case "gzip", "x-gzip", "deflate": .gzip
            case let name?: .unknown(name)
            }
    }

    private static func seconds(_ text: String) -> Duration? {
        Double(text).flatMap { $0.isFinite && $0 >= 0 ? .seconds(clamping: $0) : nil }
    }
}

extension WallTime {
    /// By this machine's clock.
    static var now: WallTime {
        WallTime(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}
