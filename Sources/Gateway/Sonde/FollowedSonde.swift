import FlightMath
import GatewayReports
import ReceiverProtocol

/// The gateway's knowledge of the sonde that it follows. Each sonde has its own value, so nothing of another sonde can
/// remain in it.
struct FollowedSonde: Sendable {
    /// Nil while no sonde is known.
    let serial: SondeSerial?
    /// SondeHub's name for it, if that differs from the receiver's.
    var otherName: SondeSerial?
    /// All names that SondeHub has used for it in this run, besides ``serial``.
    var otherNames: Set<SondeSerial> = []
    /// The receiver's name for it, if SondeHub has named it first and the names differ.
    var receiverName: SondeSerial?
    /// The sonde's type as it was last named; nil while no frame has named it.
    private(set) var sondeType: SondeType?
    var flight = Flight()
    /// The number of flights of this sonde since the gateway follows it.
    var flightNumber = 0
    private(set) var radio = RadioChannel()
    private(set) var news = SondeHubNews()
    private var jumpFilter = JumpFilter()
    private var receiverRepeats = RepeatFilter()
    var sondeHubRepeats = RepeatFilter()
    var clocks = StationClocks()
    var gapFill = GapFill()
    var predictions = Predictions()
    var landing = LandingBook()
    var scores = LandingScores()
    private(set) var outline = FlightOutline()
    /// The prediction in force.
    var forecast: Forecast?
    /// The time of the newest published position. The next position gets a later time.
    private(set) var lastPublished: WallTime?
    /// The time of the receiver's last position of this sonde.
    private(set) var lastHeard: WallTime?
    /// When the receiver last heard this sonde, even without a position.
    private(set) var lastHeardAt: MonotonicTime?
    private var wasSilent = false
    /// No source has heard the sonde for ``Flight/unheardLimit``.
    private(set) var isUnheard = false
    /// No source has heard the sonde for ``lostLimit``.
    private(set) var isLost = false
    /// The announcement that the gateway follows the sonde. It is said when a source hears the sonde; nil after that.
    var introduction: Announcement?
    /// A landing that was taken back and whose lesson must still be removed; nil if there is none.
    var revokedLanding: TrackPoint?
    /// When the silence reaches its next limit; nil if there is none.
    private var silenceDeadline: MonotonicTime?
    /// The flight comes from an earlier run, and this run has not heard the sonde yet.
    private(set) var isTakenUp = false
    /// The last point that an earlier run recorded.
    private(set) var resumedUntil: WallTime?
    /// The time of the newest frame that came over the live stream.
    var lastStreamed: WallTime?
    private var wasOnSondeHub = false
    var winds = FlightWinds()
    var terrain = LandingTerrain()
    /// The parameters that earlier flights give for this one.
    var learned: LearnedParameters?
    /// The altitude of the car's last known position, metres above sea level.
    private var carMetres: Double?
    /// The launch site that is nearest to where the flight was first heard; nil if none is near.
    private var launchedAt: LaunchSite?

    /// After this long without a position of the receiver, the gateway asks SondeHub for the missed points
    /// (specification 4.4).
    private static let silenceToFill = Duration.seconds(60)
    /// After this long without a frame of the sonde its phase is unknown (2.3).
    private static let lostLimit = Duration.seconds(10_800)

    init(_ serial: SondeSerial?, type: SondeType? = nil) {
        self.serial = serial
        sondeType = type
        if serial != nil { gapFill.want(since: nil) }
    }

    /// Adds the flight that an earlier run has recorded. This run may have heard the sonde already.
    /// - Parameter wasSaidDown: that run has announced that the sonde has probably landed.
    mutating func join(_ recorded: RecordedFlight, wasSaidDown: Bool, published: WallTime?, _ turn: inout Turn) {
        let (now, isHeard) = (turn.now, lastHeardAt != nil || news.heardAt != nil)
        lastPublished = [lastPublished, published].compactMap { $0 }.max()
        sondeType = sondeType ?? recorded.sondeType.named
        flight.expect(recorded.predictions.last.map { LandingExpectation($0) })
        let changes = flight.insert(contentsOf: recorded.points).changes
        if wasSaidDown, !isHeard { flight.stayDownInSilence() }
        scores.join(recorded.predictions)
        landing.join(
            recorded.landingPoints, flight, radius90: scores.radius90(of: recorded.landingPoints.last), at: now)
        if let place = flight.landingPlace, flight.landingTime != .unknown { _ = scores.judge(place, sayAt: nil) }
        lastHeard = lastHeard ?? recorded.points.last { $0.source == .ble }?.time
        guard let last = recorded.points.last else { return }
        resumedUntil = last.time
        gapFill.resume(since: recorded.knownUntil ?? last.time)
        for case .newFlight(let first) in changes where isHeard { beginAnew(since: first.time, &turn) }
        guard !isHeard else { return announce(changes.filter { $0.isNews(after: last) }, &turn) }
        var heardAt = now.earlier(at: last.time).monotonic
        // The clock of this start may be wrong, so the silence is at least this long.
        if wasSaidDown { heardAt = min(heardAt, now.monotonic.advanced(by: .zero - SondeHubNews.silence)) }
        (isTakenUp, lastHeardAt) = (true, heardAt)
        jumpFilter.learn(last.coordinate, at: heardAt)
    }

    var deadline: MonotonicTime? {
        .earliest(
            gapFill.deadline, winds.borrowing.deadline, silenceDeadline, predictions.deadline, scores.sayAt,
            outline.deadline)
    }

    /// Sets the time of the sonde's newest published position when the gateway follows it again.
    mutating func goOn(from published: WallTime?) { lastPublished = published }

    /// The gateway no longer follows this sonde. Ends its requests.
    mutating func leave(_ turn: inout Turn) {
        gapFill.leave(&turn)
        predictions.stop(&turn)
        winds.borrowing.stop(&turn)
        terrain.stop(&turn)
        news.becomesUnavailable()
        radio.linkOpened()
    }

    /// The gateway follows the sonde again after less than three hours. It asks only for the points that it has missed.
    mutating func comeBack() {
        wasOnSondeHub = false
        gapFill.comeBack(since: knownUntil ?? flight.newest?.time)
    }

    /// Whether a source has heard the sonde within ``lostLimit``, so that its flight may continue.
    func isRecent(at now: MonotonicTime) -> Bool { heardAt.map { now.duration(since: $0) < Self.lostLimit } ?? false }

    // MARK: - The receiver's frames

    /// - Returns: whether the frame gave a position.
    mutating func hear(_ heard: HeardFrame, _ turn: inout Turn) -> Bool {
        // The gateway may follow SondeHub's sonde while the receiver still hears another one.
        let isOwn = heard.serial == nil || serial == nil || heard.serial == serial
        if isOwn { radio.observe(heard) }
        let isNamed = serial != nil && heard.serial == serial
        // A frame with the name but without a position also shows that the receiver hears the sonde.
        if isNamed, heard.position == nil { lastHeardAt = heard.at.monotonic }
        var publishedAt: WallTime?
        if case .implausible(let fault) = heard.frame.position { turn.refusePosition(fault.rawValue) }
        if let position = heard.position {
            switch jumpFilter.judge(position, of: heard, isSondeKnown: serial != nil) {
            case .accept: publishedAt = publish(position, of: heard, &turn)
            case .refuse(let refusal):
                if isNamed { lastHeardAt = heard.at.monotonic }
                turn.refusePosition(refusal.rawValue)
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

    /// - Returns: the time in the published position.
    private mutating func publish(_ position: Position, of heard: HeardFrame, _ turn: inout Turn) -> WallTime {
        // Two frames in one millisecond: the second is stamped one later, so that times of a sonde strictly increase.
        let time = max(heard.at.wall, lastPublished?.advanced(byMilliseconds: 1) ?? heard.at.wall)
        lastPublished = time
        sondeType = heard.frame.sondeType
        let isRepeat = receiverRepeats.isRepeat(position)
        turn.report(
            .position(
                PositionReport(
                    position, of: heard, serial: serial, burstKillerAt: radio.burstKillerAt, time: time,
                    isRepeat: isRepeat)))
        guard serial != nil, !isRepeat else { return time }
        if let lastHeard, time.duration(since: lastHeard) >= Self.silenceToFill {
            gapFill.want(since: max(lastHeard, lastStreamed ?? lastHeard), until: time)
        }
        (lastHeard, lastHeardAt) = (time, heard.at.monotonic)
        isTakenUp = false
        // Of frames that arrive together after a pause, only the last shows the present place. The times of the other
        // places are unknown.
        if !turn.moreFollows { insert(TrackPoint(position, at: time), &turn) }
        return time
    }

    // MARK: - SondeHub

    /// SondeHub answered with a frame of this sonde.
    /// - Parameter latest: the record, whose time ``clocks`` has corrected.
    /// - Returns: whether the frame is newer than the last one.
    mutating func update(with latest: LatestRecord) -> Bool {
        let isRepeat = latest.record.time != news.record?.time && sondeHubRepeats.isRepeat(latest.record)
        let isNew = news.update(with: latest, isRepeat: isRepeat)
        if isNew {
            if latest.record.sondeType.isNamed { sondeType = latest.record.sondeType }
            jumpFilter.learn(latest.record.coordinate, at: latest.at.monotonic.advanced(by: .zero - latest.age))
        }
        return isNew
    }

    /// SondeHub has this sonde, but the frame's time is unknown.
    mutating func update(withUndated latest: LatestRecord) { news.update(withUndated: latest) }

    /// SondeHub gave no usable answer, or none with this sonde.
    mutating func sondeHubHasNone() { news.becomesUnavailable() }

    /// Inserts points that are not live into the track.
    /// - Returns: how many of them the track did not have.
    mutating func insert(late points: [TrackPoint], _ turn: inout Turn) -> Int {
        let (taken, changes) = flight.insert(contentsOf: points)
        guard taken > 0, let serial else { return 0 }
        turn.record(.points(serial, sondeType ?? .other(""), points))
        announce(changes, &turn)
        return taken
    }

    // MARK: - What follows from the facts

    /// - Parameter asksSondeHub: false if SondeHub is switched off.
    mutating func follow(
        _ facts: Facts, by parameters: PredictionParameters, taughtBy earlier: inout EarlierFlights, asksSondeHub: Bool,
        _ turn: inout Turn
    ) {
        introduce(&turn)
        carMetres = facts.car?.altitudeMetres ?? carMetres
        launchedAt = launchedAt ?? flight.track.points.first.flatMap { facts.sites.nearest(to: $0.coordinate) }
        let parameters = taught(parameters, by: earlier)
        if facts.state.isLiveBLE { news.becomesUnavailable() }
        if facts.state.isAPRS, !wasOnSondeHub { becomeSondeHubs(at: turn.now) }
        wasOnSondeHub = facts.state.isAPRS
        // The order matters: each step uses the flight as the step before has left it.
        if facts.state.isAPRS { publishLatestRecord(facts, &turn) }
        flight.know(launchSites: facts.launchSites)
        predict(facts, by: parameters, &turn)
        flight.expect(forecast.map { LandingExpectation($0) } ?? scores.newest.map { LandingExpectation($0) })
        let needsGround = parameters.options.usesTerrain && parameters.options.groundAltitudeMetres == nil
        if needsGround, facts.state.isFlying, !facts.isStopping { terrain.follow(landingGuess, &turn) }
        judgeSilence(facts, &turn)
        let isTimeToStore = winds.follow(flight, of: serial, for: &earlier.winds, &turn)
        if isTimeToStore, flight.landingPlace == nil { teach(&earlier.lessons, &turn) }
        judgeLanding(facts, teaching: &earlier.lessons, &turn)
        outline.follow(flight, of: serial, at: turn.now.monotonic)
        let mayAsk = asksSondeHub && !facts.isStopping
        if mayAsk, let sondeHubSerial { gapFill.askForWanted(of: sondeHubSerial, newest: newestTime, &turn) }
        let borrows = mayAsk && facts.state.isFlying && parameters.options.borrowsWinds
        winds.borrowing.follow(flight, isWanted: borrows, &turn)
    }

    /// Judges a silence: the receiver's last position and SondeHub's newest frame are both too old.
    private mutating func judgeSilence(_ facts: Facts, _ turn: inout Turn) {
        let now = turn.now
        let time = heardAt.map { now.monotonic.duration(since: $0) } ?? .zero
        wasSilent = time >= Flight.silenceLimit
        (isUnheard, isLost) = (time >= Flight.unheardLimit, time >= Self.lostLimit)
        // Between two answers of SondeHub the gateway can't know whether the stations hear the sonde.
        let isAnswerFresh = facts.state.isAPRS && !wasSilent && news.ageWhenAnswered < Flight.unheardLimit
        let landingAt = forecast?.prediction.landing.time ?? scores.newest.map { LandingExpectation($0).at }
        announce(
            flight.judgeSilence(for: isAnswerFresh ? .zero : time, predictedLandingAt: landingAt, at: now.wall), &turn)
        silenceDeadline = heardAt.flatMap { heardAt in
            let limits = [isAnswerFresh ? nil : Flight.unheardLimit, Flight.silenceLimit, Self.lostLimit]
            return limits.compactMap { $0.map(heardAt.advanced) }.first { $0 > now.monotonic }
        }
        guard wasSilent, flight.phase.phase != .landed, let downAt = flight.silentLandingAt(predicted: landingAt),
            downAt > now.wall
        else { return }
        let overdueAt = now.monotonic.advanced(by: downAt.duration(since: now.wall))
        silenceDeadline = min(silenceDeadline ?? overdueAt, overdueAt)
    }

    /// When a source last heard the sonde; nil if none ever did.
    var heardAt: MonotonicTime? { [lastHeardAt, news.heardAt].compactMap { $0 }.max() }

    /// Publishes SondeHub's newest frame once, while SondeHub is the source.
    private mutating func publishLatestRecord(_ facts: Facts, _ turn: inout Turn) {
        guard let record = news.record, !news.isShown else { return }
        news.isShown = true
        let age = news.age(at: turn.now.monotonic)
        // An old frame is never a live position.
        if age < SondeHubNews.silence, lastPublished.map({ record.time > $0 }) ?? true {
            lastPublished = record.time
            turn.report(
                .position(
                    PositionReport(
                        record, named: sondeHubSerial, burstKillerAt: radio.burstKillerAt, age: age,
                        isRepeat: news.isRepeat, at: turn.now)))
            if !facts.canReceiveCommands {
                turn.report(.radio(RadioReport(record, heardAt: facts.heardAt, at: turn.now)))
            }
        }
        let isNew = flight.newest.map { record.time > $0.time } ?? true
        if facts.state == .aprsFlying, isNew, !news.isRepeat { insert(TrackPoint(record), &turn) }
    }

    // MARK: - The landing

    mutating func taught(_ parameters: PredictionParameters, by earlier: EarlierFlights) -> PredictionParameters {
        lookUpLessons(in: earlier.lessons)
        var parameters = parameters
        flight.knownGround = terrain.ground(
            parameters.options, at: landingGuess, learned: learned?.groundMetres, carMetres: carMetres,
            siteMetres: launchedAt?.altitudeMetres)
        parameters.terrain = terrain.patch
        flight.know(terrain: terrain.patch)
        parameters.learned = learned
        parameters.sondeType = sondeType
        parameters.otherWinds = serial.flatMap { earlier.winds.winds(above: flight, of: $0) }
        return parameters
    }

    /// Looks up the lessons of earlier flights, and predicts anew if they say something else.
    private mutating func lookUpLessons(in book: LessonBook) {
        guard let first = flight.track.points.first, let newest = flight.newest,
            !(learned?.isStill(in: book, for: sondeType, from: first, at: newest) ?? false)
        else { return }
        let known = learned
        let found = LearnedParameters(book, for: serial, sondeType, from: first, at: newest)
        learned = found
        if let known, !found.predictsAs(known) { predictions.recompute() }
    }

    private mutating func predict(_ facts: Facts, by parameters: PredictionParameters, _ turn: inout Turn) {
        // The position of a silent sonde is too old for a prediction.
        predictions.follow(
            facts, flight: flight, isHeard: !wasSilent, by: parameters, isPlaceKnown: !landing.history.isEmpty, &turn)
        guard flight.phase.phase != .landed || forecast == nil else { return }
        let next = predictions.inForce(flight, at: turn.now.monotonic)
        if let next, next != forecast { scores.note(next, isInForce: true, of: serial, &turn) }
        if let own = predictions.own, own.method != next?.method {
            scores.note(own, isInForce: false, of: serial, &turn)
        }
        forecast = next
    }

    private mutating func judgeLanding(_ facts: Facts, teaching book: inout LessonBook, _ turn: inout Turn) {
        if let place = revokedLanding {
            revokedLanding = nil
            book.removeLesson(of: place, sondeType)
            if let serial { turn.record(.lesson(serial, nil)) }
        }
        // The score is said after the landing.
        let sayAt = turn.now.monotonic.advanced(by: Speech.spacing)
        if let place = flight.landingPlace, flight.landingTime != .unknown, scores.judge(place, sayAt: sayAt) {
            let ratio = scores.worstRatio(place, factor: learned?.radiusFactor ?? 1)
            teach(&book, worstRatio: ratio, &turn)
        }
        if let score = scores.toSay(at: turn.now.monotonic) { turn.announce(.scored(score)) }
        landing.follow(facts, flight: flight, forecast: forecast, &turn)
    }

    mutating func linkOpened() { radio.linkOpened() }

    /// The wall clock was wrong and has been set. Times may go back this once.
    /// - Parameter start: earlier points are from an earlier run. Its clock was another one, so they stay.
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
        outline.clockSet()
        clocks = StationClocks()
    }
}
