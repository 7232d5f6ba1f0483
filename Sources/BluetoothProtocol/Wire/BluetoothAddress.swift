import CBluetooth

/// A device's 48-bit address, `AA:BB:CC:DD:EE:FF`.
public struct BluetoothAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The six octets in the order of the air and the kernel: the text's last pair first.
    public let octets: [UInt8]

    /// - Returns: nil unless there are exactly six octets.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 6 else { return nil }
        self.octets = Array(octets)
    }

    /// The length of an address as text.
    private static let textLength = 17

    /// Reads six pairs of hexadecimal digits separated by colons; nil for any other text.
    public init?(_ text: String) {
        // The library reads to the first zero byte, so a text with one is refused here.
        guard text.utf8.count == Self.textLength, bachk(text) == 0 else { return nil }
        var address = bdaddr_t()
        guard str2ba(text, &address) == 0 else { return nil }
        octets = withUnsafeBytes(of: &address) { Array($0) }
    }

    public var description: String {
        var address = bdaddr_t()
        withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: octets) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.textLength + 1) { text in
            text.initialize(repeating: 0)
            guard let start = text.baseAddress, ba2str(&address, start) == Self.textLength else { return "" }
            return String(cString: start)
        }
    }

    /// Whether this may be a static random address: its two highest bits are set (Core specification 5.3, vol 6 B
    /// 1.3.2.1). Public addresses of some makers have these bits, too.
    var mayBeStaticRandom: Bool { octets[5] >= 0xC0 }
}

/// An address with its kind. Two equal addresses of different kinds are two devices.
public struct LEAddress: Hashable, Sendable {
    public enum Kind: UInt8, Sendable {
        case `public` = 1
        case random = 2
    }

    public var address: BluetoothAddress
    public var kind: Kind

    public init(_ address: BluetoothAddress, _ kind: Kind) {
        self.address = address
        self.kind = kind
    }

    /// Decodes mgmt's form: six octets and the kind. Nil for BR/EDR and for too few bytes.
    init?(_ reader: inout LittleEndianReader) {
        guard let octets = reader.bytes(6), let address = BluetoothAddress(octets: octets),
            let kind = reader.byte().flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(address, kind)
    }

    var bytes: [UInt8] { address.octets + [kind.rawValue] }
}
