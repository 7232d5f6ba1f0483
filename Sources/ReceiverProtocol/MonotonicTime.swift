/// A point on a clock that never goes back: the machine's monotonic clock, or a test's.
///
/// The pure targets never read a clock: each event brings its instant. The unit is nanoseconds since an arbitrary
/// origin, so only differences have a meaning.
public struct MonotonicTime: Hashable, Comparable, Sendable, InstantProtocol {
    public typealias Duration = Swift.Duration

    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static let zero = MonotonicTime(nanoseconds: 0)

    /// Saturates at the limits of `Int64`, which no clock reaches.
    public func advanced(by duration: Duration) -> MonotonicTime {
        let change = duration.wholeNanoseconds
        let (sum, overflows) = nanoseconds.addingReportingOverflow(change)
        return MonotonicTime(nanoseconds: overflows ? (change < 0 ? .min : .max) : sum)
    }

    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    /// Negative if `earlier` is in fact later.
    public func duration(since earlier: MonotonicTime) -> Duration { earlier.duration(to: self) }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The earliest of several deadlines; nil if all are nil.
    public static func earliest(_ deadlines: MonotonicTime?...) -> MonotonicTime? {
        deadlines.compactMap { $0 }.min()
    }

    /// The latest of several times; nil if all are nil.
    public static func latest(_ times: MonotonicTime?...) -> MonotonicTime? { times.compactMap { $0 }.max() }

    /// Whether a deadline has come; false without one.
    public func hasReached(_ deadline: MonotonicTime?) -> Bool {
        if let deadline { self >= deadline } else { false }
    }
}

extension Duration {
    /// A century: longer than any wait of the gateway, and short enough that sums do not overflow.
    private static let longestSeconds = 3_155_760_000.0

    /// Converts an untrusted number: NaN becomes zero, and a value beyond a century is limited to it.
    public static func seconds(clamping seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(-longestSeconds, seconds), longestSeconds))
    }

    /// Rounded towards zero; limited to ± 292 years.
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsToo) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows || overflowsToo ? (seconds < 0 ? .min : .max) : sum
    }

    /// Rounded towards zero.
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }

    /// For arithmetic with other units, and for texts. Rounded to nanoseconds.
    public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
