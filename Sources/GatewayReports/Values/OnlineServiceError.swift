/// Why a request to a network service (SondeHub, Tawhiri) failed.
public struct OnlineServiceError: Error, Equatable, Sendable {
    /// A closed set, for counters and logs.
    public enum Code: String, CaseIterable, Sendable {
        case unreachable
        case timedOut = "timed_out"
        /// The certificate, its name, or the TLS handshake.
        case tls
        /// A redirect to another host or away from https.
        case redirect
        /// An HTTP status other than 200, or an error object with 200. A retry may help.
        case status
        /// 429: too many requests.
        case rateLimited = "rate_limited"
        /// The request itself is wrong, shown by a status or by HTTP 200 with a text instead of JSON. A retry does not
        /// help.
        case refused
        case tooLarge = "too_large"
        /// JSON that is cut short or has an unexpected form.
        case malformed
        case cancelled

        /// Whether the same request would fail again until somebody changes something.
        public var isFinal: Bool {
            switch self {
            case .refused, .redirect: true
            case .unreachable, .timedOut, .tls, .status, .rateLimited, .tooLarge, .malformed, .cancelled: false
            }
        }
    }

    public var code: Code
    /// The reason for people, as the end of a sentence.
    public var detail: String
    /// The time for which the server asks not to be called; nil if it does not.
    public var retryAfter: Duration?
    /// ``retryAfter``, at most an hour; zero without it. A server that asks for more has set its clock or its answer wrong.
    public var askedPause: Duration { min(retryAfter ?? .zero, .seconds(3600)) }

    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// The answer ended before it was complete.
    public static let cutShort = OnlineServiceError(.malformed, "the answer is cut short")
}
