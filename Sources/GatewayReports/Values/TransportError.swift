/// Why a link could not be opened, or why it ended: a code of a closed set, and the system's words.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Used as a label in logs and metrics.
    public enum Code: String, CaseIterable, Sendable {
        /// The device, host or file is not there.
        case notFound = "not_found"
        /// Another program uses the device.
        case busy
        case permissionDenied = "permission_denied"
        /// The other side refused or could not be reached.
        case unreachable
        case timedOut = "timed_out"
        /// The other side closed the link.
        case closedByPeer = "closed_by_peer"
        case inputOutput = "input_output"
        /// The content is invalid (a damaged recording).
        case invalidData = "invalid_data"
        case cancelled
    }

    public var code: Code
    public var detail: String
    /// This machine has no such cable or Bluetooth adapter now.
    public var isDeviceMissing: Bool

    public init(_ code: Code, _ detail: String, isDeviceMissing: Bool = false) {
        self.code = code
        self.detail = detail
        self.isDeviceMissing = isDeviceMissing
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
