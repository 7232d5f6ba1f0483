import FlightMath
import GatewayReports
import ReceiverProtocol

/// Chooses the source of the car's position (specification 6.4). ``CarFixJudge`` decides which fixes are used.
///
/// The first source of the list with a fresh fix (10 s, OwnTracks 60 s) is used. A source that returns replaces a later
/// one only after it has sent fixes for 10 s. Otherwise two sources could alternate.
struct Car: Sendable {
    private static let hysteresis = Duration.seconds(10)
    private static let altitudes = -500.0...20_000
    /// Faster motion is impossible for a car, m/s.
    private static let fastest = 100.0
    /// Fixes further apart in time give no speed.
    private static let longestStep = Duration.seconds(60)
    /// A step shorter than the error shows a speed only over this time.
    private static let restingStep = Duration.seconds(5)
    /// The error of a source that names none, metres.
    private static let usualAccuracy = 5.0

    /// The sources in the order of their priority.
    var sources: [CarSource]
    /// The position from the chosen source; nil if no fix is fresh.
    private(set) var position: CarPosition?
    /// The number of used fixes by source, and of refused ones by reason.
    private(set) var used: [CarSource: Int] = [:]
    private(set) var refused: [CarFixRefusal: Int] = [:]
    /// The sources with an open connection.
    private(set) var connected: Set<CarSource> = []
    private var heard: [CarSource: Heard] = [:]
    private var judges: [CarSource: CarFixJudge] = [:]
    private var devices: [CarSource: CarDeviceChoice] = [:]
    private var told = CarRefusalLog()
    /// The car's last known position, of any age.
    private var lastKnown: CarPosition?
    private var phone: PhoneWatch
    /// When the chosen source's fix becomes too old.
    private var fixEndsAt: MonotonicTime?
    var deadline: MonotonicTime? { .earliest(fixEndsAt, phone.deadline) }

    /// A source's newest fix.
    private struct Heard {
        var position: CarPosition
        /// The source's own time; nil if it sends none.
        var arrival: CarFixJudge.Arrival?
        /// Since when the source has been fresh without a gap.
        var freshSince: MonotonicTime
        /// The fix from which the speed and the course are measured if the source sends none.
        var base: CarPosition
    }

    init(sources: [CarSource], phoneTopic: String? = nil) {
        self.sources = sources
        phone = PhoneWatch(phoneTopic)
    }

    // MARK: - Fixes

    mutating func locate(by fix: CarFix, _ turn: inout Turn) {
        phone.heard(fix.source)
        if let refusal = judge(fix, &turn) { return refuse(refusal, from: fix.source, &turn) }
        used[fix.source, default: 0] += 1
        devices[fix.source, default: CarDeviceChoice()].used(fix, at: turn.now.monotonic)
        told.used(fix.source, &turn)
        remember(fix, at: turn.now)
        choose(&turn)
    }

    /// Counts and logs a refused fix.
    mutating func refuse(_ refusal: CarFixRefusal, from source: CarSource, _ turn: inout Turn) {
        phone.heard(source)
        refused[refusal, default: 0] += 1
        told.refused(refusal, from: source, &turn)
    }

    mutating func connectionChanged(_ source: CarSource, isOpen: Bool) {
        if isOpen { connected.insert(source) } else { connected.remove(source) }
    }

    private mutating func judge(_ fix: CarFix, _ turn: inout Turn) -> CarFixRefusal? {
        guard sources.contains(fix.source) else { return .unusedSource }
        if devices[fix.source, default: CarDeviceChoice()].refuses(fix, &turn) { return .otherDevice }
        if let time = fix.time, let last = heard[fix.source], time == last.arrival?.time,
            !isFresh(last.position, at: turn.now.monotonic)
        {
            return .standsStill
        }
        let last = heard[fix.source].flatMap { isFresh($0.position, at: turn.now.monotonic) ? $0.arrival : nil }
        return judges[fix.source, default: CarFixJudge()].judge(fix, after: last, lastKnown: lastKnown, &turn)
    }

    private mutating func remember(_ fix: CarFix, at now: Moment) {
        let last = heard[fix.source]
        let isSameEpoch = fix.time != nil && fix.time == last?.arrival?.time
        var heardAt = now.monotonic
        if fix.source == .owntracks, now.isClockSynced, let time = fix.time {
            heardAt = heardAt.advanced(by: .zero - max(.zero, now.wall.duration(since: time)))
        }
        if isSameEpoch, let last { heardAt = last.position.heardAt }
        var position = CarPosition(
            source: fix.source, coordinate: fix.coordinate,
            altitudeMetres: fix.altitudeMetres.flatMap { Self.altitudes.contains($0) ? $0 : nil },
            speed: fix.speed.flatMap { 0...Self.fastest ~= $0 ? $0 : nil },
            courseDegrees: fix.courseDegrees.flatMap(Self.normal),
            // A negative accuracy means "unknown".
            accuracyMetres: fix.accuracyMetres.flatMap { $0 >= 0 ? $0 : nil },
            time: Self.publishedTime(of: fix, at: now), heardAt: heardAt)
        var base: CarPosition?
        if let last { base = Self.complete(&position, from: last, isSameEpoch: isSameEpoch) }
        let isGoingOn = last.map { isFresh($0.position, at: now.monotonic) } ?? false
        heard[fix.source] = Heard(
            position: position, arrival: fix.time.map { CarFixJudge.Arrival(time: $0, at: now.monotonic) },
            freshSince: isGoingOn ? last?.freshSince ?? heardAt : heardAt, base: base ?? position)
    }

    /// The fix's own time; the time of arrival if the fix has none or one far from the gateway's.
    private static func publishedTime(of fix: CarFix, at now: Moment) -> WallTime {
        guard let time = fix.time else { return now.wall }
        let isFarOff = now.wall.duration(since: time).magnitude > CarFixJudge.tolerance(of: fix.source)
        return isFarOff ? now.wall : time
    }

    /// Computes a missing speed and course from the way since an earlier fix. A way shorter than twice the error shows
    /// no course: at a kerb the arrow would turn round with each fix.
    /// - Returns: the fix from which to measure the next time; nil for this one.
    private static func complete(
        _ position: inout CarPosition, from last: Heard, isSameEpoch: Bool
    ) -> CarPosition? {
        guard position.speed == nil || position.courseDegrees == nil else { return nil }
        if isSameEpoch {
            position.speed = position.speed ?? last.position.speed
            position.courseDegrees = position.courseDegrees ?? last.position.courseDegrees
            return last.base
        }
        let time = position.time.duration(since: last.base.time)
        guard time > .zero, time <= longestStep else { return nil }
        let way = Geodesic(from: last.base.coordinate, to: position.coordinate)
        let speed = way.metres / time.inSeconds
        guard speed <= fastest else { return nil }
        let error = max(position.accuracyMetres ?? usualAccuracy, last.base.accuracyMetres ?? usualAccuracy)
        guard way.metres > 2 * error else {
            position.speed = position.speed ?? (time >= restingStep ? speed : last.position.speed)
            return last.base
        }
        position.speed = position.speed ?? speed
        position.courseDegrees = position.courseDegrees ?? way.bearingDegrees
        return nil
    }

    /// The course within 0 ..< 360; nil if it is not finite.
    private static func normal(_ degrees: Double) -> Double? {
        guard degrees.isFinite else { return nil }
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 360 : turned
    }

    // MARK: - The choice of the source

    mutating func follow(_ turn: inout Turn) {
        phone.follow(&turn)
        choose(&turn)
    }

    private mutating func choose(_ turn: inout Turn) {
        let now = turn.now.monotonic
        let before = position
        let fresh = sources.filter { source in heard[source].map { isFresh($0.position, at: now) } ?? false }
        var next = fresh.first
        if let current = before?.source, fresh.contains(current) {
            next = better(than: current).first { fresh.contains($0) && isSteady($0) } ?? current
        }
        var chosen = next.flatMap { heard[$0]?.position }
        if chosen?.speed ?? 0 < CarPosition.slowest || chosen?.courseDegrees == nil {
            chosen?.courseDegrees = before?.courseDegrees
            chosen?.isCourseHeld = before?.courseDegrees != nil
        }
        position = chosen
        lastKnown = chosen ?? lastKnown
        fixEndsAt = chosen.map(staleAt)
        guard before?.source != chosen?.source else { return }
        if let source = chosen?.source {
            turn.note(.info, "the car's position is known", facts: ["source": source.rawValue])
        } else {
            turn.note(.info, "the car's position is not known any more")
        }
    }

    /// The sources of the list before `source`.
    private func better(than source: CarSource) -> ArraySlice<CarSource> { sources.prefix { $0 != source } }

    /// Whether the source has sent fixes long enough to replace another.
    private func isSteady(_ source: CarSource) -> Bool {
        heard[source].map { $0.position.heardAt.duration(since: $0.freshSince) >= Self.hysteresis } ?? false
    }

    private func staleAt(_ position: CarPosition) -> MonotonicTime {
        position.heardAt.advanced(by: position.source.freshness)
    }

    private func isFresh(_ position: CarPosition, at now: MonotonicTime) -> Bool { now < staleAt(position) }
}
