/// Why a connection attempt failed or a session ended.
public struct BrokerFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, CaseIterable, Sendable {
        /// The configuration can't be honoured (a certificate that can't be read, an option the library lacks).
        case configuration
        /// The broker could not be reached.
        case unreachable
        /// The broker answered and said no.
        case refused
        /// The broker doesn't speak the configured protocol version.
        case unsupportedVersion = "unsupported_version"
        /// The certificate or the TLS handshake.
        case tls
        /// Another client with the same id takes the session.
        case takenOver = "taken_over"
        /// The session broke; without more words, the broker hung up.
        case lost
        /// The broker sends what is too large for a gateway.
        case oversized
        case timedOut = "timed_out"
    }

    public var code: Code
    public var detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { detail }
}
