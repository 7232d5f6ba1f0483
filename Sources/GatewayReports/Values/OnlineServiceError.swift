/// Why a service on the network (SondeHub, Tawhiri) gave nothing usable.
public struct OnlineServiceError: Error, Equatable, Sendable {
    /// A closed set, for counters and logs.
    public enum Code: String, CaseIterable, Sendable {
        case unreachable
        case timedOut = "timed_out"
        /// The certificate, its name, or the TLS handshake.
        case tls
        /// A redirect to another host or away from https.
        case redirect
        /// An HTTP status other than 200, or an error object with 200: asking again may help.
        case status
        /// 429: too many requests.
        case rateLimited = "rate_limited"
        /// HTTP 200 with a text instead of JSON, or a status that says so: the request itself is wrong, and asking again
        /// doesn't help.
        case refused
        case tooLarge = "too_large"
        /// JSON that is cut short or isn't what it should be.
        case malformed
        case cancelled
    }

    public var code: Code
    /// A sentence's end for people.
    public var detail: String
    /// How long the server wants to be left alone.
    public var retryAfter: Duration?

    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The answer ends before it is whole.
    public static let cutShort = OnlineServiceError(.malformed, "the answer is cut short")
}
