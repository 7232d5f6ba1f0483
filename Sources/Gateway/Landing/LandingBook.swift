import FlightMath
import GatewayReports
import ReceiverProtocol

/// The landing point's one authority: which source counts, its history, and when it has moved far enough to be said.
///
///     flight                        landing point
///     landed, at rest               observed; ends a manual one
///     set by command                manual, until taken back
///     landed, by silence            last_prediction
///     flying, with a prediction     predicted
///     else                          what it was; stored after a restart
struct LandingBook: Equatable, Sendable {
    /// A new one this near to the last is the same, metres (specification 3.6).
    private static let sameMetres = 25.0
    /// Moved further than this it is announced, metres.
    private static let announcedMetres = 300.0
    /// And said aloud, if that is more than so much of the radius in which half of all land: less is no news.
    private static let tellingShare = 0.25
    /// Earlier points kept; the oldest go.
    static let limit = 200

    private(set) var point: LandingPoint?
    private(set) var history: [EarlierLandingPoint] = []
    /// From the last one that was announced to the next, metres; nil before any move.
    private(set) var movedMetres: Double?
    private var manual: LandingPoint?
    /// What counts when the manual one is taken back.
    private var aside: LandingPoint?
    private var announced: Coordinate?
    /// What the crew last heard of.
    private var said: Coordinate?

    /// Adds what an earlier run has stored; its last point counts until there is a newer one.
    /// - Parameters:
    ///   - landed: where that run saw it come to rest.
    ///   - radius90: of the prediction that the last point came from, metres.
    mutating func join(_ stored: [EarlierLandingPoint], landed: TrackPoint?, radius90: Double?, at now: Moment) {
        history = (stored + history).suffix(Self.limit)
        guard point == nil, let last = history.last else { return }
        let isSeen = landed.map { $0.coordinate.distanceMetres(to: last.coordinate) < Self.sameMetres } ?? false
        point = LandingPoint(
            coordinate: last.coordinate, source: .stored, at: now.earlier(at: last.time), radius90Metres: radius90)
        if isSeen, let landed { point = seen(landed, at: now.earlier(at: last.time)) }
        (announced, said) = (last.coordinate, last.coordinate)
    }

    /// By command; nil takes it back.
    mutating func set(manual place: Coordinate?, at now: Moment) {
        if point?.source != .manual { aside = point }
        manual = place.map { LandingPoint(coordinate: $0, source: .manual, at: now) }
        if manual == nil, point?.source == .manual { point = nil }
    }

    /// As it was set by command before another sonde was followed, or before a restart: it has been said.
    /// - Parameter at: when the command came.
    mutating func setAgain(manual place: Coordinate, at: Moment) {
        set(manual: place, at: at)
        (announced, said) = (place, place)
    }

    private func seen(_ place: TrackPoint, at moment: Moment) -> LandingPoint {
        LandingPoint(
            coordinate: place.coordinate, altitudeMetres: place.altitudeMetres, source: .observed, at: moment,
            landingAt: place.time)
    }

    /// The wall clock was wrong and has been set.
    /// - Parameter start: what is older is of an earlier run, whose clock is not meant.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        point?.clockSet(byMilliseconds: change, since: start)
        manual?.clockSet(byMilliseconds: change, since: start)
        aside?.clockSet(byMilliseconds: change, since: start)
        for index in history.indices where history[index].time >= start {
            history[index].time = history[index].time.advanced(byMilliseconds: change)
        }
    }

    /// Where it comes down as far as anybody can say who hasn't seen it; nil when nobody can.
    func guess(by forecast: Forecast?) -> Coordinate? {
        manual?.coordinate ?? forecast?.prediction.landing.coordinate ?? point?.coordinate
    }

    mutating func follow(_ facts: Facts, flight: Flight, forecast: Forecast?, _ turn: inout Turn) {
        if flight.landingPlace != nil { manual = nil }
        guard let next = next(facts, flight: flight, forecast: forecast, at: turn.now) else { return }
        let isSame = point.map { $0.coordinate.distanceMetres(to: next.coordinate) < Self.sameMetres } ?? false
        let isOfSameKind = point?.source == next.source
        if isSame, isOfSameKind, let old = point {
            // The place stays, what is known of it is new.
            point = next
            point?.coordinate = old.coordinate
            return
        }
        point = next
        if !isSame { remember(next, of: facts.serial, &turn) }
        announce(next, &turn)
    }

    private mutating func next(_ facts: Facts, flight: Flight, forecast: Forecast?, at now: Moment) -> LandingPoint? {
        if let place = flight.landingPlace {
            guard point?.source != .observed || point?.coordinate != place.coordinate else { return nil }
            return seen(place, at: now)
        }
        let predicted = predicted(facts, flight: flight, forecast: forecast)
        if let manual {
            aside = predicted ?? aside
            return point == manual ? nil : manual
        }
        return predicted ?? (point == nil ? aside : nil)
    }

    /// - Returns: nil when nobody knows anything newer.
    private func predicted(_ facts: Facts, flight: Flight, forecast: Forecast?) -> LandingPoint? {
        guard let forecast else { return nil }
        let isDown = flight.phase.phase == .landed
        let isFlying = facts.state == .liveBLEFlying || facts.state == .aprsFlying
        guard isDown || isFlying else { return nil }
        let source = isDown ? LandingPoint.Source.lastPrediction : .predicted
        guard point?.source != source || point?.at != forecast.computedAt || point?.method != forecast.method else {
            return nil
        }
        let landing = forecast.prediction.landing
        return LandingPoint(
            coordinate: landing.coordinate, altitudeMetres: landing.altitudeMetres, source: source,
            method: forecast.method, at: forecast.computedAt, radius50Metres: forecast.prediction.radius.metres50,
            radius90Metres: forecast.prediction.radius.metres90, landingAt: landing.time)
    }

    private mutating func remember(_ next: LandingPoint, of serial: SondeSerial?, _ turn: inout Turn) {
        // What was set by hand is stored apart, until it is taken back.
        guard next.source != .manual else { return }
        let entry = EarlierLandingPoint(coordinate: next.coordinate, time: turn.now.wall)
        history.append(entry)
        if history.count > Self.limit { history.removeFirst(history.count - Self.limit) }
        if let serial { turn.record(.landingPoint(serial, entry)) }
    }

    private mutating func announce(_ next: LandingPoint, _ turn: inout Turn) {
        guard let old = announced else {
            (announced, said) = (next.coordinate, next.coordinate)
            // A landing that was seen says itself.
            if next.source == .predicted {
                turn.announce(.firstPrediction(next.coordinate, timeToGo: next.timeToGo(at: turn.now.monotonic)))
            }
            return
        }
        guard old.distanceMetres(to: next.coordinate) > Self.announcedMetres else { return }
        announced = next.coordinate
        let heard = said ?? old
        let doubt = (next.radius50Metres ?? 0) * Self.tellingShare
        let isNews = heard.distanceMetres(to: next.coordinate) > max(Self.announcedMetres, doubt)
        // Who hears of it has to know from where; who only reads has read the last one.
        let from = isNews ? heard : old
        let metres = from.distanceMetres(to: next.coordinate)
        movedMetres = metres
        let isSaid = turn.announce(
            .landingMoved(to: next.coordinate, metres: metres, degrees: from.bearingDegrees(to: next.coordinate)),
            isNews: isNews)
        if isSaid { said = next.coordinate }
    }
}
