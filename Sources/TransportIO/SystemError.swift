public import GatewayReports
import Glibc

extension TransportError {
    /// The error for an `errno` of a link's system call.
    public static func system(_ call: String, errno error: Int32) -> TransportError {
        let code: Code =
            switch error {
            case ENOENT, ENODEV, ENXIO: .notFound
            case EACCES, EPERM: .permissionDenied
            case EBUSY, EWOULDBLOCK: .busy
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: .unreachable
            case ETIMEDOUT: .timedOut
            default: .inputOutput
            }
        let reason = error == 0 ? "it failed, and the system gives no reason" : String(cString: strerror(error))
        return TransportError(code, "\(call): \(reason)")
    }
}
