/// A decoded packet from the kernel's management interface.
public enum MgmtEvent: Equatable, Sendable {
    /// The answer to the command with this opcode: status, then the command's own data.
    case answered(opcode: UInt16, AdapterIndex, MgmtStatus, [UInt8])
    case adapterAdded(AdapterIndex)
    case adapterRemoved(AdapterIndex)
    case settingsChanged(AdapterIndex, AdapterSettings)
    case deviceFound(AdapterIndex, FoundDevice)
    case discovering(AdapterIndex, Bool)
    /// An event that the gateway does not use.
    case other

    /// - Returns: nil if the packet breaks its own format.
    public init?(_ bytes: some Sequence<UInt8>) {
        var reader = LittleEndianReader(bytes)
        guard let code = reader.uint16(), let rawIndex = reader.uint16(), let length = reader.uint16(),
            reader.rest.count == Int(length)
        else { return nil }
        let index = AdapterIndex(rawValue: rawIndex)
        switch code {
        case 0x0001, 0x0002:
            guard let opcode = reader.uint16(), let status = reader.byte() else { return nil }
            self = .answered(opcode: opcode, index, MgmtStatus(rawValue: status), Array(reader.rest))
        case 0x0004: self = .adapterAdded(index)
        case 0x0005: self = .adapterRemoved(index)
        case 0x0006:
            guard let settings = reader.uint32() else { return nil }
            self = .settingsChanged(index, AdapterSettings(rawValue: settings))
        case 0x0012:
            guard reader.rest.count >= 14 else { return nil }
            self = FoundDevice(&reader).map { .deviceFound(index, $0) } ?? .other
        case 0x0013:
            guard reader.byte() != nil, let isOn = reader.byte() else { return nil }
            self = .discovering(index, isOn != 0)
        default: self = .other
        }
    }
}

extension MgmtEvent {
    /// The version of the interface, for example `1.22`, if this event answers ``MgmtCommand/readVersion``; otherwise
    /// nil.
    public var managementVersion: String? {
        guard case .answered(MgmtCommand.readVersion.opcode, _, .success, let data) = self else { return nil }
        var reader = LittleEndianReader(data)
        guard let version = reader.byte(), let revision = reader.uint16() else { return nil }
        return "\(version).\(revision)"
    }
}

/// A device heard while scanning.
public struct FoundDevice: Equatable, Sendable {
    public var address: LEAddress
    /// The signal strength; nil if the adapter does not report it.
    public var rssiDBm: Int?
    public var data: AdvertisingData

    /// The signal strength in dBm. Nil for 127, which means "unknown".
    static func rssi(_ byte: UInt8) -> Int? { byte == 127 ? nil : Int(Int8(bitPattern: byte)) }

    /// The profile whose service the device advertises; nil if it advertises no known one.
    public var profile: ReceiverProfile? {
        ReceiverProfile.all.first { data.services.contains($0.service) }
    }
}

extension FoundDevice {
    /// - Returns: nil for a BR/EDR device, and for a truncated report.
    init?(_ reader: inout LittleEndianReader) {
        guard let address = LEAddress(&reader), let rssi = reader.byte(), reader.uint32() != nil,
            let length = reader.uint16()
        else { return nil }
        let data = reader.rest.prefix(Int(length))
        self.init(address: address, rssiDBm: Self.rssi(rssi), data: AdvertisingData(data))
    }
}

/// An adapter as the kernel describes it.
public struct Adapter: Equatable, Sendable {
    public var index: AdapterIndex
    public var address: BluetoothAddress
    public var supported, current: AdapterSettings

    public var isPowered: Bool { current.contains(.powered) }
    public var hasLowEnergy: Bool { supported.contains(.lowEnergy) }

    /// Decodes the answer to ``MgmtCommand/readInformation(_:)``; nil if it is too short.
    init?(_ index: AdapterIndex, _ answer: [UInt8]) {
        var reader = LittleEndianReader(answer)
        guard let octets = reader.bytes(6), let address = BluetoothAddress(octets: octets), reader.bytes(3) != nil,
            let supported = reader.uint32(), let current = reader.uint32()
        else { return nil }
        self.index = index
        self.address = address
        self.supported = AdapterSettings(rawValue: supported)
        self.current = AdapterSettings(rawValue: current)
    }
}
