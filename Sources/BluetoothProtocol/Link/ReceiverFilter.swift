/// Decides which devices in range are receivers.
public struct ReceiverFilter: Equatable, Sendable {
    /// A device is a receiver if its name contains one of these, in upper or lower case.
    public var names: [String]
    /// If set, only the device with this address is accepted, whatever its name.
    public var address: BluetoothAddress?

    public init(names: [String], address: BluetoothAddress? = nil) {
        self.names = names
        self.address = address
    }

    /// The name assumed for a device that advertises MySondyGo's own service. Its name stands in the scan response alone,
    /// which is often lost, and its owner may change it.
    static let unnamed = "MySondyGo"

    public func accepts(_ device: FoundDevice) -> Bool {
        if let address { return device.address.address == address }
        if device.profile?.isReceiversOwn == true, accepts(name: Self.unnamed) { return true }
        return device.data.name.map(accepts(name:)) ?? false
    }

    private func accepts(name: String) -> Bool {
        let lowercase = name.lowercased()
        return names.contains { !$0.isEmpty && lowercase.contains($0.lowercased()) }
    }
}
