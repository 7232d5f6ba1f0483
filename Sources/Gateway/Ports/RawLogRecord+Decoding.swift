import FoundationEssentials
import ReceiverProtocol

extension RawLogRecord {
    private struct Line: Decodable {
        var monotonicNanoseconds: Int64
        var wall: String
        var session: Int?
        var hex: String

        enum CodingKeys: String, CodingKey {
            case monotonicNanoseconds = "monotonic_ns"
            case wall, session, hex
        }
    }

    /// The longest line that is read, bytes: a chunk of 16 kB in hex, and the rest of the record.
    public static let maximumLineLength = 40_000

    /// - Returns: nil if the line is no raw log record.
    public init?(line: [UInt8]) {
        guard line.count <= Self.maximumLineLength,
            let decoded = try? JSONDecoder().decode(Line.self, from: Data(line)),
            let bytes = Self.bytes(hex: decoded.hex)
        else { return nil }
        self.init(
            monotonic: MonotonicTime(nanoseconds: decoded.monotonicNanoseconds), wall: decoded.wall,
            session: decoded.session ?? 1, bytes: bytes)
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        return bytes
    }
}
