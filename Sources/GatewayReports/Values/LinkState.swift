/// How far the link to the receiver has come.
public enum LinkState: String, CaseIterable, Sendable {
    /// No link, or no valid frame on it yet. Becomes ``readyForCommands`` with the first valid frame.
    case notConnected
    /// The receiver sends frames and accepts commands. Becomes ``dataReady`` with a plausible position.
    case readyForCommands
    /// Positions come in. Becomes ``readyForCommands`` again when they stop, and ``notConnected`` when the link ends.
    case dataReady
}
