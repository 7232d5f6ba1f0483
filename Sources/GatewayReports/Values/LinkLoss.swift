/// Why a link to the receiver ended.
public enum LinkLoss: Equatable, Sendable {
    /// No valid frame for 15 s on an open link.
    case silent
    /// The transport reported an error.
    case transport(TransportError)
    /// The recording that is played has ended.
    case endOfRecording
    /// The gateway stops.
    case stopping

    /// The reason as a word of a closed set, for events and logs.
    public var code: String {
        switch self {
        case .silent: "silent"
        case .transport(let error): error.code.rawValue
        case .endOfRecording: "end_of_recording"
        case .stopping: "stopping"
        }
    }

    /// The reason as the end of a sentence that can be read aloud.
    public var explanation: String {
        switch self {
        case .silent: "no valid frame for 15 seconds"
        case .transport(let error): error.detail
        case .endOfRecording: "the recording has ended"
        case .stopping: "the gateway is stopping"
        }
    }
}
