/// The rungs of the self-healing ladder, gentlest first.
public enum LinkRepair: String, CaseIterable, Sendable {
    /// Connects to the known device again.
    case reconnect
    /// Scans for the device again.
    case rescan
    /// Switches the adapter off and on first.
    case powerCycle = "power_cycle"
    /// Removes the adapter from the system and adds it again first.
    case reset

    /// Whether the repair disturbs other users of the adapter.
    public var isOfAdapter: Bool { self == .powerCycle || self == .reset }
}
