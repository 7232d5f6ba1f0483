/// The rungs of the self-healing ladder, gentlest first.
public enum LinkRepair: String, CaseIterable, Sendable {
    /// Connects to the known device again.
    case reconnect
    /// Scans for the device again.
    case rescan
    /// Switches the adapter off and on first.
    case powerCycle = "power_cycle"
}
