import CMosquitto
import Glibc

/// Why a connection attempt failed or a session ended.
public struct MosquittoFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, CaseIterable, Sendable {
        /// The configuration can't be honoured (a certificate that can't be read, an option the library lacks).
        case configuration
        /// The broker could not be reached.
        case unreachable
        /// The broker answered and said no.
        case refused
        /// The certificate or the TLS handshake.
        case tls
        /// Another client with the same id took the session.
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

    /// The same before a TLS session stood, in words for who has to mend it. Of a certificate OpenSSL doesn't say whether it
    /// has something against its authority or its dates; the name is the library's to check. A broker that hangs up may
    /// just be restarting, so that is no ``Code/tls``.
    /// - Parameter isClientNamed: a client certificate is configured.
    func asTLS(isClientNamed: Bool) -> MosquittoFailure {
        if detail.contains(MosquittoSession.nameComplaint) {
            return MosquittoFailure(
                .tls,
                "the broker's certificate is for another name than mqtt.host; set mqtt.host to the name in the "
                    + "certificate, or have one made for this name")
        }
        if detail.contains("certificate verify failed") {
            return explained(
                .tls,
                "the broker's certificate is not trusted: its authority is not the one of mqtt.tls.ca_file, or by this "
                    + "machine's clock it is not valid now")
        }
        if detail.contains("certificate required") {
            return explained(.tls, "the broker wants a client certificate (mqtt.tls.cert_file)")
        }
        if detail.contains("unexpected eof") { return explained(code, "the broker may speak no TLS on this port") }
        if code == .tls || detail.hasPrefix(MosquittoSession.openSSLMark) { return explained(.tls, "TLS fails") }
        guard code != .timedOut, !isClientNamed, detail.contains("Protocol error") || detail.contains("lost") else {
            return self
        }
        return explained(
            code, "the broker hangs up before the login; it may want a client certificate (mqtt.tls.cert_file)")
    }

    private func explained(_ code: Code, _ explanation: String) -> MosquittoFailure {
        let mark = MosquittoSession.openSSLMark
        let reason = detail.hasPrefix(mark) ? detail.dropFirst(mark.count) : detail[...]
        return MosquittoFailure(code, "\(explanation) (\(reason))")
    }
}

/// A return code of libmosquitto.
struct MosquittoStatus: RawRepresentable, Equatable, Sendable {
    var rawValue: Int32

    static let success = MosquittoStatus(MOSQ_ERR_SUCCESS)

    init(rawValue: Int32) { self.rawValue = rawValue }
    private init(_ code: mosq_err_t) { rawValue = code.rawValue }

    /// The library's words, where it has any.
    var text: String {
        switch rawValue {
        case MOSQ_ERR_KEEPALIVE.rawValue: "the broker doesn't answer any more"
        case MOSQ_ERR_EAI.rawValue: "the broker's name has no address"
        default: String(cString: mosquitto_strerror(rawValue))
        }
    }

    /// - Parameter error: `errno` right after the call.
    func failure(_ code: MosquittoFailure.Code, errno error: Int32 = 0) -> MosquittoFailure {
        let text =
            rawValue == MOSQ_ERR_ERRNO.rawValue && error != 0
            ? String(cString: strerror(error)) : self.text
        switch rawValue {
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue: return MosquittoFailure(.tls, text)
        case MOSQ_ERR_KEEPALIVE.rawValue: return MosquittoFailure(.timedOut, text)
        default: return MosquittoFailure(code, text)
        }
    }
}
