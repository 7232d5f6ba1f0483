import FlightMath
import GatewayReports
import ReceiverProtocol

/// Keeps the landing point: decides which source counts, keeps the history, and announces the larger moves.
///
///     flight                        landing point
///     landed, at rest               observed
///     set by command                manual, until taken back
///     bearings of the signal cross  bearings, unless the sonde said a place within the last 10 min
///     landed, by silence            last_prediction
///     flying, with a prediction     predicted
///     landed, never predicted       last_prediction: the last place where it was heard
///     else                          the last one; stored after a restart
struct LandingBook: Equatable, Sendable {
    /// A new point within this distance of the last one is the same point, metres.
    private static let sameMetres = 25.0
    /// A move is announced if it is larger than this, metres, and than the radius that holds half of the real
    /// landings, and has lasted for a time: the prediction often comes back.
    private static let announcedMetres = 300.0
    private static let lastingInAscent = Duration.seconds(300)
    private static let lastingInDescent = Duration.seconds(90)
    /// In the last minutes before the landing there is less time to wait.
    private static let lastMinutes = Duration.seconds(300)
    private static let lastingInLastMinutes = Duration.seconds(60)
    /// The first prediction is announced at this height above the launch pad, metres.
    private static let firstMetres = 1000.0
    /// The first prediction waits so long for its town if no car is known. Without a town it has no place.
    private static let townLimit = Duration.seconds(10)
    /// The most points of the way that the prediction took.
    static let limit = 100
    /// The way gets a point this often, or at once after a move of a quarter of the 50 % radius.
    private static let pace = Duration.seconds(60)

    private(set) var point: LandingPoint?
    /// The way that the prediction took, oldest first.
    private var way: [Dated<EarlierLandingPoint>] = []
    /// The distance of the last announced move, metres; nil before the first one.
    private(set) var movedMetres: Double?
    /// The point that a command has set. An observed landing only hides it: it counts again if that landing is taken
    /// back.
    private var manual: LandingPoint?
    /// The point that counts again when the manual one is taken back, or the bearings are forgotten.
    private var aside: LandingPoint?
    /// The place that was last announced, and the move away from it.
    private struct Announced: Equatable, Sendable {
        var place: Coordinate
        /// Since when the point, by one source, lies far from it; nil while it lies near.
        var farSince: MonotonicTime?
        var source: LandingPoint.Source?
        /// When the move will have lasted long enough to be said; nil while the point lies near.
        var dueAt: MonotonicTime?
    }

    private var announced: Announced?
    /// Until when the first announcement waits for the town; nil while it does not.
    private var townAwaitedUntil: MonotonicTime?

    private var isTownAwaited: Bool { announced == nil && point != nil && townAwaitedUntil != nil }

    /// When a move that has begun will have lasted, and no newer point has judged it, or when the first announcement no
    /// longer waits for its town; nil if there is neither.
    var deadline: MonotonicTime? {
        if isTownAwaited { return townAwaitedUntil }
        guard let point, let dueAt = announced?.dueAt else { return nil }
        // While predictions come, each new one judges the move, and with more evidence.
        return point.source == .predicted ? dueAt.advanced(by: Self.pace) : dueAt
    }

    /// Adds the points that an earlier run has stored. Its last point counts until there is a newer one.
    /// - Parameters:
    ///   - flight: the flight, with the points of the earlier run.
    ///   - radius90: the 90 % radius of the last point's prediction, metres.
    ///   - landingAt: when the sonde should land by the last prediction.
    mutating func join(
        _ stored: [EarlierLandingPoint], _ flight: Flight, radius90: Double?, landingAt: WallTime?, _ turn: Turn
    ) {
        if flight.landingPlace == nil { takeLandingBack() }
        way = stored.map { Dated(fromElsewhere: $0) } + way
        thin(by: turn.clock)
        guard point == nil, let last = way.last?.value(by: turn.clock) else { return }
        let learntAt = turn.now.earlier(at: last.time)
        if let landed = flight.landingPlace, Self.isSame(landed.coordinate, last.coordinate) {
            point = seen(landed, flight.landingTime, at: learntAt)
        } else {
            point = LandingPoint(
                coordinate: last.coordinate, source: .stored, at: learntAt, radius90Metres: radius90,
                landingAt: landingAt)
        }
        announced = Announced(place: last.coordinate)
    }

    private static func isSame(_ place: Coordinate, _ other: Coordinate) -> Bool {
        place.distanceMetres(to: other) < sameMetres
    }

    /// Whether the landing point is known and `isSuch`.
    private func shows(_ isSuch: (LandingPoint) -> Bool) -> Bool { point.map(isSuch) ?? false }

    /// Drops an observed landing, because the sonde had not landed there.
    mutating func takeLandingBack() {
        if point?.source == .observed { point = nil }
        if aside?.source == .observed { aside = nil }
    }

    /// Whether a command has set the landing point of this flight.
    var isSetByHand: Bool { manual != nil }

    /// A command sets the landing point. Nil takes it back.
    mutating func set(manual place: Coordinate?, at now: Moment) {
        let isShown = shows { $0.source == .manual }
        putAside()
        manual = place.map { LandingPoint(coordinate: $0, source: .manual, at: now) }
        if manual == nil, isShown { point = nil }
    }

    /// Keeps the present point for later, unless it is one that a crew has made.
    private mutating func putAside() {
        if let point, point.source != .manual, point.source != .bearings { aside = point }
    }

    /// Sets the point that a command has set before a restart, or before the gateway followed another sonde. It has
    /// been announced then.
    /// - Parameter at: when the command came.
    mutating func setAgain(manual place: Coordinate, at: Moment) {
        set(manual: place, at: at)
        if !shows({ $0.source == .observed }) { announced = Announced(place: place) }
    }

    private func seen(_ place: TrackPoint, _ time: LandingTime?, at moment: Moment) -> LandingPoint {
        LandingPoint(
            coordinate: place.coordinate, altitudeMetres: place.altitudeMetres, source: .observed, at: moment,
            landingAt: time == .unknown ? nil : place.time, isTimeEstimate: time != .seen)
    }

    /// Whether there is a way that the prediction took.
    var hasHistory: Bool { !way.isEmpty }

    /// The way that the prediction took, oldest first.
    func history(by clock: RunClock) -> [EarlierLandingPoint] { way.map { $0.value(by: clock) } }

    /// The best guess of the landing point while no landing is observed; nil if there is none.
    func guess(by forecast: Forecast?) -> Coordinate? {
        manual?.coordinate ?? forecast?.prediction.landing.coordinate ?? point?.coordinate
    }

    mutating func follow(_ facts: Facts, flight: Flight, forecast: Forecast?, _ turn: inout Turn) {
        if flight.landingPlace == nil { takeLandingBack() }
        (point, manual) = (point?.rendered(by: turn.clock), manual?.rendered(by: turn.clock))
        aside = aside?.rendered(by: turn.clock)
        // A point of the track may have the time of another clock. What enters the book has this one's at once, so that
        // the facts settle.
        let next = next(facts, flight: flight, forecast: forecast, at: turn.now)?.rendered(by: turn.clock)
        if let next { take(next, of: facts.sonde.serial, &turn) }
        let isDue = deadline.map { turn.now.monotonic >= $0 } ?? false
        if let point, next != nil || isDue || isTownAwaited { announce(point, of: flight, &turn) }
    }

    private mutating func take(_ next: LandingPoint, of serial: SondeSerial?, _ turn: inout Turn) {
        guard let old = point, Self.isSame(old.coordinate, next.coordinate) else {
            point = next
            return remember(next, of: serial, &turn)
        }
        var shown = next
        if old.source == next.source {
            // The place stays the same. The other values are new.
            if next.source == .observed { shown.at = old.at } else { shown.coordinate = old.coordinate }
        }
        point = shown
    }

    private mutating func next(_ facts: Facts, flight: Flight, forecast: Forecast?, at now: Moment) -> LandingPoint? {
        if let place = flight.landingPlace {
            let next = seen(place, flight.landingTime, at: now)
            let isKnown = shows {
                $0.source == .observed && $0.coordinate == place.coordinate && $0.landingAt == next.landingAt
            }
            return isKnown ? nil : next
        }
        let predicted = predicted(facts, flight: flight, forecast: forecast) ?? lastHeard(facts, flight, at: now)
        if manual != nil {
            aside = predicted ?? aside
            // The landing time does not depend on the place that was set.
            manual?.landingAt = forecast?.prediction.landing.time
            manual?.error50Seconds = forecast?.prediction.radius.seconds50
            return point == manual ? nil : manual
        }
        if let place = facts.signal.estimate {
            putAside()
            aside = predicted ?? aside
            let next = LandingPoint(
                coordinate: place.estimate.coordinate, source: .bearings, at: place.at,
                radius50Metres: place.estimate.radius50Metres, radius90Metres: place.estimate.radius90Metres)
            return point == next ? nil : next
        }
        if point?.source == .bearings { point = nil }
        return predicted ?? (point == nil ? aside : nil)
    }

    /// - Returns: nil if there is no newer prediction.
    private func predicted(_ facts: Facts, flight: Flight, forecast: Forecast?) -> LandingPoint? {
        let isDown = flight.phase.phase == .landed
        guard let forecast, isDown || facts.state.isFlying else { return nil }
        let source = isDown ? LandingPoint.Source.lastPrediction : .predicted
        let isKnown = shows {
            $0.source == source && $0.at == forecast.computedAt && $0.method == forecast.method
        }
        guard !isKnown else { return nil }
        let landing = forecast.prediction.landing
        return LandingPoint(
            coordinate: landing.coordinate, altitudeMetres: landing.altitudeMetres, source: source,
            method: forecast.method, at: forecast.computedAt, radius50Metres: forecast.prediction.radius.metres50,
            radius90Metres: forecast.prediction.radius.metres90, landingAt: landing.time,
            error50Seconds: forecast.prediction.radius.seconds50)
    }

    /// The last place of a sonde that has landed without any prediction, for example one whose altitudes are frozen.
    private func lastHeard(_ facts: Facts, _ flight: Flight, at now: Moment) -> LandingPoint? {
        // In the round in which it lands, a prediction may still come.
        guard point == nil, facts.sonde.phase.phase == .landed, flight.phase.phase == .landed,
            let last = flight.lastSeen
        else { return nil }
        return LandingPoint(
            coordinate: last.coordinate, altitudeMetres: last.altitudeMetres, source: .lastPrediction,
            at: now.earlier(at: last.time))
    }

    private mutating func remember(_ next: LandingPoint, of serial: SondeSerial?, _ turn: inout Turn) {
        // The point that was set by hand, and the bearings, are stored separately.
        guard next.source != .manual, next.source != .bearings else { return }
        if let last = way.last, next.source == .predicted {
            let moved = last.original.coordinate.distanceMetres(to: next.coordinate)
            let isDue = turn.now.wall.duration(since: last.time(\.time, by: turn.clock)) >= Self.pace
            guard isDue || moved > (next.radius50Metres ?? 0) / 4 else { return }
        }
        let entry = EarlierLandingPoint(coordinate: next.coordinate, time: turn.now.wall)
        way.append(Dated(entry, by: turn.clock))
        thin(by: turn.clock)
        if let serial { turn.record(.landingPoint(serial, entry)) }
    }

    /// Drops the points that are closest in time to those beside them, so that the whole way stays.
    private mutating func thin(by clock: RunClock) {
        while way.count > Self.limit {
            let times = way.map { $0.time(\.time, by: clock) }
            func gap(_ index: Int) -> Duration { times[index + 1].duration(since: times[index - 1]) }
            let inner = way.indices.dropFirst().dropLast()
            guard let closest = inner.min(by: { gap($0) < gap($1) }) else { return }
            way.remove(at: closest)
        }
    }

    private mutating func announce(_ next: LandingPoint, of flight: Flight, _ turn: inout Turn) {
        guard let old = announced else {
            let awaited = townAwaitedUntil
            townAwaitedUntil = nil
            // Before that nothing is measured, and the first sentence would be far wrong.
            if next.source == .predicted, let height = flight.metresAbovePad, height < Self.firstMetres { return }
            if isFirstTold(next), isTownMissing(next, &turn) {
                let until = awaited ?? turn.now.monotonic.advanced(by: Self.townLimit)
                if turn.now.monotonic < until { return townAwaitedUntil = until }
            }
            announced = Announced(place: next.coordinate)
            // An observed landing has its own announcement. A crew that sets a point by hand knows it.
            if isFirstTold(next) {
                turn.announce(.firstPrediction(spoken(next, &turn)))
            }
            return
        }
        let way = Geodesic(from: old.place, to: next.coordinate)
        guard next.source != .observed, way.metres > max(Self.announcedMetres, next.radius50Metres ?? 0) else {
            // An observed landing has its own announcement.
            announced = Announced(place: next.source == .observed ? next.coordinate : old.place)
            return
        }
        // Another source begins a move of its own.
        let farSince = old.source == next.source ? old.farSince ?? turn.now.monotonic : turn.now.monotonic
        let dueAt = farSince.advanced(by: timeToLast(next, isDescending: flight.hasDescentBegun, at: turn.now))
        announced = Announced(place: old.place, farSince: farSince, source: next.source, dueAt: dueAt)
        // A point that was set by hand will not come back.
        guard turn.now.monotonic >= dueAt || next.source == .manual else { return }
        movedMetres = way.metres
        turn.announce(.landingMoved(to: spoken(next, &turn), metres: way.metres, degrees: way.bearingDegrees))
        announced = Announced(place: next.coordinate)
    }

    /// The landing by a prediction, as it is said now beside another event; at the place that was set by hand, if there is
    /// one. Later moves are measured from there.
    mutating func tell(_ forecast: Forecast, _ turn: inout Turn) -> SpokenLanding {
        let landing = forecast.prediction.landing
        let place = manual?.coordinate ?? landing.coordinate
        if announced != nil { announced = Announced(place: place) }
        let left = forecast.rendered(by: turn.clock).timeToGo(at: turn.now.monotonic)
        return SpokenLanding(
            place, timeToGo: left > .zero ? left : nil,
            radius50Metres: manual == nil ? forecast.prediction.radius.metres50 : nil,
            town: turn.towns.town(near: place))
    }

    /// Whether the gateway announces this point if it is the first one.
    private func isFirstTold(_ point: LandingPoint) -> Bool {
        point.source == .predicted || point.source == .bearings
    }

    /// Whether a sentence would have no place, and the town is still looked up.
    private func isTownMissing(_ point: LandingPoint, _ turn: inout Turn) -> Bool {
        turn.looksUpTowns && turn.car == nil && turn.towns.town(near: point.coordinate) == nil
    }

    private func spoken(_ point: LandingPoint, _ turn: inout Turn) -> SpokenLanding {
        SpokenLanding(
            point.coordinate, timeToGo: point.timeLeft(at: turn.now.monotonic),
            radius50Metres: point.radius50Metres, town: turn.towns.town(near: point.coordinate),
            isCrossing: point.source == .bearings)
    }

    /// How long a move must last until it is said.
    private func timeToLast(_ next: LandingPoint, isDescending: Bool, at now: Moment) -> Duration {
        guard isDescending else { return Self.lastingInAscent }
        let left = next.timeToGo(at: now.monotonic) ?? .zero
        return left < Self.lastMinutes ? Self.lastingInLastMinutes : Self.lastingInDescent
    }
}
