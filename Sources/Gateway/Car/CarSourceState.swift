import FlightMath
import GatewayReports
import ReceiverProtocol

/// What one source of the car's position has sent. It decides which fixes are used, and computes the speed and the course
/// that they lack.
struct CarSourceState: Sendable {
    private static let hysteresis = Duration.seconds(10)

    private var fixJudge = CarFixJudge()
    private var device = CarDeviceChoice()
    /// The newest fix that was used; nil before the first.
    private var newest: UsedCarFix?

    /// - Parameter lastKnown: the car's last position from any source.
    /// - Returns: nil if the fix is used.
    mutating func judge(_ fix: CarFix, lastKnown: CarPosition?, _ turn: inout Turn) -> CarFixRefusal? {
        if device.refuses(fix, &turn) { return .otherDevice }
        guard let newest else { return fixJudge.judge(fix, after: nil, lastKnown: lastKnown, &turn) }
        let isFresh = newest.isFresh(at: turn.now.monotonic)
        if !isFresh, newest.isOfSameEpoch(as: fix.time) { return .standsStill }
        return fixJudge.judge(fix, after: isFresh ? newest.arrival : nil, lastKnown: lastKnown, &turn)
    }

    /// Uses a fix.
    mutating func use(_ fix: CarFix, at now: Moment) {
        device.used(fix, at: now.monotonic)
        var next = UsedCarFix(fix, at: now)
        if let newest { next.continueFrom(newest, at: now.monotonic) }
        newest = next
    }

    /// The position; nil if it is too old.
    func position(at now: MonotonicTime) -> CarPosition? {
        guard let newest, newest.isFresh(at: now) else { return nil }
        return newest.position
    }

    /// Whether the source has sent fixes long enough to replace another.
    var isSteady: Bool {
        guard let newest else { return false }
        return newest.position.heardAt.duration(since: newest.freshSince) >= Self.hysteresis
    }
}

/// A fix that is used.
private struct UsedCarFix: Sendable {
    private static let altitudes = -500.0...20_000
    /// Fixes further apart in time give no speed.
    private static let longestStep = Duration.seconds(60)
    /// A step shorter than the error shows a speed only over this time.
    private static let restingStep = Duration.seconds(5)
    /// The error of a source that names none, metres.
    private static let usualAccuracy = 5.0

    private(set) var position: CarPosition
    /// The source's own time; nil if it sends none.
    let arrival: CarFixJudge.Arrival?
    /// Since when the source has been fresh without a gap.
    private(set) var freshSince: MonotonicTime
    /// The fix from which the speed and the course are measured if the source sends none.
    private var base: CarPosition

    init(_ fix: CarFix, at now: Moment) {
        var heardAt = now.monotonic
        if fix.source == .owntracks, now.isClockSynced, let time = fix.time {
            heardAt = heardAt.advanced(by: .zero - max(.zero, now.wall.duration(since: time)))
        }
        position = CarPosition(
            source: fix.source, coordinate: fix.coordinate,
            altitudeMetres: fix.altitudeMetres.flatMap { Self.altitudes.contains($0) ? $0 : nil },
            speed: fix.speed.flatMap { 0...CarPosition.fastest ~= $0 ? $0 : nil },
            courseDegrees: fix.courseDegrees.flatMap(Self.normal),
            // A negative accuracy means "unknown".
            accuracyMetres: fix.accuracyMetres.flatMap { $0 >= 0 ? $0 : nil },
            time: Self.publishedTime(of: fix, at: now), heardAt: heardAt)
        arrival = fix.time.map { CarFixJudge.Arrival(time: $0, at: now.monotonic) }
        (freshSince, base) = (heardAt, position)
    }

    func isFresh(at now: MonotonicTime) -> Bool { now < position.isStaleAt }

    /// Whether a fix with this time completes this one.
    func isOfSameEpoch(as time: WallTime?) -> Bool {
        guard let time, let arrival else { return false }
        return time == arrival.time
    }

    /// Takes what this fix lacks from the fix before.
    mutating func continueFrom(_ last: UsedCarFix, at now: MonotonicTime) {
        if let arrival, last.isOfSameEpoch(as: arrival.time) {
            position.heardAt = last.position.heardAt
            freshSince = position.heardAt
            if lacksMotion { base = last.base }
            position.speed = position.speed ?? last.position.speed
            position.courseDegrees = position.courseDegrees ?? last.position.courseDegrees
        } else if lacksMotion {
            measureMotion(since: last)
        }
        if last.isFresh(at: now) { freshSince = last.freshSince }
    }

    private var lacksMotion: Bool { position.speed == nil || position.courseDegrees == nil }

    /// Computes the speed and the course from the way since an earlier fix. A way shorter than twice the error shows no
    /// course: at a kerb the arrow would turn round with each fix.
    private mutating func measureMotion(since last: UsedCarFix) {
        let time = position.time.duration(since: last.base.time)
        guard time > .zero, time <= Self.longestStep else { return }
        let way = Geodesic(from: last.base.coordinate, to: position.coordinate)
        let speed = way.metres / time.inSeconds
        guard speed <= CarPosition.fastest else { return }
        guard way.metres > 2 * max(Self.error(of: position), Self.error(of: last.base)) else {
            position.speed = position.speed ?? (time >= Self.restingStep ? speed : last.position.speed)
            base = last.base
            return
        }
        position.speed = position.speed ?? speed
        position.courseDegrees = position.courseDegrees ?? way.bearingDegrees
    }

    private static func error(of position: CarPosition) -> Double { position.accuracyMetres ?? usualAccuracy }

    /// The fix's own time; the time of arrival if the fix has none or one far from the gateway's.
    private static func publishedTime(of fix: CarFix, at now: Moment) -> WallTime {
        guard let time = fix.time else { return now.wall }
        let isFarOff = now.wall.duration(since: time).magnitude > CarFixJudge.tolerance(of: fix.source)
        return isFarOff ? now.wall : time
    }

    /// The course within 0 ..< 360; nil if it is not finite.
    private static func normal(_ degrees: Double) -> Double? {
        guard degrees.isFinite else { return nil }
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 360 : turned
    }
}

extension CarPosition {
    /// When the position becomes too old.
    var isStaleAt: MonotonicTime { heardAt.advanced(by: source.freshness) }
}
