/// The wall clock was wrong and has been set.
public struct ClockStep: Equatable, Sendable {
    /// By how much the times were wrong, milliseconds.
    public var milliseconds: Int64
    /// An earlier time comes from an earlier run, whose clock was another one, and stays.
    public var since: WallTime

    /// - Parameters:
    ///   - milliseconds: positive if the clock was behind.
    ///   - since: when this run began, by the wrong clock.
    public init(byMilliseconds milliseconds: Int64, since: WallTime) {
        (self.milliseconds, self.since) = (milliseconds, since)
    }

    /// - Parameter time: of this run by the wrong clock, or of an earlier run.
    public func corrected(_ time: WallTime) -> WallTime {
        time >= since ? time.advanced(byMilliseconds: milliseconds) : time
    }
}

/// A value with times of day.
package protocol HoldsTimes: Sendable {
    /// Replaces each time in the value that is by this machine's clock. SondeHub's times are right and stay.
    mutating func replaceTimes(_ replacement: (WallTime) -> WallTime)
}

extension HoldsTimes {
    package func replacingTimes(_ replacement: (WallTime) -> WallTime) -> Self {
        var value = self
        value.replaceTimes(replacement)
        return value
    }

    /// The value with its times by the clock as it is now.
    package func corrected(by step: ClockStep) -> Self { replacingTimes(step.corrected) }
}
