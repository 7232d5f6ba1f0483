import ReceiverProtocol

/// The gateway's own line of UTC: follows the machine's clock, but never its jumps once that was in order.
///
/// A box without clock battery starts hours or years off and is set when the network comes; that is followed. A
/// machine whose clock was right and then jumps is not: what was published would go back in time, or run ahead of
/// SondeHub by the jump.
struct UTCLine: Equatable, Sendable {
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
    var notBefore: WallTime?
    private var offset: Int64?
    private var wasSynced = false
    private var ignored: Int64 = 0

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
        let machine = now.wall.millisecondsSince1970 &- now.monotonic.nanoseconds / 1_000_000
        let line = offset ?? beginning(machine, now)
        let jump = machine &- line
        var change: Change?
        if abs(jump) <= Self.tolerance {
            offset = machine
            ignored = 0
        } else if !wasSynced && (now.isClockSynced || jump > 0) {
            offset = machine
            change = .set(jump)
        } else {
            offset = line
            if abs(jump &- ignored) > Self.tolerance { change = .ignored(jump) }
            ignored = jump
        }
        wasSynced = wasSynced || now.isClockSynced
        now.wall = WallTime(millisecondsSince1970: (offset ?? machine) &+ now.monotonic.nanoseconds / 1_000_000)
        return change
    }
}
