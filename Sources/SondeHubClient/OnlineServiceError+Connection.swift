import AsyncHTTPClient
import GatewayReports
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension OnlineServiceError {
    /// Translates an error of the HTTP library. One of ours stays.
    init(connection error: any Error) {
        switch error {
        case let error as OnlineServiceError: self = error
        case is CancellationError: self.init(.cancelled, "cancelled")
        case let error as HTTPClientError: self.init(http: error)
        case let error as HTTPParserError where error == .invalidEOFState:
            self = .cutShort
        case is HTTPParserError: self.init(.malformed, "the answer is not HTTP")
        case let error as NIOConnectionError: self.init(.unreachable, Self.words(for: error))
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tls, Self.tlsWords(for: error))
        case let error as IOError: self.init(.unreachable, Self.words(for: error))
        default: self.init(.unreachable, "the connection failed")
        }
    }

    private init(http error: HTTPClientError) {
        switch error {
        case .cancelled: self.init(.cancelled, "cancelled")
        case .connectTimeout, .readTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
            self.init(.timedOut, "no answer in time")
        case .remoteConnectionClosed: self = .cutShort
        default: self.init(.unreachable, error.shortDescription.lowercased())
        }
    }

    private static func words(for error: NIOConnectionError) -> String {
        if let fault = error.connectionErrors.first?.error {
            return (fault as? IOError).map(words(for:)) ?? "can't connect to \(error.host)"
        }
        return "the name \(error.host) can't be resolved; is there a network?"
    }

    private static func words(for error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "nothing listens there (connection refused)"
        case ENETUNREACH, EHOSTUNREACH: "no route there; is there a network?"
        case ECONNRESET, EPIPE: "the server closed the connection"
        case ETIMEDOUT: "no answer in time"
        default: "the connection failed (error \(error.errnoCode))"
        }
    }

    /// Only the error's name in BoringSSL's text is stable; search for that.
    private static func tlsWords(for error: any Error) -> String {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            return "the server's certificate is for another name"
        }
        let text = String(describing: error)
        let words = [
            (
                "CERTIFICATE_VERIFY_FAILED",
                "the server's certificate is not trusted: its authority is not known here, or by this machine's clock "
                    + "it is not valid now"
            ),
            ("WRONG_VERSION_NUMBER", "the server does not speak TLS on this port"),
            ("HTTP_REQUEST", "the server does not speak TLS on this port"),
            ("UNSUPPORTED_PROTOCOL", "the server speaks only versions of TLS that are no longer safe"),
            ("ALERT_PROTOCOL_VERSION", "the server speaks only versions of TLS that are no longer safe"),
            ("CERTIFICATE_REQUIRED", "the server wants a certificate of ours"),
            ("HANDSHAKE_FAILURE", "the server refused the TLS handshake"),
            ("EOF during handshake", "the server hung up during the TLS handshake"),
            ("uncleanShutdown", "the server hung up within the TLS session"),
        ]
        return words.first { text.contains($0.0) }?.1 ?? "the TLS handshake failed"
    }
}
