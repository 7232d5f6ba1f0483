import FlightMath
import ReceiverProtocol

/// Gives moments of this run their time of day when they are written out. A moment is measured on the monotonic clock.
/// If the wall clock was wrong then and has been set since, the moment gets the time by the present clock.
///
///     12:00 by a wrong clock    a state begins       since 12:00
///     12:10 by a wrong clock    set to 14:10         since 14:00
struct RunClock: Equatable, Sendable {
    /// The clock, once the first event has come.
    private struct Line: Equatable {
        /// UTC minus the monotonic clock, milliseconds. It changes only when the clock is set.
        var offset: Int64
        /// The monotonic time of the first event, milliseconds. Earlier times are from an earlier run.
        let began: Int64
        /// The monotonic time at which the computer went on after it stood still; nil before. Earlier times were right.
        var resumed: Int64?

        /// Times from here on follow the clock when it is set.
        var since: Int64 { max(began, resumed ?? began) }
    }

    private var line: Line?

    private static func uptime(of moment: Moment) -> Int64 { moment.monotonic.nanoseconds / 1_000_000 }

    private static func offset(of moment: Moment) -> Int64 {
        moment.wall.millisecondsSince1970 &- uptime(of: moment)
    }

    private static func differ(_ left: Int64, _ right: Int64) -> Bool {
        (left &- right).magnitude > ClockCorrection.tolerance.magnitude
    }

    /// Follows the corrected time of an event.
    /// - Parameter isResuming: the computer stood still, and its monotonic clock with it. All earlier times stay.
    mutating func follow(_ now: Moment, afterPause isResuming: Bool = false) {
        let present = Self.offset(of: now)
        guard let line else { return line = Line(offset: present, began: Self.uptime(of: now)) }
        if Self.differ(line.offset, present) { self.line?.offset = present }
        if isResuming { self.line?.resumed = Self.uptime(of: now) }
    }

    /// The moment of this run with its time of day by the present clock.
    func rendered(_ moment: Moment) -> Moment {
        guard let line, Self.differ(line.offset, Self.offset(of: moment)),
            line.resumed.map({ Self.uptime(of: moment) >= $0 }) ?? true
        else { return moment }
        var rendered = moment
        rendered.wall = WallTime(millisecondsSince1970: line.offset &+ Self.uptime(of: moment))
        return rendered
    }

    /// The same for a moment that may be from an earlier run, whose clock was another one. Such a moment stays.
    func corrected(_ moment: Moment) -> Moment {
        guard let line, Self.uptime(of: moment) >= line.began else { return moment }
        return rendered(moment)
    }

    /// A time of day by the present clock. Times before this run stay.
    /// - Parameter old: the clock that gave the time.
    func corrected(_ time: WallTime, by old: RunClock) -> WallTime {
        guard let line, let then = old.line?.offset, Self.differ(line.offset, then),
            time.millisecondsSince1970 &- then >= line.since
        else { return time }
        return time.advanced(byMilliseconds: line.offset &- then)
    }
}
