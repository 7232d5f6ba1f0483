/// Why a link could not be opened or ended: a code from a closed set and what the system said.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Serves as log and metric label.
    public enum Code: String, CaseIterable, Sendable {
        /// The device, host or file is not there.
        case notFound = "not_found"
        /// Somebody else holds it.
        case busy
        case permissionDenied = "permission_denied"
        /// The other side refused or could not be reached.
        case unreachable
        case timedOut = "timed_out"
        /// It was open and ended from the other side.
        case closedByPeer = "closed_by_peer"
        case inputOutput = "input_output"
        /// The content can't be read (a damaged recording).
        case invalidData = "invalid_data"
        case cancelled
    }

    public var code: Code
    public var detail: String

    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { "\(code.rawValue): \(detail)" }
}
