/// The bytes of a GPS receiver or another program that speaks NMEA 0183.
///
/// A sentence begins with `$` or `!` and ends with its checksum: `*` and two digits. So a datagram may hold several
/// sentences, and none needs a line end. A sentence without a checksum is not used.
public struct NMEAStream: CarStream {
    /// A longer sentence is dropped, bytes. The standard allows 82; some receivers send a few more.
    static let longestSentence = 256
    /// After so many bytes without a whole sentence, they count as unreadable once. At a wrong baud rate all are such.
    static let noiseLimit = 256

    /// The sentence so far, from its `$`; empty between sentences.
    private var sentence: [UInt8] = []
    /// The bytes outside of whole sentences since the last one.
    private var noise = 0
    private var epoch = NMEAEpoch()

    public init() {}

    public mutating func messages(in bytes: [UInt8]) -> [CarMessage] { bytes.compactMap { follow($0) } }

    private mutating func follow(_ byte: UInt8) -> CarMessage? {
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: "!"):
            let message = drop(0)
            sentence.append(byte)
            return message
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return drop(0)
        case 0x20...0x7E where !sentence.isEmpty:
            sentence.append(byte)
            if sentence.count >= 4, sentence[sentence.count - 3] == UInt8(ascii: "*") { return end() }
            return sentence.count < Self.longestSentence ? nil : drop(0)
        default: return drop(1)
        }
    }

    /// The end of a sentence with a checksum.
    private mutating func end() -> CarMessage {
        let whole = NMEASentence(sentence)
        sentence.removeAll(keepingCapacity: true)
        noise = 0
        return whole.map { epoch.follow($0) } ?? .unreadable
    }

    /// Drops the unfinished sentence and some bytes behind it.
    private mutating func drop(_ further: Int) -> CarMessage? {
        noise += sentence.count + further
        sentence.removeAll(keepingCapacity: true)
        guard noise >= Self.noiseLimit else { return nil }
        noise = 0
        return .unreadable
    }
}
