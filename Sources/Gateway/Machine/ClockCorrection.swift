public import FlightMath
import ReceiverProtocol

/// Corrects the machine's clock. The corrected time follows the machine's clock, but ignores its jumps once that clock
/// was right.
///
/// A box without clock battery starts hours or years off, and the network sets its clock later. The corrected time
/// follows that. Until then SondeHub's clock is better than the machine's. If the machine's clock was right and then
/// jumps, the jump is ignored: otherwise published times would go back, or run ahead of SondeHub.
///
///     machine's clock   SondeHub's answer   corrected time
///     wrong             -                   the machine's, but never before the newest time of an earlier run
///     wrong             17:02               17:02, continued with the monotonic clock
///     set (synced)      -                   the machine's, from now on
///     right, then jumps -                   continues as before the jump
///     the same, but the sonde has flown on  follows the jump: the computer stood still
public struct ClockCorrection: Equatable, Sendable {
    /// If the clock moves by more than this relative to the monotonic one, it was set, milliseconds.
    static let tolerance: Int64 = 2000
    /// An answer's time is as old as its way and its download. So a learnt time only goes back if an answer is further
    /// behind than any download takes, milliseconds.
    private static let oldestAnswer: Int64 = 300_000

    /// The corrected time is right: the machine's clock was synchronised, or SondeHub has given the time.
    var isRight: Bool { wasSynced || isLearnt }

    public init() {}

    /// The time that a moment of the machine's clock gets now.
    public func corrected(_ moment: Moment) -> Moment {
        var correction = self
        var corrected = moment
        _ = correction.follow(&corrected)
        return corrected
    }

    enum Change: Equatable {
        /// The clock was wrong and has been set. It moved by this many milliseconds.
        case set(Int64)
        /// The clock was right and jumped by this many milliseconds. The jump is ignored.
        case ignored(Int64)
        /// The computer stood still for this many milliseconds, and its monotonic clock with it. Earlier times were right.
        case stoodStill(Int64)

        var isPause: Bool {
            switch self {
            case .stoodStill: true
            case .set, .ignored: false
            }
        }
    }

    /// The newest time of an earlier run. The corrected time begins there until the clock is known to be right. A box
    /// without clock battery starts with the time of its last shutdown, or of the last hour before a power cut.
    private var notBefore: WallTime?
    /// UTC minus the monotonic clock, milliseconds.
    private var offset: Int64?
    /// The monotonic time of the first event, milliseconds.
    private var begunAt: Int64 = 0
    private var wasSynced = false
    /// The corrected time comes from SondeHub, because the machine's clock is not synchronised.
    private var isLearnt = false
    /// The jump of the machine's clock that is being ignored, milliseconds.
    private var ignored: Int64 = 0
    /// How far the machine's clock has just jumped ahead, milliseconds. Perhaps the computer stood still: a paused virtual
    /// machine has no clock that counts the pause. Nil once the sonde's next position has shown it.
    private(set) var gain: Int64?

    /// Sets the newest time that an earlier run has stored. All times of this run are later.
    /// - Returns: the change of the corrected time; nil before the first event.
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

    /// Corrects `now`.
    /// - Returns: the change of the machine's clock since the last call; nil if there is none.
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
            if (jump &- ignored).magnitude > Self.tolerance.magnitude {
                change = .ignored(jump)
                gain = now.isClockSynced ? jump &- ignored : nil
            }
            ignored = jump
        }
        wasSynced = wasSynced || now.isClockSynced
        isLearnt = isLearnt && !wasSynced
        now.wall = WallTime(millisecondsSince1970: (offset ?? machine) &+ uptime)
        return change
    }

    /// The sonde's next position after the clock has jumped ahead.
    /// - Parameter isPast: whether the sonde has flown on for as long as the clock has jumped.
    mutating func settleGain(isPast: Bool, _ now: inout Moment) -> Change? {
        guard let gain, let line = offset else { return nil }
        self.gain = nil
        // After a longer pause the flight is over.
        guard isPast, gain > 0, Silence(after: .milliseconds(gain)) < .lost else { return nil }
        (offset, ignored) = (line &+ gain, ignored &- gain)
        now.wall = now.wall.advanced(byMilliseconds: gain)
        return .stoodStill(gain)
    }

    /// Uses SondeHub's time while the machine's clock is not synchronised.
    /// - Parameter now: the corrected time, which is corrected again.
    mutating func learn(_ utc: WallTime, _ now: inout Moment) -> Change? {
        guard !now.isClockSynced, !wasSynced, utc > notBefore ?? utc.advanced(byMilliseconds: -1) else { return nil }
        let difference = utc.millisecondsSince1970 &- now.wall.millisecondsSince1970
        if isLearnt, (-Self.oldestAnswer...0).contains(difference) { return nil }
        isLearnt = true
        guard difference.magnitude > Self.tolerance.magnitude, let line = offset else { return nil }
        offset = line &+ difference
        now.wall = utc
        return .set(difference)
    }
}
