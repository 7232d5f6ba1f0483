import ReceiverProtocol

extension WallTime {
    public func advanced(by duration: Duration) -> WallTime { advanced(byMilliseconds: duration.wholeMilliseconds) }

    /// Negative if `earlier` is the later one.
    public func duration(since earlier: WallTime) -> Duration {
        .milliseconds(millisecondsSince1970 &- earlier.millisecondsSince1970)
    }
}
