/// Advice to a person, because the gateway can't get a link by itself.
public enum LinkAdvice: Equatable, Sendable {
    /// Unplug the Bluetooth adapter, or restart the box.
    case replugAdapter
    case restartReceiver
    /// The receiver keeps restarting: over Bluetooth its battery is weak.
    case checkBattery
    /// The receiver keeps restarting on its cable, as its boot text shows.
    case checkPower
    /// The link over a cable or the network keeps breaking.
    case checkConnection
    /// Neither the Bluetooth adapter nor the cable is there.
    case plugIn
}
