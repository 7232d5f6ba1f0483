/// The contents of a device's advertisement and scan response.
///
/// The bytes are a row of fields: length, type, data (Core specification Supplement, part A). Anybody nearby can send
/// them, so a field that ends beyond the bytes ends the row.
public struct AdvertisingData: Equatable, Sendable {
    /// The complete name, or else the shortened one; nil if neither is present. U+FFFD replaces bytes that are not
    /// UTF-8; control characters are removed.
    public private(set) var name: String?
    /// The advertised 128-bit and 16-bit services.
    public private(set) var services: Set<BluetoothUUID> = []

    private enum Field {
        static let services16: ClosedRange<UInt8> = 0x02...0x03
        static let services128: ClosedRange<UInt8> = 0x06...0x07
        static let shortName: UInt8 = 0x08
        static let completeName: UInt8 = 0x09
    }

    public init(_ bytes: some Sequence<UInt8>) {
        var reader = LittleEndianReader(bytes)
        var isNameComplete = false
        while let length = reader.byte(), length > 0, let field = reader.bytes(Int(length)), let type = field.first {
            let data = field.dropFirst()
            switch type {
            case Field.services16: add(data, width: 2)
            case Field.services128: add(data, width: 16)
            case Field.shortName where !isNameComplete: name = Self.text(data)
            case Field.completeName:
                name = Self.text(data)
                isNameComplete = true
            default: break  // Flags, power, manufacturer data: they do not identify a receiver.
            }
        }
    }

    private mutating func add(_ data: ArraySlice<UInt8>, width: Int) {
        var rest = LittleEndianReader(data)
        while let bytes = rest.bytes(width) {
            if let uuid = BluetoothUUID(wire: bytes) { services.insert(uuid) }
        }
    }

    private static func text(_ data: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
        let shown = String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        return shown.isEmpty ? nil : shown
    }
}
