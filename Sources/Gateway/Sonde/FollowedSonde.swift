import FlightMath
import GatewayReports
import ReceiverProtocol

/// Everything that is known of the sonde the gateway follows. Another sonde is another value: nothing can be left over.
struct FollowedSonde: Sendable {
    /// Nil while no sonde is known.
    let serial: SondeSerial?
    /// SondeHub's name for it, if that differs from the receiver's.
    var otherName: SondeSerial?
    /// As it was last named; nil when nobody has.
    private(set) var sondeType: SondeType?
    private(set) var flight = Flight()
    /// Counts the flights of this sonde since it is followed.
    private(set) var flightNumber = 0
    private(set) var radio = RadioChannel()
    private(set) var news = SondeHubNews()
    private var jumpFilter = JumpFilter()
    var gapFill = GapFill()
    private(set) var predictions = Predictions()
    private(set) var landing = LandingBook()
    private(set) var scores = LandingScores()
    /// The prediction in force.
    private(set) var forecast: Forecast?
    /// Of the newest that was published: the next one is later.
    private(set) var lastPublished: WallTime?
    /// When the receiver last gave a position of it.
    private(set) var lastHeard: WallTime?
    /// When the receiver last heard anything of it, if only its name.
    private var lastHeardAt: MonotonicTime?
    private var wasSilent = false
    /// When a sonde that nobody hears must be down by its prediction.
    private var overdueAt: MonotonicTime?
    /// It comes from an earlier run, and nothing has been heard of it in this one.
    private(set) var isTakenUp = false
    /// Up to here an earlier run knew it.
    private var resumedUntil: WallTime?
    private var wasOnSondeHub = false
    /// What earlier flights teach of this one.
    private var learned: LearnedParameters?
    /// Where the car was when it was last known, metres above sea level.
    private var carMetres: Double?

    /// Without the receiver's positions for this long, SondeHub is asked for what was missed (specification 4.4).
    private static let silenceToFill = Duration.seconds(60)

    init(_ serial: SondeSerial?, type: SondeType? = nil) {
        self.serial = serial
        sondeType = type
        if serial != nil { gapFill.want(since: nil) }
    }

    /// Goes on with this sonde's flight as an earlier run has recorded it. This run may have heard it already.
    /// - Parameter wasSaidDown: that run has said that it has probably landed.
    mutating func join(_ recorded: RecordedFlight, wasSaidDown: Bool, published: WallTime?, _ turn: inout Turn) {
        let (now, isHeard) = (turn.now, lastHeardAt != nil || news.heardAt != nil)
        lastPublished = [lastPublished, published].compactMap { $0 }.max()
        sondeType = sondeType ?? recorded.sondeType.named
        // That run has announced them.
        let changes = flight.insert(contentsOf: recorded.points).changes
        if wasSaidDown, !isHeard { flight.stayDownInSilence() }
        learned = nil
        scores.join(recorded.predictions)
        landing.join(
            recorded.landingPoints, landed: flight.landingPlace,
            radius90: recorded.landingPoints.last.flatMap { scores.radius90(of: $0) }, at: now)
        if let place = flight.landingPlace { _ = scores.judge(place, sayAt: nil) }
        lastHeard = lastHeard ?? recorded.points.last { $0.source == .ble }?.time
        guard let last = recorded.points.last else { return }
        resumedUntil = last.time
        if gapFill.isWanted { gapFill.want(since: last.time) }
        for case .newFlight(let first) in changes where isHeard { beginAnew(since: first.time, &turn) }
        guard !isHeard else { return }
        var heardAt = now.earlier(at: last.time).monotonic
        // Whatever this start's clock says.
        if wasSaidDown { heardAt = min(heardAt, now.monotonic.advanced(by: .zero - SondeHubNews.silence)) }
        (isTakenUp, lastHeardAt) = (true, heardAt)
        jumpFilter.learn(last.coordinate, at: heardAt)
    }

    var deadline: MonotonicTime? {
        .earliest(gapFill.deadline, wasSilent ? nil : silentFrom, overdueAt, predictions.deadline, scores.sayAt)
    }

    /// It has been followed before: times go on from there.
    mutating func goOn(from published: WallTime?) { lastPublished = published }

    /// Nobody follows it any more.
    mutating func leave(_ turn: inout Turn) {
        gapFill.stop(&turn)
        predictions.stop(&turn)
    }

    // MARK: - The receiver's frames

    /// - Returns: whether the frame gave a position.
    mutating func hear(_ heard: HeardFrame, _ turn: inout Turn) -> Bool {
        // The receiver may still hear another one while SondeHub's is followed.
        let isOwn = heard.serial == nil || serial == nil || heard.serial == serial
        if isOwn { radio.observe(heard) }
        // A name without a position: it is heard all the same.
        if serial != nil, heard.serial == serial { lastHeardAt = heard.at.monotonic }
        var publishedAt: WallTime?
        if case .implausible(let fault) = heard.frame.position { turn.refusePosition(fault.rawValue) }
        if let position = heard.position {
            switch jumpFilter.judge(position, of: heard, isSondeKnown: serial != nil) {
            case .accept: publishedAt = publish(position, of: heard, &turn)
            case .refuse(let refusal): turn.refusePosition(refusal.rawValue)
            case .release(let frames, let forgetsTrack):
                if forgetsTrack { forgetTrack(&turn) }
                turn.refuse(PositionRefusal.jump.rawValue, count: 1 - frames.count)
                for frame in frames {
                    if let position = frame.position { publishedAt = publish(position, of: frame, &turn) }
                }
            }
        }
        turn.report(
            .radio(
                RadioReport(
                    serial: publishedAt == nil ? heard.serial : serial, heard: heard,
                    sondeFrequencyMHz: isOwn ? news.record?.frequencyMHz : nil,
                    afcMeanHz: isOwn ? radio.afcMeanHz : nil, time: publishedAt ?? heard.at.wall)))
        return publishedAt != nil
    }

    /// - Returns: the time it was published with.
    private mutating func publish(_ position: Position, of heard: HeardFrame, _ turn: inout Turn) -> WallTime {
        // Two frames in one millisecond: the second is stamped one later, so that times of a sonde strictly increase.
        let time = max(heard.at.wall, lastPublished?.advanced(byMilliseconds: 1) ?? heard.at.wall)
        lastPublished = time
        sondeType = heard.frame.sondeType
        turn.report(
            .position(
                PositionReport(
                    position, of: heard, serial: serial, burstKillerAt: radio.burstKillerAt, time: time)))
        guard serial != nil else { return time }
        if let lastHeard, time.duration(since: lastHeard) >= Self.silenceToFill { gapFill.want(since: lastHeard) }
        (lastHeard, lastHeardAt) = (time, heard.at.monotonic)
        isTakenUp = false
        insert(TrackPoint(position, at: time), &turn)
        return time
    }

    // MARK: - SondeHub

    /// SondeHub answered with a frame of this sonde.
    /// - Returns: whether it is news.
    mutating func update(with latest: LatestRecord) -> Bool {
        let isNew = news.update(with: latest)
        if isNew {
            if latest.record.sondeType.isNamed { sondeType = latest.record.sondeType }
            jumpFilter.learn(latest.record.coordinate, at: latest.at.monotonic.advanced(by: .zero - latest.age))
        }
        return isNew
    }

    /// SondeHub gave no usable answer, or none with this sonde.
    mutating func sondeHubHasNone() { news.becomesUnavailable() }

    /// A piece of the track that was asked for, or its end.
    mutating func fillGap(with answer: Answer, _ turn: inout Turn) {
        guard let serial else { return }
        switch answer {
        case .trackPart(let piece): gapFill.collect(piece.records, of: otherName ?? serial, at: turn.now)
        case .trackEnd: filled(gapFill.ended(nil, &turn), of: serial, &turn)
        case .failed(let error): filled(gapFill.ended(error, &turn), of: serial, &turn)
        case .sondes, .prediction, .route, .carShared: break  // Asked by nobody here.
        }
    }

    private mutating func filled(_ points: [TrackPoint], of serial: SondeSerial, _ turn: inout Turn) {
        let (taken, changes) = flight.insert(contentsOf: points)
        if taken > 0 {
            turn.record(.points(serial, sondeType ?? .other(""), points))
            turn.note(.info, "gap filled from SondeHub", facts: ["points": "\(taken)", "of": "\(points.count)"])
            announce(changes, &turn)
            predictions.askNow(at: turn.now.monotonic)
        }
        gapFill.widen(
            firstMetres: flight.track.points.first?.altitudeMetres, gained: taken, of: otherName ?? serial, &turn)
    }

    // MARK: - What follows from the facts

    /// - Parameter asksSondeHub: false when it is switched off.
    mutating func follow(
        _ facts: Facts, by parameters: PredictionParameters, taughtBy book: inout LessonBook, asksSondeHub: Bool,
        _ turn: inout Turn
    ) {
        carMetres = facts.car?.altitudeMetres ?? carMetres
        let parameters = taught(parameters, by: book)
        if facts.state.isLiveBLE { news.becomesUnavailable() }
        if facts.state.isAPRS, !wasOnSondeHub, serial != nil {
            // Since the last whole second that is known for sure.
            let known = [lastHeard, gapFill.filledUntil, resumedUntil].compactMap { $0 }.max()
            if !gapFill.isWanted { gapFill.want(since: known) }
        }
        wasOnSondeHub = facts.state.isAPRS
        // Each looks at what the one before has made of the flight.
        if facts.state.isAPRS { publishLatestRecord(facts, &turn) }
        predict(facts, by: parameters, &turn)
        judgeSilence(&turn)
        judgeLanding(facts, teaching: &book, &turn)
        if let sondeHubSerial, asksSondeHub, !facts.isStopping { gapFill.askForWanted(of: sondeHubSerial, &turn) }
    }

    /// Nothing from anybody: the receiver's last position and SondeHub's newest frame are both that old.
    private mutating func judgeSilence(_ turn: inout Turn) {
        wasSilent = silentFrom.map { turn.now.monotonic >= $0 } ?? false
        let landingAt = forecast?.prediction.landing.time ?? scores.landingAt
        announce(
            flight.judgeSilence(isSilent: wasSilent, predictedLandingAt: landingAt, at: turn.now.wall), &turn)
        overdueAt = nil
        guard wasSilent, flight.phase.phase != .landed, flight.hasDescended, let landingAt else { return }
        let left = landingAt.duration(since: turn.now.wall) + Flight.silentLandingDelay
        if left > .zero { overdueAt = turn.now.monotonic.advanced(by: left) }
    }

    /// When the last who heard it will have been silent for long enough; nil when nobody ever did.
    private var silentFrom: MonotonicTime? {
        [lastHeardAt, news.heardAt].compactMap { $0 }.max()?.advanced(by: SondeHubNews.silence)
    }

    /// Publishes SondeHub's newest frame while SondeHub is the source, once.
    private mutating func publishLatestRecord(_ facts: Facts, _ turn: inout Turn) {
        guard let record = news.record, !news.isShown else { return }
        news.isShown = true
        let age = news.age(at: turn.now.monotonic)
        // An old frame is no live position, wherever it comes from.
        if age < SondeHubNews.silence, lastPublished.map({ record.time > $0 }) ?? true {
            lastPublished = record.time
            turn.report(
                .position(
                    PositionReport(
                        record, named: sondeHubSerial, burstKillerAt: radio.burstKillerAt, age: age, at: turn.now)))
            if !facts.canReceiveCommands {
                turn.report(.radio(RadioReport(record, heardAt: facts.heardAt, at: turn.now)))
            }
        }
        let isNew = flight.newest.map { record.time > $0.time } ?? true
        if facts.state == .aprsFlying, isNew { insert(TrackPoint(record), &turn) }
    }

    // MARK: - The landing

    private mutating func taught(_ parameters: PredictionParameters, by book: LessonBook) -> PredictionParameters {
        if let first = flight.track.points.first, let newest = flight.newest,
            !(learned?.isStill(for: sondeType, from: first, at: newest) ?? false)
        {
            learned = LearnedParameters(book, for: sondeType, from: first, at: newest)
        }
        var parameters = parameters
        flight.groundAltitudeMetres = parameters.options.groundAltitudeMetres ?? learned?.groundMetres ?? carMetres
        parameters.learned = learned
        return parameters
    }

    private mutating func predict(_ facts: Facts, by parameters: PredictionParameters, _ turn: inout Turn) {
        predictions.follow(facts, flight: flight, by: parameters, isPlaceKnown: !landing.history.isEmpty, &turn)
        guard flight.phase.phase != .landed || forecast == nil else { return }
        let next = predictions.inForce(flight, at: turn.now.monotonic)
        if let next, next != forecast { scores.note(next, isInForce: true, of: serial, &turn) }
        if let own = predictions.own, own.method != next?.method {
            scores.note(own, isInForce: false, of: serial, &turn)
        }
        forecast = next
    }

    private mutating func judgeLanding(_ facts: Facts, teaching book: inout LessonBook, _ turn: inout Turn) {
        // Said when the landing has been.
        let sayAt = turn.now.monotonic.advanced(by: Speech.spacing)
        if let place = flight.landingPlace, scores.judge(place, sayAt: sayAt) {
            let lesson = FlightLesson(
                of: flight, landed: place, type: sondeType,
                worstRatio: scores.worstRatio(place, factor: learned?.radiusFactor ?? 1))
            if book.add(lesson), let serial { turn.record(.lesson(serial, lesson)) }
        }
        if let score = scores.toSay(at: turn.now.monotonic) { turn.announce(.scored(score)) }
        landing.follow(facts, flight: flight, forecast: forecast, &turn)
    }

    /// The answer to a question for a prediction.
    mutating func predicted(
        _ answer: Answer, by parameters: PredictionParameters, taughtBy book: LessonBook, _ turn: inout Turn
    ) {
        predictions.answered(answer, for: flight, by: taught(parameters, by: book), &turn)
    }

    /// By command.
    mutating func predictNow(at now: Moment) { predictions.askNow(at: now.monotonic) }

    /// By command; nil takes it back.
    mutating func set(landingPoint place: Coordinate?, at now: Moment) { landing.set(manual: place, at: now) }

    /// As an earlier command has set it.
    mutating func setAgain(_ stored: StoredPlace, at now: Moment) {
        landing.setAgain(manual: stored.place, at: stored.at.map { now.earlier(at: $0) } ?? now)
    }

    // MARK: - The flight

    private mutating func insert(_ point: TrackPoint, _ turn: inout Turn) {
        let (isTaken, changes) = flight.insert(point)
        if isTaken, let serial { turn.record(.points(serial, sondeType ?? .other(""), [point])) }
        announce(changes, &turn)
    }

    /// The first position was wrong. What SondeHub or an earlier run knows of the flight stays.
    private mutating func forgetTrack(_ turn: inout Turn) {
        let points = flight.track.points
        guard points.count < JumpFilter.framesToAgree else { return }
        if let serial, let first = points.first, let last = points.last {
            turn.record(.forgotten(serial, from: first.time, through: last.time))
        }
        flight = Flight()
    }

    private mutating func announce(_ changes: [Flight.Change], _ turn: inout Turn) {
        for change in changes {
            switch change {
            case .burst(let point): turn.announce(.burst(point))
            case .landed(let point): turn.announce(.landed(point))
            case .burstRevoked(let point): turn.announce(.burstRevoked(point))
            case .landedInSilence(let point): sayDown(point, &turn)
            case .moved(let point): turn.announce(.moved(point))
            case .heardAgain: if flight.isAboveGround { turn.announce(.airborne) }  // Most often it lies there.
            case .newFlight(let first):
                beginAnew(since: first.time, &turn)
                turn.announce(.airborne)
            case .trackTruncated(let truncation): turn.announce(.trackTruncated(truncation))
            }
        }
    }

    /// Another flight begins: nothing that was predicted of the one before is left.
    private mutating func beginAnew(since start: WallTime, _ turn: inout Turn) {
        if let serial { turn.record(.newFlight(serial, since: start)) }
        flightNumber += 1
        predictions.stop(&turn)
        (predictions, landing, scores) = (Predictions(), LandingBook(), LandingScores())
        (forecast, learned) = (nil, nil)
    }

    mutating func linkOpened() { radio.linkOpened() }

    /// The wall clock was wrong and has been set: times may go back this once.
    /// - Parameter start: points before are from an earlier run, whose clock is not meant.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        lastPublished = nil
        lastHeard = lastHeard?.clockSet(byMilliseconds: change, since: start)
        radio.clockSet(byMilliseconds: change)
        gapFill.clockSet(byMilliseconds: change, since: start)
        flight.clockSet(byMilliseconds: change, since: start)
        predictions.clockSet(byMilliseconds: change)
        forecast?.clockSet(byMilliseconds: change)
        landing.clockSet(byMilliseconds: change, since: start)
        scores.clockSet(byMilliseconds: change, since: start)
    }
}
