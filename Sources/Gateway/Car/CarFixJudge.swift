import FlightMath
import GatewayReports
import ReceiverProtocol

/// Decides which fixes of one source are used.
///
/// | a fix | result |
/// | --- | --- |
/// | with an accuracy worse than 100 m, or out of range | refused |
/// | with a time more than 10 s off (OwnTracks: more than 60 s old) while the clock is right | refused |
/// | the same from gpsd or NMEA, if its time has advanced like our clock for 3 s | used: only the date is wrong |
/// | retained by the broker, without a time or while the clock may be wrong | refused |
/// | with the same time as the last one | used: it completes the same epoch |
/// | with an earlier time, or one that has leapt ahead | refused, until a second one continues it for 1 s |
/// | to which the car would have driven faster than 90 m/s | refused, until 3 that agree have come over 10 s |
struct CarFixJudge: Equatable, Sendable {
    /// A worse accuracy is refused, metres.
    private static let worstAccuracy = 100.0
    /// A source's clock may be off by this much.
    private static let clockTolerance = Duration.seconds(10)
    /// Two times continue one another if they advance like our clock, within this tolerance.
    private static let steadiness = Duration.seconds(2)
    /// After a leap of the time, two fixes must continue one another for this long.
    private static let leapSpan = Duration.seconds(1)
    /// A wrong date must advance like our clock for this long before its fixes are used.
    private static let dateSpan = Duration.seconds(3)
    /// A fix may be off by this much without motion, metres.
    private static let jitterMetres = 100.0
    /// A jump is accepted after this many fixes that agree and span this time.
    private static let jump = (fixes: 3, span: Duration.seconds(10))
    /// The least time between two log entries about jumps. Two devices with one name jump at each fix.
    private static let jumpToldFor = Duration.seconds(600)
    /// The longest time between two fixes of a jump.
    private static let longestPause = Duration.seconds(300)

    /// A source's own time, and the time of its arrival.
    struct Arrival: Equatable, Sendable {
        var time: WallTime
        var at: MonotonicTime

        /// How much more the source's clock has advanced than ours since this arrival; negative if less.
        func lead(of next: Arrival) -> Duration {
            next.time.duration(since: time) - next.at.duration(since: at)
        }
    }

    /// The fixes after a jump, which agree with one another.
    private struct Jump: Equatable, Sendable {
        var since: MonotonicTime
        var count: Int
        var place: Coordinate
        var at: MonotonicTime
    }

    /// The first and the newest fix with a wrong date that advances like our clock.
    private struct WrongDate: Equatable, Sendable {
        var first: Arrival
        var last: Arrival

        func isContinued(by next: Arrival) -> Bool {
            last.time <= next.time && last.lead(of: next).magnitude <= CarFixJudge.steadiness
        }
    }

    /// The first fix after a leap of the time.
    private var leapt: Arrival?
    private var wrongDate: WrongDate?
    private var isDateTold = false
    private var jumped: Jump?
    private var tellJumpFrom = MonotonicTime.zero

    /// How far the source's time may be behind. For OwnTracks this is the age that a fix may have.
    static func tolerance(of source: CarSource) -> Duration { max(source.freshness, clockTolerance) }

    /// - Parameters:
    ///   - last: the source's last fix; nil if it is too old or had no time.
    ///   - lastKnown: the car's last position from any source.
    /// - Returns: nil if the fix is used.
    mutating func judge(
        _ fix: CarFix, after last: Arrival?, lastKnown: CarPosition?, _ turn: inout Turn
    ) -> CarFixRefusal? {
        let place = fix.coordinate
        guard place.isOnEarth, place.latitude != 0 || place.longitude != 0 else { return .invalid }
        // Written so that it refuses NaN, too.
        if let accuracy = fix.accuracyMetres, !(accuracy <= Self.worstAccuracy) { return .inaccurate }
        if let refusal = judgeTime(of: fix, after: last, &turn) { return refusal }
        return judgePlace(of: fix, lastKnown: lastKnown, &turn)
    }

    // MARK: - Time

    private mutating func judgeTime(
        of fix: CarFix, after last: Arrival?, _ turn: inout Turn
    ) -> CarFixRefusal? {
        let now = turn.now
        guard let time = fix.time else { return fix.isRetained ? .wrongTime : nil }
        let arrival = Arrival(time: time, at: now.monotonic)
        if now.isClockSynced {
            let age = now.wall.duration(since: time)
            let isRight = age >= .zero - Self.clockTolerance && age <= Self.tolerance(of: fix.source)
            if isRight {
                wrongDate = nil
            } else if !fix.source.hasReceiverTime || !movesOn(arrival, off: age, &turn) {
                return .wrongTime
            }
        } else if fix.isRetained {
            return .wrongTime
        }
        guard let last else {
            leapt = nil
            return nil
        }
        return judge(arrival, after: last, of: fix.source)
    }

    /// Whether a wrong date has advanced like our clock for long enough. A GPS receiver with the week rollover (1024
    /// weeks off) or wrong leap seconds still has a correct position.
    private mutating func movesOn(_ next: Arrival, off: Duration, _ turn: inout Turn) -> Bool {
        var first = next
        if let before = wrongDate, before.isContinued(by: next) { first = before.first }
        wrongDate = WrongDate(first: first, last: next)
        guard next.at.duration(since: first.at) >= Self.dateSpan, first.lead(of: next).magnitude <= Self.steadiness
        else { return false }
        if !isDateTold {
            isDateTold = true
            turn.note(
                .warning, "the GPS receiver's date is wrong; its fixes count by their arrival",
                facts: ["off": Self.words(off)])
        }
        return true
    }

    /// `19 years`, `18 seconds`
    static func words(_ duration: Duration) -> String {
        let seconds = Int(clamping: duration.magnitude.components.seconds)
        switch seconds {
        case ..<120: return "\(seconds) seconds"
        case ..<7200: return "\(seconds / 60) minutes"
        case ..<172_800: return "\(seconds / 3600) hours"
        case ..<63_072_000: return "\(seconds / 86_400) days"
        default: return "\(seconds / 31_557_600) years"
        }
    }

    /// Judges a fix by the times of this fix and the one before. One wrong time must not block the correct ones after
    /// it.
    private mutating func judge(_ next: Arrival, after before: Arrival, of source: CarSource) -> CarFixRefusal? {
        let tolerance = Self.tolerance(of: source)
        let lead = before.lead(of: next)
        let isBack = next.time < before.time
        guard isBack || lead > tolerance else {
            leapt = nil
            return nil
        }
        guard lead.magnitude > tolerance else { return .backwards }
        if let first = leapt, first.lead(of: next).magnitude <= Self.steadiness {
            if next.at.duration(since: first.at) >= Self.leapSpan {
                leapt = nil
                return nil
            }
        } else {
            leapt = next
        }
        return isBack ? .backwards : .wrongTime
    }

    // MARK: - Place

    private mutating func judgePlace(
        of fix: CarFix, lastKnown: CarPosition?, _ turn: inout Turn
    ) -> CarFixRefusal? {
        let now = turn.now.monotonic
        guard let lastKnown, !Self.isDriven(from: lastKnown.coordinate, at: lastKnown.heardAt, to: fix, at: now) else {
            jumped = nil
            return nil
        }
        if let last = jumped, now.duration(since: last.at) <= Self.longestPause,
            Self.isDriven(from: last.place, at: last.at, to: fix, at: now)
        {
            jumped = Jump(since: last.since, count: last.count + 1, place: fix.coordinate, at: now)
        } else {
            jumped = Jump(since: now, count: 1, place: fix.coordinate, at: now)
            tellJump(of: fix.source, &turn)
        }
        guard let jumped, jumped.count >= Self.jump.fixes, now.duration(since: jumped.since) >= Self.jump.span else {
            return .jump
        }
        self.jumped = nil
        return nil
    }

    private mutating func tellJump(of source: CarSource, _ turn: inout Turn) {
        let now = turn.now.monotonic
        guard now >= tellJumpFrom else { return }
        tellJumpFrom = now.advanced(by: Self.jumpToldFor)
        turn.note(
            .warning, "the car has jumped; its new place counts when three fixes agree",
            facts: ["source": source.rawValue])
    }

    private static func isDriven(
        from place: Coordinate, at then: MonotonicTime, to fix: CarFix, at now: MonotonicTime
    ) -> Bool {
        let metres = place.distanceMetres(to: fix.coordinate) - jitterMetres
        return metres <= CarPosition.fastest * max(1, now.duration(since: then).inSeconds)
    }
}

extension Duration {
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
