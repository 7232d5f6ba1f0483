import FlightMath
import GatewayReports
import ReceiverProtocol

/// Where the car is: weighs the fixes of all sources and says which of them counts (specification 6.4).
///
///     a fix                                      is
///     of a source that is not in the list        not used
///     less accurate than 100 m                   not used
///     with a time more than 10 s off             not used, while the clock is right (OwnTracks: 60 s old at most)
///     kept by the broker, without a right clock  not used
///     with the last one's time                   the same epoch: its values count, its age stays
///     with an earlier time                       not used, until the source has been silent for long enough
///     with a time that has leapt                 not used, until a second one goes on from it: then the old one was wrong
///
///     the first source of the list that is fresh (10 s, OwnTracks 60 s) counts; one that comes back takes over from a
///     later one when it has told for 10 s, so that two of them don't take turns
struct Car: Sendable {
    /// Worse than this is not used, metres.
    private static let worstAccuracy = 100.0
    /// A source's clock may differ from a right one by this.
    private static let clockTolerance = Duration.seconds(10)
    private static let hysteresis = Duration.seconds(10)
    private static let altitudes = -500.0...20_000
    /// No car is faster, m/s.
    private static let fastest = 100.0
    /// Two fixes whose times leapt are right when those go on with the clock, to this, for as long.
    private static let steadiness = (tolerance: Duration.seconds(2), span: Duration.seconds(1))
    /// Further apart in time, two fixes say nothing of the speed between them.
    private static let longestStep = Duration.seconds(60)

    /// In the order in which they count.
    var sources: [CarSource]
    /// The one that counts; nil while none is fresh.
    private(set) var position: CarPosition?
    /// How many fixes were used, and how many were not.
    private(set) var used: [CarSource: Int] = [:]
    private(set) var refused: [CarFixRefusal: Int] = [:]
    /// Sources whose connection is open, as far as they have one.
    private(set) var connected: Set<CarSource> = []
    private var heard: [CarSource: Heard] = [:]
    /// The first of those whose times have leapt, and when it came.
    private var leapt: [CarSource: Arrival] = [:]
    /// When the source that counts becomes too old.
    private(set) var deadline: MonotonicTime?

    /// A source's newest fix.
    private struct Heard {
        var position: CarPosition
        /// The source's own time; nil where it tells none.
        var arrival: Arrival?
        /// Since then it has been fresh without a gap.
        var freshSince: MonotonicTime
    }

    /// What a source's clock said, and when.
    private struct Arrival {
        var time: WallTime
        var at: MonotonicTime

        /// How much more the source's clock has moved on since then than ours; negative: less.
        func lead(of next: Arrival) -> Duration {
            next.time.duration(since: time) - next.at.duration(since: at)
        }
    }

    init(sources: [CarSource]) {
        self.sources = sources
    }

    // MARK: - Fixes

    mutating func locate(by fix: CarFix, _ turn: inout Turn) {
        if let refusal = judge(fix, at: turn.now) {
            refused[refusal, default: 0] += 1
            return
        }
        used[fix.source, default: 0] += 1
        remember(fix, at: turn.now)
        choose(&turn)
    }

    mutating func connectionChanged(_ source: CarSource, isOpen: Bool) {
        if isOpen { connected.insert(source) } else { connected.remove(source) }
    }

    private mutating func judge(_ fix: CarFix, at now: Moment) -> CarFixRefusal? {
        guard sources.contains(fix.source) else { return .unusedSource }
        let place = fix.coordinate
        guard place.isOnEarth, place.latitude != 0 || place.longitude != 0 else { return .invalid }
        // Not a number is no accuracy to rely on, either.
        if let accuracy = fix.accuracyMetres, !(accuracy <= Self.worstAccuracy) { return .inaccurate }
        guard let time = fix.time else { return fix.isRetained ? .wrongTime : nil }
        if now.isClockSynced {
            let age = now.wall.duration(since: time)
            let oldest = max(fix.source.freshness, Self.clockTolerance)
            guard age >= .zero - Self.clockTolerance, age <= oldest else { return .wrongTime }
        } else if fix.isRetained {
            return .wrongTime
        }
        guard let last = heard[fix.source], isFresh(last.position, at: now.monotonic), let before = last.arrival else {
            return nil
        }
        return judge(Arrival(time: time, at: now.monotonic), after: before, of: fix.source)
    }

    /// One wrong time must not lock out the right ones behind it, nor follow from one.
    private mutating func judge(_ next: Arrival, after before: Arrival, of source: CarSource) -> CarFixRefusal? {
        let tolerance = max(source.freshness, Self.clockTolerance)
        let lead = before.lead(of: next)
        let isBack = next.time < before.time
        guard isBack || lead > tolerance else { return nil }
        guard lead.size > tolerance else { return .backwards }
        if let first = leapt[source], first.lead(of: next).size <= Self.steadiness.tolerance {
            if next.at.duration(since: first.at) >= Self.steadiness.span { return nil }
        } else {
            leapt[source] = next
        }
        return isBack ? .backwards : .wrongTime
    }

    private mutating func remember(_ fix: CarFix, at now: Moment) {
        let last = heard[fix.source]
        let isSameEpoch = fix.time != nil && fix.time == last?.arrival?.time
        leapt[fix.source] = nil
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
            // Less than nothing means "unknown".
            accuracyMetres: fix.accuracyMetres.flatMap { $0 >= 0 ? $0 : nil },
            time: Self.publishedTime(of: fix, at: now), heardAt: heardAt)
        if let last { Self.complete(&position, from: last.position, isSameEpoch: isSameEpoch) }
        let isGoingOn = last.map { isFresh($0.position, at: now.monotonic) } ?? false
        heard[fix.source] = Heard(
            position: position, arrival: fix.time.map { Arrival(time: $0, at: now.monotonic) },
            freshSince: isGoingOn ? last?.freshSince ?? heardAt : heardAt)
    }

    /// While the clock isn't right, a source's may be just as wrong: one that is far off it is told by its arrival.
    private static func publishedTime(of fix: CarFix, at now: Moment) -> WallTime {
        guard let time = fix.time else { return now.wall }
        let isFarOff = now.wall.duration(since: time).size > max(fix.source.freshness, clockTolerance)
        return isFarOff && !now.isClockSynced ? now.wall : time
    }

    /// Speed and course, where the source doesn't tell them, are those of the way since its last fix.
    private static func complete(_ position: inout CarPosition, from last: CarPosition, isSameEpoch: Bool) {
        guard position.speed == nil || position.courseDegrees == nil else { return }
        let step = position.time.duration(since: last.time)
        guard !isSameEpoch, step > .zero, step <= longestStep else {
            if isSameEpoch {
                position.speed = position.speed ?? last.speed
                position.courseDegrees = position.courseDegrees ?? last.courseDegrees
            }
            return
        }
        let way = Geodesic(from: last.coordinate, to: position.coordinate)
        let speed = way.metres / step.inSeconds
        guard speed <= fastest else { return }
        position.speed = position.speed ?? speed
        position.courseDegrees = position.courseDegrees ?? (way.metres > 0 ? way.bearingDegrees : nil)
    }

    /// 0 ..< 360; nil when it is no direction.
    private static func normal(_ degrees: Double) -> Double? {
        guard degrees.isFinite else { return nil }
        let turned = degrees.truncatingRemainder(dividingBy: 360)
        return turned < 0 ? turned + 360 : turned
    }

    // MARK: - Which of them counts

    mutating func follow(_ turn: inout Turn) {
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
        deadline = chosen.map(staleAt)
        guard before?.source != chosen?.source else { return }
        if let source = chosen?.source {
            turn.note(.info, "the car's position is known", ["source": source.rawValue])
        } else {
            turn.note(.info, "the car's position is not known any more")
        }
    }

    /// The sources of the list before `source`.
    private func better(than source: CarSource) -> ArraySlice<CarSource> { sources.prefix { $0 != source } }

    /// It has been telling for long enough not to be gone again at once.
    private func isSteady(_ source: CarSource) -> Bool {
        heard[source].map { $0.position.heardAt.duration(since: $0.freshSince) >= Self.hysteresis } ?? false
    }

    private func staleAt(_ position: CarPosition) -> MonotonicTime {
        position.heardAt.advanced(by: position.source.freshness)
    }

    private func isFresh(_ position: CarPosition, at now: MonotonicTime) -> Bool { now < staleAt(position) }
}

extension Duration {
    fileprivate var size: Duration { self < .zero ? .zero - self : self }
}
