/// What a person has to do, as the gateway can't get a link by itself.
public enum LinkAdvice: Equatable, Sendable {
    /// Unplug the Bluetooth adapter, or restart the box.
    case replugAdapter
    case restartReceiver
    /// The adapter can't be reset, in the system's words.
    case resetFailed(String)
}
