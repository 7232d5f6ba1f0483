import ReceiverProtocol

/// A type 3 over Bluetooth with a new board's settings.
/// - Parameter values: other values by the setting's key, also unreadable ones.
public func typeThree(frequency: String = "403.500", _ values: [String: String] = [:]) -> String {
    let settings = ReceiverSetting.always.map { values[$0.key] ?? $0.delivered.description }
    return "3/RS41/\(frequency)/\(settings.joined(separator: "/"))/3.10/o"
}
