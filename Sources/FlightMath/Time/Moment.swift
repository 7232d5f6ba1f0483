public import ReceiverProtocol

/// The time of an event on both clocks.
///
/// Ages are computed from `monotonic` only. `wall` is published, and may be wrong until the clock is set.
public struct Moment: Hashable, Sendable {
    public var monotonic: MonotonicTime
    public var wall: WallTime
    /// Whether NTP or GPS sets the machine's clock. False on a box without clock battery and network.
    public var isClockSynced: Bool

    public init(monotonic: MonotonicTime, wall: WallTime, isClockSynced: Bool) {
        self.monotonic = monotonic
        self.wall = wall
        self.isClockSynced = isClockSynced
    }

    /// The moment when the wall clock showed `time`. If `time` is in the future, ``monotonic`` is that of this moment.
    public func earlier(at time: WallTime) -> Moment {
        let age = max(.zero, wall.duration(since: time))
        return Moment(monotonic: monotonic.advanced(by: .zero - age), wall: time, isClockSynced: isClockSynced)
    }

    /// The moment when the monotonic clock showed `time`; now if `time` is in the future.
    public func earlier(at time: MonotonicTime) -> Moment {
        let age = max(.zero, monotonic.duration(since: time))
        return Moment(
            monotonic: monotonic.advanced(by: .zero - age), wall: wall.advanced(by: .zero - age),
            isClockSynced: isClockSynced)
    }

    /// The moment so much later, on both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(
            monotonic: monotonic.advanced(by: duration), wall: wall.advanced(by: duration),
            isClockSynced: isClockSynced)
    }

    /// Measured on the monotonic clock.
    public func duration(since earlier: Moment) -> Duration { monotonic.duration(since: earlier.monotonic) }
}
