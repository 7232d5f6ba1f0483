/// A request to the kernel's Bluetooth management interface (BlueZ `doc/mgmt-api.txt`).
public enum MgmtCommand: Equatable, Sendable {
    case readVersion
    case readInformation(AdapterIndex)
    case setPowered(AdapterIndex, Bool)
    case enableLE(AdapterIndex)
    case readConnections(AdapterIndex)
    case disconnect(AdapterIndex, LEAddress)
    /// Scans actively for LE devices with public and random addresses. The kernel ends the run after 10.24 s.
    case startDiscovery(AdapterIndex)
    case stopDiscovery(AdapterIndex)
    /// Reads the signal strength of an open link.
    case readConnectionInformation(AdapterIndex, LEAddress)

    var opcode: UInt16 {
        switch self {
        case .readVersion: 0x0001
        case .readInformation: 0x0004
        case .setPowered: 0x0005
        case .enableLE: 0x000D
        case .disconnect: 0x0014
        case .readConnections: 0x0015
        case .startDiscovery: 0x0023
        case .stopDiscovery: 0x0024
        case .readConnectionInformation: 0x0031
        }
    }

    var index: AdapterIndex {
        switch self {
        case .readVersion: .none
        case .readInformation(let index), .setPowered(let index, _), .enableLE(let index), .readConnections(let index),
            .disconnect(let index, _), .startDiscovery(let index), .stopDiscovery(let index),
            .readConnectionInformation(let index, _):
            index
        }
    }

    /// The end of a message that begins with "can't", for example "scan".
    var purpose: String {
        switch self {
        case .readVersion, .readInformation: "look at the adapters"
        case .setPowered(_, true): "switch the adapter on"
        case .setPowered(_, false): "switch the adapter off"
        case .enableLE: "enable Bluetooth LE"
        case .readConnections: "list the connected devices"
        case .disconnect: "disconnect the receiver"
        case .startDiscovery, .stopDiscovery: "scan"
        case .readConnectionInformation: "measure the link's signal"
        }
    }

    private var parameters: [UInt8] {
        /// A bit set of address types.
        let lowEnergy = UInt8(1 << LEAddress.Kind.public.rawValue | 1 << LEAddress.Kind.random.rawValue)
        return switch self {
        case .readVersion, .readInformation, .readConnections: []
        case .setPowered(_, let isOn): [isOn ? 1 : 0]
        case .enableLE: [1]
        case .disconnect(_, let device), .readConnectionInformation(_, let device): device.bytes
        case .startDiscovery, .stopDiscovery: [lowEnergy]
        }
    }

    /// The packet for the mgmt socket: opcode, adapter, length, parameters.
    public var bytes: [UInt8] {
        let parameters = parameters
        return [UInt8](littleEndian: opcode) + [UInt8](littleEndian: index.rawValue)
            + [UInt8](littleEndian: UInt16(parameters.count)) + parameters
    }
}

/// The kernel's number of an adapter: 0 is hci0. The number may change when the adapter is plugged in again.
public struct AdapterIndex: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Stands in commands that address no adapter.
    public static let none = AdapterIndex(rawValue: 0xFFFF)

    public var description: String { "hci\(rawValue)" }
}

/// The status in the kernel's answer to a command (BlueZ `doc/mgmt-api.txt`, status codes).
public struct MgmtStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let success = MgmtStatus(rawValue: 0x00)
    static let notConnected = MgmtStatus(rawValue: 0x02)
    static let busy = MgmtStatus(rawValue: 0x0A)
    static let disconnected = MgmtStatus(rawValue: 0x0E)
    static let notPowered = MgmtStatus(rawValue: 0x0F)
    static let rfkilled = MgmtStatus(rawValue: 0x12)
    static let permissionDenied = MgmtStatus(rawValue: 0x14)

    private static let words = [
        "success", "unknown command", "not connected", "failed", "connect failed", "authentication failed",
        "not paired", "no resources", "timeout", "already connected", "busy", "rejected", "not supported",
        "invalid parameters", "disconnected", "not powered", "cancelled", "invalid index", "blocked by rfkill",
        "already paired", "permission denied",
    ]

    public var description: String {
        Self.words.indices.contains(Int(rawValue)) ? Self.words[Int(rawValue)] : "status \(rawValue)"
    }
}

/// Abilities and states of an adapter (BlueZ `doc/mgmt-api.txt`, Read Controller Information).
public struct AdapterSettings: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let powered = AdapterSettings(rawValue: 1 << 0)
    public static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
}
