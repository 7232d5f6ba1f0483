import ReceiverProtocol
import Testing

@Suite struct MonotonicTimeTests {
    /// An untrusted number of seconds -> the duration.
    @Test(
        arguments: [
            (1.5, .milliseconds(1500)), (-2, .seconds(-2)), (.nan, .zero), (.infinity, .seconds(3_155_760_000)),
            (-1e300, .seconds(-3_155_760_000)),
        ] as [(Double, Duration)])
    func anyNumberOfSecondsIsClamped(_ seconds: Double, _ span: Duration) {
        #expect(Duration.seconds(clamping: seconds) == span)
    }

    /// No duration, however long, crashes or wraps into the past.
    @Test(
        arguments: [
            (.zero, .seconds(Int64.max), Int64.max), (.zero, .seconds(Int64.min), Int64.min),
            (MonotonicTime(nanoseconds: .max - 1), .seconds(1), Int64.max),
            (MonotonicTime(nanoseconds: .min + 1), .seconds(-1), Int64.min),
            (.zero, .seconds(9_223_372_036) + .nanoseconds(999_999_999), Int64.max),
            (MonotonicTime(nanoseconds: 5), .nanoseconds(-7), -2),
        ] as [(MonotonicTime, Duration, Int64)])
    func saturates(_ time: MonotonicTime, _ span: Duration, _ nanoseconds: Int64) {
        #expect(time.advanced(by: span).nanoseconds == nanoseconds)
    }
}
