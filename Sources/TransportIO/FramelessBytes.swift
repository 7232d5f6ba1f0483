import ReceiverProtocol

/// The first bytes of a link, kept until a frame shows that the link is right.
public struct FramelessBytes: Equatable, Sendable {
    /// The most bytes that are kept.
    private static let limit = 60

    private var first: [UInt8] = []
    public private(set) var count = 0
    public var hasFrame = false
    /// The receiver's chip has started meanwhile.
    public private(set) var hasBootText = false
    /// The last bytes, which may begin a text that the next ones end.
    private var last: [UInt8] = []

    public init() {}

    public mutating func append(_ bytes: some Collection<UInt8>) {
        count += bytes.count
        if !hasBootText {
            let joined = last + bytes
            hasBootText = BootText.isIn(joined)
            last = joined.suffix(BootText.longestMark - 1)
        }
        if first.count < Self.limit { first += bytes.prefix(Self.limit - first.count) }
    }

    /// The beginning, for a person who may know it: `$GPRMC,123519,A,4807.038,N`. Empty unless nearly all of it is
    /// printable: a wrong baud rate makes letters of any kind.
    public var text: String {
        let printable = first.filter { 0x20...0x7E ~= $0 }
        let blanks = first.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard !printable.isEmpty, (printable.count + blanks) * 10 >= first.count * 9 else { return "" }
        return String(decoding: printable, as: UTF8.self)
    }
}
