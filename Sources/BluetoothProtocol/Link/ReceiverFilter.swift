/// Which of the devices in range is a receiver.
public struct ReceiverFilter: Equatable, Sendable {
    /// A name that holds one of these, in any case, is a receiver's.
    public var names: [String]
    /// When set, only this device, whatever its name.
    public var address: BluetoothAddress?

    public init(names: [String], address: BluetoothAddress? = nil) {
        self.names = names
        self.address = address
    }

    /// What a receiver is called when it has told only its service: the name often gets lost, being in the scan
    /// response alone.
    static let unnamed = "MySondyGo"

    public func accepts(_ device: FoundDevice) -> Bool {
        if let address { return device.address.address == address }
        if let name = device.data.name { return accepts(name: name) }
        return device.profile?.isReceiversOwn == true && accepts(name: Self.unnamed)
    }

    private func accepts(name: String) -> Bool {
        let lowercase = name.lowercased()
        return names.contains { !$0.isEmpty && lowercase.contains($0.lowercased()) }
    }
}
