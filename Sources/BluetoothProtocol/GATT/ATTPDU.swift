/// One decoded packet from a server. Any bytes are legal input.
enum ATTPDU: Equatable {
    case error(request: UInt8, handle: UInt16, ATTErrorCode)
    case mtuResponse(UInt16)
    case services([HandleRange])
    case characteristics([Characteristic])
    case descriptors([Descriptor])
    case writeResponse
    case notification(handle: UInt16, ArraySlice<UInt8>)
    case indication(handle: UInt16, ArraySlice<UInt8>)
    /// The server asks for our MTU and names its own.
    case mtuRequest(UInt16)
    /// Another request, with its opcode. The standard demands an error response.
    case request(UInt8)
    /// A packet without consequence: a command, a confirmation or an unknown response.
    case ignored

    struct HandleRange: Equatable, Sendable {
        var first, last: UInt16
    }

    struct Characteristic: Equatable, Sendable {
        var declaration: UInt16
        var properties: CharacteristicProperties
        var value: UInt16
        var uuid: BluetoothUUID
    }

    struct Descriptor: Equatable, Sendable {
        var handle: UInt16
        var uuid: BluetoothUUID
    }

    /// - Returns: nil if the packet breaks its own format.
    init?(_ bytes: some Sequence<UInt8>) {
        var reader = LittleEndianReader(bytes)
        guard let raw = reader.byte() else { return nil }
        switch ATTOpcode(rawValue: raw) {
        case .errorResponse:
            guard let request = reader.byte(), let handle = reader.uint16(), let code = reader.byte() else {
                return nil
            }
            self = .error(request: request, handle: handle, ATTErrorCode(rawValue: code))
        case .mtuRequest:
            // A truncated MTU request is still a request: the server waits for an answer.
            self = reader.uint16().map(ATTPDU.mtuRequest) ?? .request(raw)
        case .mtuResponse:
            guard let mtu = reader.uint16() else { return nil }
            self = .mtuResponse(mtu)
        case .findByTypeValueResponse:
            guard let ranges = Self.ranges(&reader) else { return nil }
            self = .services(ranges)
        case .readByTypeResponse:
            guard let characteristics = Self.characteristics(&reader) else { return nil }
            self = .characteristics(characteristics)
        case .findInformationResponse:
            guard let descriptors = Self.descriptors(&reader) else { return nil }
            self = .descriptors(descriptors)
        case .writeResponse: self = .writeResponse
        case .notification:
            guard let handle = reader.uint16() else { return nil }
            self = .notification(handle: handle, reader.rest)
        case .indication:
            guard let handle = reader.uint16() else { return nil }
            self = .indication(handle: handle, reader.rest)
        case .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .writeRequest: self = .request(raw)
        case .writeCommand, .confirmation: self = .ignored
        case nil:
            // Bit 6 marks a command, and commands get no answer. Requests have even opcodes; responses, notifications
            // and confirmations have other ones.
            self = raw & 0x40 == 0 && raw & 1 == 0 ? .request(raw) : .ignored
        }
    }

    private static func ranges(_ reader: inout LittleEndianReader) -> [HandleRange]? {
        var ranges: [HandleRange] = []
        while let first = reader.uint16(), let last = reader.uint16() {
            guard first > 0, first <= last else { return nil }
            ranges.append(HandleRange(first: first, last: last))
        }
        return ranges.isEmpty ? nil : ranges
    }

    private static func characteristics(_ reader: inout LittleEndianReader) -> [Characteristic]? {
        // Records of equal length: declaration, properties, value handle, 16-bit or 128-bit UUID.
        guard let length = reader.byte(), length == 7 || length == 21 else { return nil }
        var list: [Characteristic] = []
        while let record = reader.bytes(Int(length)) {
            var fields = LittleEndianReader(record)
            guard let declaration = fields.uint16(), let properties = fields.byte(), let value = fields.uint16(),
                let uuid = BluetoothUUID(wire: fields.rest)
            else { return nil }
            list.append(
                Characteristic(
                    declaration: declaration, properties: CharacteristicProperties(rawValue: properties), value: value,
                    uuid: uuid))
        }
        return list.isEmpty ? nil : list
    }

    private static func descriptors(_ reader: inout LittleEndianReader) -> [Descriptor]? {
        guard let format = reader.byte(), format == 1 || format == 2 else { return nil }
        var list: [Descriptor] = []
        while let record = reader.bytes(format == 1 ? 4 : 18) {
            var fields = LittleEndianReader(record)
            guard let handle = fields.uint16(), let uuid = BluetoothUUID(wire: fields.rest) else { return nil }
            list.append(Descriptor(handle: handle, uuid: uuid))
        }
        return list.isEmpty ? nil : list
    }
}
