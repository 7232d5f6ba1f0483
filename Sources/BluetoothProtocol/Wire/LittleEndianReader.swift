/// Reads little-endian fields from the front of untrusted bytes. Each read returns nil if too few bytes are left.
struct LittleEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = Array(bytes)[...]
    }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func uint16() -> UInt16? {
        bytes(2).map { $0.reversed().reduce(0) { $0 << 8 | UInt16($1) } }
    }

    mutating func uint32() -> UInt32? {
        bytes(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    init(littleEndian value: UInt16) {
        self = []
        append(littleEndian: value)
    }
}
