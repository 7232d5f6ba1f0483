import FlightMath
import FoundationEssentials
import NIOHTTP1
import ReceiverProtocol
import SondeHubProtocol

/// The facts in the head of an answer.
struct ResponseFacts: Sendable {
    /// How long a cache held the answer; zero if unknown.
    var cacheAge: Duration
    /// The server's time when it answered; nil if unknown.
    var answeredAt: WallTime?
    /// How long the server asks us to wait; nil if it does not ask.
    var retryAfter: Duration?
    var encoding: Encoding

    enum Encoding {
        case none, gzip
        case unknown(String)
    }

    /// SondeHub's caches keep an answer for a minute or two. With an age above this the age and the date are ignored.
    private static let longestCacheAge = Duration.seconds(3600)

    init(_ headers: HTTPHeaders, receivedAt now: WallTime = .now) {
        let age = headers.first(name: "Age").flatMap(Self.seconds) ?? .zero
        let isBelievable = age <= Self.longestCacheAge
        cacheAge = isBelievable ? age : .zero
        answeredAt = isBelievable ? headers.first(name: "Date").flatMap(SondeHubTime.parseHTTPDate) : nil
        let base = answeredAt ?? now
        retryAfter = headers.first(name: "Retry-After").flatMap { text in
            // A number of seconds, or a date on the server's clock.
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
    /// The time on this machine's clock.
    static var now: WallTime {
        WallTime(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
    }
}
