/// An adapter as libbluetooth lists it, without a privilege.
public struct PresentAdapter: Equatable, Sendable {
    public var index: AdapterIndex
    public var address: BluetoothAddress
    public var isUp: Bool
    /// What its features say. They are empty until the kernel has set the adapter up.
    public var hasLowEnergy: Bool

    public init(index: AdapterIndex, address: BluetoothAddress, isUp: Bool, hasLowEnergy: Bool) {
        self.index = index
        self.address = address
        self.isUp = isUp
        self.hasLowEnergy = hasLowEnergy
    }
}

/// The adapter that the configuration asks for.
public enum AdapterChoice: Equatable, Sendable, LosslessStringConvertible {
    /// Of the adapters with Bluetooth LE: the first that is on, or else the first.
    case any
    case index(AdapterIndex)
    case address(BluetoothAddress)

    /// Reads `hci0`, `0` or an address; nil for any other text.
    public init?(_ text: String) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
        } else if let number = UInt16(text.hasPrefix("hci") ? text.dropFirst(3) : text[...]), number < 0xFFFF {
            self = .index(AdapterIndex(rawValue: number))
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .any: "any"
        case .index(let index): index.description
        case .address(let address): address.description
        }
    }

    /// The adapters that serve, best first: of several those with Bluetooth LE first, and of these those that are on.
    func candidates(among present: [PresentAdapter]) -> [PresentAdapter] {
        switch self {
        case .any:
            present.filter { $0.hasLowEnergy && $0.isUp } + present.filter { $0.hasLowEnergy && !$0.isUp }
                + present.filter { !$0.hasLowEnergy }
        case .index(let index): present.filter { $0.index == index }
        case .address(let address): present.filter { $0.address == address }
        }
    }
}
