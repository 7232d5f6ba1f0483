/// The opcodes of the attribute protocol (Core specification 5.3, vol 3 F 3.4) that the gateway sends or answers.
enum ATTOpcode: UInt8 {
    case errorResponse = 0x01
    case mtuRequest = 0x02
    case mtuResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case writeRequest = 0x12
    case writeResponse = 0x13
    case notification = 0x1B
    case indication = 0x1D
    case confirmation = 0x1E
    case writeCommand = 0x52

    /// The opcode of the answer to this request; nil if this is no request.
    var response: ATTOpcode? {
        switch self {
        case .mtuRequest: .mtuResponse
        case .findInformationRequest: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeResponse
        case .writeRequest: .writeResponse
        case .errorResponse, .mtuResponse, .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
            .writeResponse, .notification, .indication, .confirmation, .writeCommand:
            nil
        }
    }
}

/// The error code with which a server refused a request (Core specification 5.3, vol 3 F 3.4.1.1).
struct ATTErrorCode: RawRepresentable, Error, Equatable, Sendable, CustomStringConvertible {
    let rawValue: UInt8

    static let requestNotSupported = ATTErrorCode(rawValue: 0x06)

    var description: String {
        switch rawValue {
        case 0x01: "invalid handle"
        case 0x02: "read not permitted"
        case 0x03: "write not permitted"
        case 0x04: "invalid packet"
        case 0x05: "it asks for pairing"
        case 0x06: "request not supported"
        case 0x07: "invalid offset"
        case 0x08: "not authorised"
        case 0x0A: "attribute not found"
        case 0x0D: "invalid length"
        case 0x0E: "unlikely error"
        case 0x0F: "it asks for encryption"
        case 0x11: "insufficient resources"
        default: "ATT error 0x\(String(rawValue, radix: 16))"
        }
    }
}

/// Attribute types of the GATT layer.
enum GATTType {
    static let primaryService: UInt16 = 0x2800
    static let characteristic: UInt16 = 0x2803
    static let clientConfiguration = BluetoothUUID(0x2902)
}

/// The operations that a characteristic allows (Core specification 5.3, vol 3 G 3.3.1.1).
struct CharacteristicProperties: OptionSet, Sendable {
    let rawValue: UInt8

    static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    static let write = CharacteristicProperties(rawValue: 0x08)
    static let notify = CharacteristicProperties(rawValue: 0x10)
    static let indicate = CharacteristicProperties(rawValue: 0x20)
}
