/// Finds frames in a byte stream that may be split anywhere: single bytes, 20-byte notifications, many frames at once.
///
/// A frame ends where its token count is legal for its type *and* its last token is exactly `o`. So `/o` inside a
/// callsign does not end it. Garbage or a lost chunk destroys only the frames it touches: the Deframer starts again at
/// the next line end, or at the next place where a frame can start. ``maximumRun`` bounds the memory.
///
/// | bytes, `¦` where a notification ends | result |
/// | --- | --- |
/// | `0/RS41/403.500/ ¦ 117.5/100/4274/0/2.30/o` | a frame |
/// | `3/RS41/…/HB9/o/…/o` (a callsign that ends in `/o`) | a frame, at the second `/o`: at the first too few tokens |
/// | `1/RS41/403.5 ¦ 0/RS41/…/o` (a chunk was lost) | rejected as unfinished, then a frame |
/// | `0/RS41/403.500/o` | waits, because it may be a callsign's `/o`; rejected with the next line end or frame |
/// | `hello` and a line end | rejected as garbage |
/// | `1/RS41/403.5rst:0x1 (POWERON_RESET)` and a line end | rejected as boot text: the receiver has restarted |
/// | `7/RS41/…` and a line end | rejected as an unknown type |
/// | `1/RS41/403.5`, then nothing for 2 s | rejected as unfinished |
/// | 512 bytes without an end | rejected as overlong, up to the next place where a frame can start |
public struct Deframer: Sendable {
    /// The result for a run of bytes: a frame, or the reason why the bytes are no frame.
    public enum Run: Equatable, Sendable {
        case frame(Frame)
        /// The bytes are no frame.
        case rejected(FrameRejection)
    }

    /// A run that reaches this length without an end is dropped, bytes. The longest frame is shorter.
    public static let maximumRun = 512
    /// An unfinished frame is dropped after this time without bytes.
    public static let idleLimit = Duration.seconds(2)

    private var buffer: [UInt8] = []
    private var tokenCount = 1
    private var lastByteAt = MonotonicTime.zero

    public init() {
        buffer.reserveCapacity(Self.maximumRun)
    }

    /// Whether the Deframer holds bytes of an unfinished frame.
    public var isMidFrame: Bool { !buffer.isEmpty }

    /// Adds the bytes that arrived at `now`, and hands out the runs that they complete, in order.
    ///
    /// - Parameter receive: gets each run with its bytes. The bytes are valid only during the call.
    public mutating func append(_ bytes: Span<UInt8>, at now: MonotonicTime, _ receive: (Run, Span<UInt8>) -> Void) {
        dropIdle(at: now, receive)
        if bytes.count > 0 { lastByteAt = now }
        for index in bytes.indices {
            append(bytes[index], receive)
        }
    }

    /// Drops an unfinished frame after ``idleLimit`` without a byte.
    public mutating func dropIdle(at now: MonotonicTime, _ receive: (Run, Span<UInt8>) -> Void) {
        guard isMidFrame, now >= lastByteAt.advanced(by: Self.idleLimit) else { return }
        reject(upTo: buffer.count, receive)
    }

    /// Drops the bytes held, because the link closed.
    public mutating func reset(_ receive: (Run, Span<UInt8>) -> Void) {
        if isMidFrame { reject(upTo: buffer.count, receive) }
    }

    private mutating func append(_ byte: UInt8, _ receive: (Run, Span<UInt8>) -> Void) {
        switch byte {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
            if isMidFrame { reject(upTo: buffer.count, receive) }
            return
        case UInt8(ascii: "/"):
            tokenCount += 1
        default:
            break
        }
        buffer.append(byte)
        if byte == UInt8(ascii: "o"), buffer.count >= 2, buffer[buffer.count - 2] == UInt8(ascii: "/") {
            terminatorSeen(receive)
        }
        if buffer.count >= Self.maximumRun { dropOverlong(receive) }
    }

    /// Hands out the frame, if the bytes up to this `/o` complete one.
    private mutating func terminatorSeen(_ receive: (Run, Span<UInt8>) -> Void) {
        switch frame(from: 0, tokenCount: tokenCount) {
        case nil: deliverLaterStart(receive)
        case .success(let frame): deliver(.frame(frame), receive)
        case .failure(let reason):
            if !deliverLaterStart(receive) { deliver(.rejected(reason), receive) }
        }
    }

    /// Looks for a frame that starts later in the bytes, after the remains of a damaged one, and hands both out.
    /// - Returns: false if no such frame exists; then nothing is handed out.
    @discardableResult
    private mutating func deliverLaterStart(_ receive: (Run, Span<UInt8>) -> Void) -> Bool {
        for start in laterStarts() {
            let count = 1 + buffer[start...].count { $0 == UInt8(ascii: "/") }
            guard case .success(let frame) = frame(from: start, tokenCount: count) else { continue }
            reject(upTo: start, receive)
            deliver(.frame(frame), receive)
            return true
        }
        return false
    }

    /// - Returns: nil if the token count is not legal, so that more tokens must come.
    private func frame(from start: Int, tokenCount: Int) -> Result<Frame, FrameRejection>? {
        guard FrameLayout.isLegal(type: typeDigit(at: start), count: tokenCount) else { return nil }
        do throws(FrameRejection) {
            return .success(try FrameParser.parse(buffer.span.extracting(start..<buffer.count)))
        } catch {
            return .failure(error)
        }
    }

    private mutating func deliver(_ run: Run, _ receive: (Run, Span<UInt8>) -> Void) {
        receive(run, buffer.span)
        buffer.removeAll(keepingCapacity: true)
        tokenCount = 1
    }

    private mutating func dropOverlong(_ receive: (Run, Span<UInt8>) -> Void) {
        // If no later start is found, the last bytes may still begin a frame whose start is too short to recognise.
        let keepFrom = laterStarts().first ?? (buffer.count - 16)
        receive(.rejected(.overlong), buffer.span.extracting(0..<keepFrom))
        clear(upTo: keepFrom)
    }

    private mutating func reject(upTo end: Int, _ receive: (Run, Span<UInt8>) -> Void) {
        receive(.rejected(reason(upTo: end)), buffer.span.extracting(0..<end))
        clear(upTo: end)
    }

    private mutating func clear(upTo end: Int) {
        buffer.removeSubrange(0..<end)
        tokenCount = 1 + buffer.count { $0 == UInt8(ascii: "/") }
    }

    private func reason(upTo end: Int) -> FrameRejection {
        if BootText.isIn(buffer[..<end]) { return .bootText }
        switch typeDigit(at: 0) {
        case UInt8(ascii: "0")...UInt8(ascii: "4"):
            let isTerminated = end >= 2 && buffer[end - 1] == UInt8(ascii: "o") && buffer[end - 2] == UInt8(ascii: "/")
            return isTerminated ? .tokenCount : .unfinished
        case UInt8(ascii: "5")...UInt8(ascii: "9"): return .unknownType
        default: return .garbage
        }
    }

    /// The digit of `D/`, or 0 if no frame can start here.
    private func typeDigit(at start: Int) -> UInt8 {
        guard start + 1 < buffer.count, buffer[start + 1] == UInt8(ascii: "/"),
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= buffer[start]
        else { return 0 }
        return buffer[start]
    }
}

extension Deframer {
    /// The places behind the first byte where a frame can start: `D/` right after a terminator, or `D/TYPE/` with a
    /// known type word. Used only when the bytes held are no frame as a whole.
    private func laterStarts() -> [Int] {
        guard buffer.count > 2 else { return [] }
        return (1..<(buffer.count - 1)).filter { start in
            guard UInt8(ascii: "0")...UInt8(ascii: "4") ~= typeDigit(at: start) else { return false }
            let followsTerminator =
                start >= 2 && buffer[start - 1] == UInt8(ascii: "o") && buffer[start - 2] == UInt8(ascii: "/")
            return followsTerminator || Self.typeWords.contains { buffer[(start + 2)...].starts(with: $0) }
        }
    }

    private static let typeWords = SondeType.rows.flatMap(\.words).map { Array($0.utf8) + [UInt8(ascii: "/")] }
}
