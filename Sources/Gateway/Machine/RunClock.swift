import FlightMath
import ReceiverProtocol

/// Gives moments of this run their time of day when they are written out. A moment is measured on the monotonic clock.
/// If the wall clock was wrong then and has been set since, the moment gets the time by the present clock.
///
///     12:00 by a wrong clock    a state begins       since 12:00
///     12:10 by a wrong clock    set to 14:10         since 14:00
struct RunClock: Equatable, Sendable {
    /// A clock that has moved by more than this relative to the monotonic one was set, milliseconds.
    private static let tolerance: Int64 = 2000

    /// UTC minus the monotonic clock, milliseconds; nil before the first event. It changes only when the clock is set.
    private var offset: Int64?

    private static func offset(of moment: Moment) -> Int64 {
        moment.wall.millisecondsSince1970 &- moment.monotonic.nanoseconds / 1_000_000
    }

    private static func differ(_ left: Int64, _ right: Int64) -> Bool {
        (left &- right).magnitude > tolerance.magnitude
    }

    /// Follows the corrected time of an event.
    mutating func follow(_ now: Moment) {
        let present = Self.offset(of: now)
        if offset.map({ Self.differ($0, present) }) ?? true { offset = present }
    }

    /// The moment with its time of day by the present clock.
    func rendered(_ moment: Moment) -> Moment {
        guard let offset, Self.differ(offset, Self.offset(of: moment)) else { return moment }
        var rendered = moment
        rendered.wall = WallTime(millisecondsSince1970: offset &+ moment.monotonic.nanoseconds / 1_000_000)
        return rendered
    }
}
