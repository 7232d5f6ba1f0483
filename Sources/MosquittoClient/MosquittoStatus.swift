import CMosquitto
import Gateway
import Glibc

/// A return code of libmosquitto.
struct MosquittoStatus: RawRepresentable, Equatable, Sendable {
    var rawValue: Int32

    static let success = MosquittoStatus(MOSQ_ERR_SUCCESS)

    init(rawValue: Int32) { self.rawValue = rawValue }
    private init(_ code: mosq_err_t) { rawValue = code.rawValue }

    /// Below TLS the library has only `EPROTO` for the end of the stream, also for one in order.
    static let endOfTLS = "the broker ended the connection"

    /// The error in words, mostly the library's.
    var text: String {
        switch rawValue {
        case MOSQ_ERR_KEEPALIVE.rawValue: "the broker doesn't answer any more"
        case MOSQ_ERR_EAI.rawValue: "the broker's name has no address"
        // The library looks at `errno`, which may be 0 by then: "Success".
        case MOSQ_ERR_ERRNO.rawValue: "the connection was lost"
        default: String(cString: mosquitto_strerror(rawValue))
        }
    }

    /// - Parameter error: the value of `errno` right after the call.
    func failure(_ code: BrokerFailure.Code, errno error: Int32 = 0) -> BrokerFailure {
        let text =
            rawValue != MOSQ_ERR_ERRNO.rawValue || error == 0
            ? self.text : error == EPROTO ? Self.endOfTLS : String(cString: strerror(error))
        switch rawValue {
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue: return BrokerFailure(.tls, text)
        case MOSQ_ERR_KEEPALIVE.rawValue: return BrokerFailure(.timedOut, text)
        default: return BrokerFailure(code, text)
        }
    }
}
