public enum LinkState: String, CaseIterable, Sendable {
    /// No link, or no valid frame on it yet. To readyForCommands with the first valid frame.
    case notConnected
    /// The receiver sends frames and accepts commands. To dataReady with a plausible position.
    case readyForCommands
    /// Positions come in. Back to readyForCommands when they stop, to notConnected when the link ends.
    case dataReady
}
