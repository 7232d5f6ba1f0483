import GatewayReports

/// A server's error message: `{"message":"…"}`, or `{"error":{"type":"…","description":"…"}}`.
public struct ErrorObject: Equatable, Sendable {
    /// Tawhiri's name for the fault, for example `PredictionException`; nil if the object has none.
    public private(set) var type: String?
    /// The server's own words: printable, and short enough for a log line.
    public private(set) var text = ""

    /// - Returns: nil if the body is no such object, for example HTML.
    public init?(_ body: [UInt8]) {
        let bytes = body.span
        var cursor = JSONCursor()
        guard cursor.skip(0x20, bytes) == UInt8(ascii: "{") else { return nil }
        cursor.position += 1
        do throws(OnlineServiceError) {
            while let key = try cursor.nextKey(bytes) { try readMember(bytes, key: key, &cursor) }
        } catch {
            // The body is cut short. The members before the cut are still valid.
        }
        guard !text.isEmpty else { return nil }
    }

    private mutating func readMember(
        _ bytes: Span<UInt8>, key: Range<Int>, _ cursor: inout JSONCursor
    ) throws(OnlineServiceError) {
        if JSONCursor.isEqual(bytes, key, to: "message") || JSONCursor.isEqual(bytes, key, to: "errorMessage") {
            text = try Self.printable(bytes, &cursor) ?? text
        } else if JSONCursor.isEqual(bytes, key, to: "error") {
            guard cursor.position < bytes.count, bytes[cursor.position] == UInt8(ascii: "{") else {
                text = try Self.printable(bytes, &cursor) ?? text
                return
            }
            cursor.position += 1
            while let key = try cursor.nextKey(bytes) {
                if JSONCursor.isEqual(bytes, key, to: "description") {
                    text = try Self.printable(bytes, &cursor) ?? text
                } else if JSONCursor.isEqual(bytes, key, to: "type") {
                    type = try Self.printable(bytes, &cursor)
                } else {
                    try cursor.pass(bytes)
                }
            }
        } else {
            try cursor.pass(bytes)
        }
    }

    private static func printable(
        _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
    ) throws(OnlineServiceError) -> String? {
        guard let range = try cursor.word(bytes) else { return nil }
        return PrintableText.of(bytes.extracting(range).withUnsafeBufferPointer { Array($0) })
    }
}
