/// Cuts the objects at a depth out of JSON that comes in pieces: for depth 2 the records of `{name: {time: record}}`.
/// Everything else is passed over, so it needs no memory.
struct ObjectSplitter: Sendable {
    /// A longer object is skipped, bytes.
    private static let longest = 8192
    /// A longer key is cut, bytes.
    private static let longestKey = 64

    private let depth: Int
    private var level = 0
    private var string = JSONStringScan()
    /// The string that was last read outside an object: its key.
    private var key: [UInt8] = []
    /// The object that is being read; nil outside and in one that is too long.
    private var object: [UInt8]?
    private(set) var skipped = 0
    /// Whether a complete object was read.
    private(set) var isEnded = false

    init(depth: Int) {
        self.depth = depth
    }

    /// - Parameter receive: gets each object with its key.
    mutating func append(_ bytes: some Sequence<UInt8>, _ receive: ([UInt8], String) -> Void) {
        for byte in bytes {
            if object != nil { object?.append(byte) }
            if string.isInString {
                if string.pass(byte), level <= depth, key.count < Self.longestKey { key.append(byte) }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                string.begin()
                if level <= depth { key = [] }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if level == depth, byte == UInt8(ascii: "{") { object = [byte] }
                level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                level = max(0, level - 1)
                isEnded = level == 0
                guard level == depth, let whole = object else { break }
                object = nil
                receive(whole, String(decoding: key, as: UTF8.self))
            default: break
            }
            if let size = object?.count, size > Self.longest {
                object = nil
                skipped += 1
            }
        }
    }
}
