/// A point on a clock that only ever goes forward (the machine's monotonic clock, or a test's).
///
/// The pure targets never read a clock: every event brings its instant along. Unit: nanoseconds since an origin that
/// only the clock's owner knows, so only differences mean anything.
public struct MonotonicTime: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static let zero = MonotonicTime(nanoseconds: 0)

    /// Whole milliseconds from `earlier` to this instant; negative when `earlier` is the later one.
    public func milliseconds(since earlier: MonotonicTime) -> Int64 {
        (nanoseconds &- earlier.nanoseconds) / 1_000_000
    }

    public func advanced(by seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: nanoseconds &+ Int64(seconds * 1_000_000_000))
    }

    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
