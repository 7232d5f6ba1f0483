import GatewayReports
public import ReceiverProtocol

/// One line of the raw log: bytes of the receiver and the time of their arrival. Recorded sessions serve as fixtures.
///
/// `{"monotonic_ns":123,"wall":"2026-11-21T13:09:26.001Z","session":1,"hex":"302f52…"}`
public struct RawLogRecord: Equatable, Sendable {
    /// The monotonic time. Only differences within one recording process are meaningful.
    public var monotonic: MonotonicTime
    /// ISO 8601 UTC.
    public var wall: String
    /// The number of the link in the recording process, counted from 1.
    public var session: Int
    public var bytes: [UInt8]

    public init(monotonic: MonotonicTime, wall: String, session: Int, bytes: [UInt8]) {
        self.monotonic = monotonic
        self.wall = wall
        self.session = session
        self.bytes = bytes
    }

    /// The line without its line feed.
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
    /// Two lower-case hex digits for each byte.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
