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

    /// Saturating: no clock gets there.
    public func advanced(by duration: Duration) -> MonotonicTime {
        let change = duration.wholeNanoseconds
        let (sum, overflows) = nanoseconds.addingReportingOverflow(change)
        return MonotonicTime(nanoseconds: overflows ? (change < 0 ? .min : .max) : sum)
    }

    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    /// Negative when `earlier` is the later one.
    public func duration(since earlier: MonotonicTime) -> Duration { earlier.duration(to: self) }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The first of several deadlines, of which some, or all, may not be set.
    public static func earliest(_ deadlines: MonotonicTime?...) -> MonotonicTime? {
        var earliest: MonotonicTime?
        for case let deadline? in deadlines { earliest = min(earliest ?? deadline, deadline) }
        return earliest
    }
}

extension Duration {
    /// A century: further than any time that is waited for, and no sum of such overflows.
    private static let longestSeconds = 3_155_760_000.0

    /// A number that came from outside: not a number is zero, and what is too long is cut to a century.
    public static func seconds(clamping seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(-longestSeconds, seconds), longestSeconds))
    }

    /// Rounded towards zero; clamped to ± 292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }

    /// Rounded towards zero.
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

    /// For arithmetic with other units, and for texts.
    public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
