import FlightMath
import ReceiverProtocol

/// Corrects the machine's clock to the gateway's own line of UTC: it follows the machine's clock, but never its jumps once
/// that was in order.
///
/// A box without clock battery starts hours or years off and is set when the network comes; that is followed. Until
/// then SondeHub's clock is better than the machine's. A machine whose clock was right and then jumps is not followed:
/// what was published would go back in time, or run ahead of SondeHub by the jump.
///
///     machine's clock   SondeHub's answer   the line
///     wrong             -                   the machine's, but never before what an earlier run has stored
///     wrong             17:02               17:02, and on from there by the monotonic clock
///     set (synced)      -                   the machine's, from now on
///     right, then jumps -                   goes on as before the jump
struct ClockCorrection: Equatable, Sendable {
    /// A clock that moves by more than this against the monotonic one has been set, milliseconds.
    private static let tolerance: Int64 = 2000

    enum Change: Equatable {
        /// The clock was wrong and has been set; it moved by so many milliseconds.
        case set(Int64)
        /// The clock was right and jumped by so many milliseconds; not followed.
        case ignored(Int64)
    }

    /// Nothing that happens now was earlier: where the line begins while the clock is not known to be right. A box
    /// without clock battery starts with the time of its last shutdown, or of the last hour before a power cut.
    private var notBefore: WallTime?
    /// UTC less the monotonic clock, milliseconds.
    private var offset: Int64?
    /// When the line began, by the monotonic clock, milliseconds.
    private var begunAt: Int64 = 0
    private var wasSynced = false
    /// The line is SondeHub's: better than a machine's clock that is not in order.
    private var isLearnt = false
    private var ignored: Int64 = 0

    /// An earlier run has stored something as late as `newest`: all of this run was later.
    /// - Returns: how the line moved, if it had begun already.
    mutating func begin(after newest: WallTime, at now: Moment) -> Change? {
        notBefore = newest
        guard let line = offset, !now.isClockSynced, !wasSynced, !isLearnt else { return nil }
        let behind = newest.millisecondsSince1970 &+ 1 &- (line &+ begunAt)
        guard behind > 0 else { return nil }
        offset = line &+ behind
        ignored = ignored &- behind
        return .set(behind)
    }

    private mutating func beginning(_ machine: Int64, _ now: Moment) -> Int64 {
        guard let notBefore, !now.isClockSynced, now.wall <= notBefore else { return machine }
        let line = machine &+ (notBefore.millisecondsSince1970 &+ 1 &- now.wall.millisecondsSince1970)
        offset = line
        ignored = machine &- line
        return line
    }

    /// Puts `now` on the line.
    /// - Returns: what happened to the machine's clock since the last call, if anything.
    mutating func follow(_ now: inout Moment) -> Change? {
        let uptime = now.monotonic.nanoseconds / 1_000_000
        let machine = now.wall.millisecondsSince1970 &- uptime
        if offset == nil { begunAt = uptime }
        let line = offset ?? beginning(machine, now)
        if isLearnt, !now.isClockSynced {
            now.wall = WallTime(millisecondsSince1970: line &+ uptime)
            return nil
        }
        let jump = machine &- line
        var change: Change?
        if jump.magnitude <= Self.tolerance.magnitude {
            offset = machine
            ignored = 0
        } else if !wasSynced && (now.isClockSynced || jump > 0) {
            offset = machine
            change = .set(jump)
        } else {
            offset = line
            if (jump &- ignored).magnitude > Self.tolerance.magnitude { change = .ignored(jump) }
            ignored = jump
        }
        wasSynced = wasSynced || now.isClockSynced
        isLearnt = isLearnt && !wasSynced
        now.wall = WallTime(millisecondsSince1970: (offset ?? machine) &+ uptime)
        return change
    }

    /// SondeHub says what time it is. Taken while the machine's own clock is not in order.
    /// - Parameter now: on the line; put on the new one.
    mutating func learn(_ utc: WallTime, _ now: inout Moment) -> Change? {
        guard !now.isClockSynced, !wasSynced, utc > notBefore ?? utc.advanced(byMilliseconds: -1) else { return nil }
        let difference = utc.millisecondsSince1970 &- now.wall.millisecondsSince1970
        isLearnt = true
        guard difference.magnitude > Self.tolerance.magnitude, let line = offset else { return nil }
        offset = line &+ difference
        now.wall = utc
        return .set(difference)
    }
}
