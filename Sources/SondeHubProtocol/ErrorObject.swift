import GatewayCore

/// What a server says when it can't answer: `{"message":"…"}`, or `{"error":{"type":"…","description":"…"}}`.
public struct ErrorObject: Equatable, Sendable {
    /// Tawhiri's name for the fault, for example `PredictionException`.
    public private(set) var type: String?
    /// In the server's words; printable, and short enough for a log line.
    public private(set) var text = ""

    /// - Returns: nil when the body is something else, for example HTML.
    public init?(_ body: [UInt8]) {
        let bytes = body.span
        var cursor = JSONCursor()
        guard cursor.skip(0x20, bytes) == UInt8(ascii: "{") else { return nil }
        cursor.position += 1
        do throws(OnlineServiceError) {
            while let key = try cursor.nextKey(bytes) { try take(bytes, key: key, &cursor) }
        } catch {
            // What was read before it was cut short is as good.
        }
        guard !text.isEmpty else { return nil }
    }

    private mutating func take(
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
