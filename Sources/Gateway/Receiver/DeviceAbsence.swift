import GatewayReports
import ReceiverProtocol

/// Notices that the receiver's cable or Bluetooth adapter stays away. Whoever plugs it in again after a short time, as
/// when a car is loaded, hears nothing.
struct DeviceAbsence: Equatable, Sendable {
    static let limit = Duration.seconds(60)

    private var since: MonotonicTime?
    private var isTold = false

    /// An attempt to open the link has failed.
    /// - Returns: whether to say now that the device is missing. Once until it is back.
    mutating func attemptFailed(_ error: TransportError, at now: MonotonicTime) -> Bool {
        guard error.isDeviceMissing else {
            self = DeviceAbsence()
            return false
        }
        let first = since ?? now
        since = first
        guard !isTold, now.duration(since: first) >= Self.limit else { return false }
        isTold = true
        return true
    }
}
