/// A point on a clock that only ever goes forward (the machine's monotonic clock, or a test's).
///
/// The pure targets never read a clock: every event brings its instant along. Unit: nanoseconds since an origin that
/// only the clock's owner knows, so only differences mean anything.
public struct MonotonicTime: Hashable, Comparable, Sendable, InstantProtocol {
    public typealias Duration = Swift.Duration

    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static let zero = MonotonicTime(nanoseconds: 0)

    /// Whole milliseconds from `earlier` to this instant; negative when `earlier` is the later one.
    public func milliseconds(since earlier: MonotonicTime) -> Int64 {
        (nanoseconds &- earlier.nanoseconds) / 1_000_000
    }

    public func advanced(by duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds &+ duration.wholeNanoseconds)
    }

    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    public func duration(since earlier: MonotonicTime) -> Duration { earlier.duration(to: self) }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// Rounded towards zero; clamped to ± 292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return scaled &+ attoseconds / 1_000_000_000
    }

    /// Rounded towards zero.
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

    public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}

extension MonotonicTime {
    public func advanced(by seconds: Double) -> MonotonicTime { advanced(by: .seconds(seconds)) }
}
