import FlightMath
import GatewayReports
import ReceiverProtocol

/// Decides which fixes of one source are used (specification 6.4).
///
/// | a fix | is |
/// | --- | --- |
/// | less accurate than 100 m, nowhere | refused |
/// | whose time is more than 10 s off (OwnTracks: 60 s old at most) while the clock is right | refused |
/// | the same, of a gpsd whose time has moved on with ours for 3 s | used by its arrival: only the date is wrong |
/// | kept by the broker, without a right clock or a time | refused |
/// | with the last one's time | used: it completes the same epoch |
/// | with an earlier time, or one that has leapt | refused, until a second one goes on from it for 1 s |
/// | to which the car would have driven at more than 90 m/s | refused, until 3 that agree have come over 10 s |
struct CarFixJudge: Equatable, Sendable {
    /// Metres.
    private static let worstAccuracy = 100.0
    /// A source's clock may differ from a right one by this.
    private static let clockTolerance = Duration.seconds(10)
    /// Two times go on from one another if they move on as our clock does, to this.
    private static let steadiness = Duration.seconds(2)
    /// For how long two times that have leapt must go on from one another.
    private static let leapSpan = Duration.seconds(1)
    /// For how long a wrong date must move on with our clock.
    private static let dateSpan = Duration.seconds(3)
    /// No car is faster, m/s.
    private static let fastest = 90.0
    /// So far a fix may lie off without having been driven, metres.
    private static let jitterMetres = 100.0
    /// Fixes that agree with one another make a jump true, when they span this.
    private static let jump = (fixes: 3, span: Duration.seconds(10))
    /// Two devices under one name jump at each fix. The log says so once in this time.
    private static let jumpToldFor = Duration.seconds(600)
    /// Between two fixes of a jump that agree.
    private static let longestPause = Duration.seconds(300)

    /// What a source's clock said, and when.
    struct Arrival: Equatable, Sendable {
        var time: WallTime
        var at: MonotonicTime

        /// How much more the source's clock has moved on since then than ours; negative: less.
        func lead(of next: Arrival) -> Duration {
            next.time.duration(since: time) - next.at.duration(since: at)
        }
    }

    /// Fixes behind a jump that agree with one another.
    private struct Jump: Equatable, Sendable {
        var since: MonotonicTime
        var count: Int
        var place: Coordinate
        var at: MonotonicTime
    }

    /// The first and the newest fix of a wrong date that moves on with our clock.
    private struct WrongDate: Equatable, Sendable {
        var first: Arrival
        var last: Arrival
    }

    /// The first fix whose time has leapt.
    private var leapt: Arrival?
    private var wrongDate: WrongDate?
    private var isDateTold = false
    private var jumped: Jump?
    private var jumpToldAt: MonotonicTime?

    /// How far the source's time may lie behind or, of OwnTracks, how old a fix may be.
    static func tolerance(of source: CarSource) -> Duration { max(source.freshness, clockTolerance) }

    /// - Parameters:
    ///   - last: the source's last fix, if that is still fresh and had a time.
    ///   - lastKnown: where the car was last, by any source.
    /// - Returns: nil if the fix is used.
    mutating func judge(
        _ fix: CarFix, after last: Arrival?, lastKnown: CarPosition?, _ turn: inout Turn
    ) -> CarFixRefusal? {
        let place = fix.coordinate
        guard place.isOnEarth, place.latitude != 0 || place.longitude != 0 else { return .invalid }
        // Not a number is no accuracy to rely on, either.
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
            } else if fix.source != .gpsd || !movesOn(arrival, off: age, &turn) {
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

    /// A receiver with the week rollover (1024 weeks off) or wrong leap seconds knows all the same where it is.
    private mutating func movesOn(_ next: Arrival, off: Duration, _ turn: inout Turn) -> Bool {
        let before = wrongDate?.last
        let isSteady = before.map { $0.time <= next.time && $0.lead(of: next).magnitude <= Self.steadiness } ?? false
        let first = isSteady ? wrongDate?.first ?? next : next
        wrongDate = WrongDate(first: first, last: next)
        guard next.at.duration(since: first.at) >= Self.dateSpan, first.lead(of: next).magnitude <= Self.steadiness
        else { return false }
        if !isDateTold {
            isDateTold = true
            turn.note(
                .warning, "the GPS receiver's date is wrong; its fixes count by their arrival",
                ["off": Self.words(off)])
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

    /// One wrong time must not lock out the right ones behind it, nor follow from one.
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
        if let jumpToldAt, now.duration(since: jumpToldAt) < Self.jumpToldFor { return }
        jumpToldAt = now
        turn.note(
            .warning, "the car has jumped; its new place counts when three fixes agree", ["source": source.rawValue])
    }

    private static func isDriven(
        from place: Coordinate, at then: MonotonicTime, to fix: CarFix, at now: MonotonicTime
    ) -> Bool {
        let metres = place.distanceMetres(to: fix.coordinate) - jitterMetres
        return metres <= fastest * max(1, now.duration(since: then).inSeconds)
    }
}

extension Duration {
    var magnitude: Duration { self < .zero ? .zero - self : self }
}
