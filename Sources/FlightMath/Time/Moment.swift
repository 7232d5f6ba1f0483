public import ReceiverProtocol

/// When an event happened, on both clocks.
///
/// Ages come from `monotonic` only; `wall` is what gets published, and may be wrong until the clock is set.
public struct Moment: Hashable, Sendable {
    public var monotonic: MonotonicTime
    public var wall: WallTime
    /// The machine's clock is disciplined (NTP or GPS); false on a box without clock battery and network.
    public var isClockSynced: Bool

    public init(monotonic: MonotonicTime, wall: WallTime, isClockSynced: Bool) {
        self.monotonic = monotonic
        self.wall = wall
        self.isClockSynced = isClockSynced
    }

    /// When the wall clock showed `time`; what it has yet to show is dated now on the other clock.
    public func earlier(at time: WallTime) -> Moment {
        let age = max(.zero, wall.duration(since: time))
        return Moment(monotonic: monotonic.advanced(by: .zero - age), wall: time, isClockSynced: isClockSynced)
    }

    /// When the monotonic clock showed `time`, now at the latest.
    public func earlier(at time: MonotonicTime) -> Moment {
        let age = max(.zero, monotonic.duration(since: time))
        return Moment(
            monotonic: monotonic.advanced(by: .zero - age), wall: wall.advanced(by: .zero - age),
            isClockSynced: isClockSynced)
    }

    /// By the monotonic clock.
    public func duration(since earlier: Moment) -> Duration { monotonic.duration(since: earlier.monotonic) }
}
