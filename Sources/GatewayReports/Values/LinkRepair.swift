/// The rungs of the self-healing ladder, gentlest first.
public enum LinkRepair: String, CaseIterable, Sendable {
    /// Connects again to the device that is known.
    case reconnect
    /// Looks for it anew.
    case rescan
    /// Switches the adapter off and on first.
    case powerCycle = "power_cycle"
    /// Removes the adapter from the system and adds it again first.
    case reset

    /// It disturbs whatever else uses the adapter.
    public var isOfAdapter: Bool { self == .powerCycle || self == .reset }
}
