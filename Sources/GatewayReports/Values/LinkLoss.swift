/// Why a link to the receiver ended.
public enum LinkLoss: Equatable, Sendable {
    /// No valid frame for 15 s on an open link.
    case silent
    /// The transport's own word.
    case transport(TransportError)
    /// A finite source, a recording, came to its end.
    case endOfRecording
    /// The gateway stops.
    case stopping

    /// A word from a closed set, for `reason` in events and logs.
    public var code: String {
        switch self {
        case .silent: "silent"
        case .transport(let error): error.code.rawValue
        case .endOfRecording: "end_of_recording"
        case .stopping: "stopping"
        }
    }

    /// A sentence's end that can be read aloud.
    public var explanation: String {
        switch self {
        case .silent: "no valid frame for 15 seconds"
        case .transport(let error): error.detail
        case .endOfRecording: "the recording has ended"
        case .stopping: "the gateway stops"
        }
    }
}
