import GatewayReports
public import ReceiverProtocol

/// One line of the raw log: bytes as they came from the receiver, and when. A recorded session becomes a fixture.
///
/// `{"monotonic_ns":123,"wall":"2026-11-21T13:09:26.001Z","session":1,"hex":"302f52…"}`
public struct RawLogRecord: Equatable, Sendable {
    /// Only differences mean anything, and only within a recording process.
    public var monotonic: MonotonicTime
    /// ISO 8601 UTC.
    public var wall: String
    /// Counts the links of the recording process from 1.
    public var session: Int
    public var bytes: [UInt8]

    public init(monotonic: MonotonicTime, wall: String, session: Int, bytes: [UInt8]) {
        self.monotonic = monotonic
        self.wall = wall
        self.session = session
        self.bytes = bytes
    }

    /// The line, without its end.
    public var line: [UInt8] {
        var json = JSONText()
        json.field("monotonic_ns", Int(monotonic.nanoseconds))
        json.field("wall", wall)
        json.field("session", session)
        json.field("hex", bytes.hex)
        return json.object
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
