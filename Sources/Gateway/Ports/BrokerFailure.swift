/// Why a connection attempt failed or a session ended.
public struct BrokerFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, CaseIterable, Sendable {
        /// The configuration is not usable: a certificate can't be read, or the library lacks an option.
        case configuration
        /// The broker could not be reached.
        case unreachable
        /// The broker refused the connection.
        case refused
        /// The broker takes no login now, but will later: it is busy, or a quota is used up.
        case busy
        /// The broker sends its clients to another server, for now or for good (MQTT 5).
        case moved
        /// The broker doesn't speak the configured protocol version.
        case unsupportedVersion = "unsupported_version"
        /// The certificate was not accepted, or the TLS handshake failed.
        case tls
        /// Another client with the same id has taken over the session.
        case takenOver = "taken_over"
        /// The connection ended without a reason from the broker.
        case lost
        /// The broker sent a packet that is too large for the gateway.
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
