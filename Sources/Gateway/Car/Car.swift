import FlightMath
import GatewayReports
import ReceiverProtocol

/// Chooses the source of the car's position. ``CarFixJudge`` decides which fixes are used.
///
/// The first source of the list with a fresh fix (10 s, OwnTracks 60 s) is used. A source that returns replaces a later
/// one only after it has sent fixes for 10 s. Otherwise two sources could alternate.
struct Car: Sendable {
    /// The sources in the order of their priority.
    var sources: [CarSource]
    /// The position from the chosen source; nil if no fix is fresh.
    private(set) var position: CarPosition?
    /// The number of used fixes by source, and of refused ones by reason.
    private(set) var used: [CarSource: Int] = [:]
    private(set) var refused: [CarFixRefusal: Int] = [:]
    /// The sources with an open connection.
    private(set) var connected: Set<CarSource> = []
    private var states: [CarSource: CarSourceState] = [:]
    private var told = CarRefusalLog()
    /// The car's last known position, of any age.
    private var lastKnown: CarPosition?
    private var phone: PhoneWatch
    /// When the chosen source's fix becomes too old.
    private var fixEndsAt: MonotonicTime?
    var deadline: MonotonicTime? { .earliest(fixEndsAt, phone.deadline) }

    init(sources: [CarSource], phoneTopic: String? = nil) {
        self.sources = sources
        phone = PhoneWatch(phoneTopic)
    }

    /// Where the receiver hears from; nil if nobody knows.
    ///
    /// A position that is not fresh counts for nothing: the car may have driven on.
    /// - Parameter configured: the place of a box that stands. It counts while no source has ever brought a position, and
    ///   none that is always there may bring one.
    func receiverPlace(configured: Coordinate?) -> Coordinate? {
        position?.coordinate ?? (lastKnown == nil && connected.isEmpty ? configured : nil)
    }

    // MARK: - Fixes

    mutating func locate(by fix: CarFix, _ turn: inout Turn) {
        phone.heard(fix.source)
        guard sources.contains(fix.source) else { return refuse(.unusedSource, from: fix.source, &turn) }
        var state = states[fix.source] ?? CarSourceState()
        let refusal = state.judge(fix, lastKnown: lastKnown, &turn)
        if refusal == nil { state.use(fix, at: turn.now) }
        states[fix.source] = state
        if let refusal { return refuse(refusal, from: fix.source, &turn) }
        used[fix.source, default: 0] += 1
        told.used(fix.source, &turn)
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

    // MARK: - The choice of the source

    mutating func follow(_ turn: inout Turn) {
        phone.follow(&turn)
        choose(&turn)
    }

    private mutating func choose(_ turn: inout Turn) {
        let now = turn.now.monotonic
        let before = position
        let fresh = sources.compactMap { states[$0]?.position(at: now) }
        var chosen = fresh.first
        if let current = fresh.first(where: { $0.source == before?.source }) {
            // A source that comes earlier in the list must be steady.
            chosen = fresh.prefix { $0.source != current.source }.first(where: isSteady) ?? current
        }
        position = chosen?.holdingCourse(of: before)
        lastKnown = position ?? lastKnown
        fixEndsAt = position?.isStaleAt
        guard before?.source != chosen?.source else { return }
        if let source = chosen?.source {
            turn.note(.info, "the car's position is known", facts: ["source": source.rawValue])
        } else {
            turn.note(.info, "the car's position is not known any more")
        }
    }

    private func isSteady(_ position: CarPosition) -> Bool { states[position.source]?.isSteady ?? false }
}

extension CarPosition {
    /// The position with the course from before, if the car hardly moves or its course is unknown.
    fileprivate func holdingCourse(of before: CarPosition?) -> CarPosition {
        guard (speed ?? 0) < Self.slowest || courseDegrees == nil else { return self }
        var position = self
        position.courseDegrees = before?.courseDegrees
        position.isCourseHeld = position.courseDegrees != nil
        return position
    }
}
