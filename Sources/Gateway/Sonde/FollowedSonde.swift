import FlightMath
import GatewayReports
import ReceiverProtocol

/// The gateway's knowledge of the sonde that it follows. Each sonde has its own value, so nothing of another sonde can
/// remain in it.
struct FollowedSonde: Sendable {
    var names: SondeNames
    var heard = Heard()
    var news = SondeHubNews()
    var flight = Flight()
    var landing = FollowedLanding()
    /// The number of flights of this sonde since the gateway follows it.
    var flightNumber = 0
    private(set) var outline = FlightOutline()
    var switchOff = SwitchOff()
    /// The altitude of the car's last known position, metres above sea level.
    private var carMetres: Double?

    init(_ serial: SondeSerial?, type: SondeType? = nil) {
        names = SondeNames(serial, type: type)
        if serial != nil { news.gapFill.want() }
    }

    /// Nil while no sonde is known.
    var serial: SondeSerial? { names.serial }

    /// The serial that SondeHub uses for this sonde.
    var sondeHubSerial: SondeSerial? { names.sondeHubSerial }

    /// Adds the flight that an earlier run has recorded. This run may have heard the sonde already.
    /// - Parameter wasSaidDown: that run has announced that the sonde has probably landed.
    mutating func join(_ recorded: RecordedFlight, wasSaidDown: Bool, published: WallTime?, _ turn: inout Turn) {
        let (now, isHeard) = (turn.now, heardAt != nil)
        let lastPosition = recorded.points.last { $0.source == .ble }
        heard.publishedAt = .latest(heard.publishedAt, published)
        names.sondeType = names.sondeType ?? recorded.sondeType.named
        flight.expect(recorded.predictions.last.map { LandingExpectation($0) })
        let changes = flight.insert(contentsOf: recorded.points).changes
        if wasSaidDown, !isHeard { flight.stayDownInSilence() }
        landing.join(recorded, flight, turn)
        heard.positionAt = heard.positionAt ?? lastPosition.map { now.earlier(at: $0.time) }
        guard let last = recorded.points.last else { return }
        news.gapFill.resume(recorded.points)
        for case .newFlight(let first) in changes where isHeard { beginAnew(since: first.time, &turn) }
        guard !isHeard else { return announce(changes.filter { $0.isNews(after: last) }, &turn) }
        var heardAt = now.earlier(at: last.time).monotonic
        // The clock of this start may be wrong, so the silence is at least this long.
        if wasSaidDown { heardAt = min(heardAt, now.monotonic.advanced(by: .zero - Silence.silent.begins)) }
        (heard.resumedAt, heard.receivedAt) = (heardAt, heardAt)
        heard.jumpFilter.learn(last.coordinate, at: heardAt)
    }

    /// The number of calls for tracks.
    var calls: Int { news.gapFill.calls }

    mutating func timePassed(_ turn: inout Turn) {
        if let sondeHubSerial { news.gapFill.timePassed(sondeHubSerial, &turn) }
    }

    var deadline: MonotonicTime? {
        .earliest(news.gapFill.deadline, heard.deadline, landing.deadline, outline.deadline, switchOff.deadline)
    }

    /// Sets the time of the sonde's newest published position when the gateway follows it again.
    mutating func goOn(from published: WallTime?) { heard.publishedAt = published }

    /// The gateway no longer follows this sonde. Ends its requests.
    mutating func leave(_ turn: inout Turn) {
        news.gapFill.leave(&turn)
        landing.stop(&turn)
        news.becomesUnavailable()
        heard.radio.linkOpened()
    }

    /// The gateway follows the sonde again after less than three hours. It asks only for the points that it has missed.
    mutating func comeBack() {
        _ = news.becomes(source: false)
        news.gapFill.comeBack()
        switchOff.comeBack()
    }

    /// Whether the sonde is not lost, so that its flight may continue.
    func isRecent(at now: MonotonicTime) -> Bool { Silence(since: heardAt, at: now) < .lost }

    // MARK: - The receiver's frames

    /// - Returns: whether the frame gave a position.
    mutating func hear(_ frame: HeardFrame, _ turn: inout Turn) -> Bool {
        // The gateway may follow SondeHub's sonde while the receiver still hears another one.
        let isOwn = frame.serial == nil || serial == nil || frame.serial == serial
        if isOwn { heard.radio.observe(frame) }
        let isNamed = serial != nil && frame.serial == serial
        if isNamed, let timer = frame.frame.burstKiller {
            switchOff.hear(timer.secondsLeft, at: frame.at, by: .burstKiller)
        }
        // A frame with the name but without a position also shows that the receiver hears the sonde.
        if isNamed, frame.position == nil { heard.receivedAt = frame.at.monotonic }
        var publishedAt: WallTime?
        if case .implausible(let fault) = frame.frame.position { turn.refusePosition(fault.rawValue) }
        if let position = frame.position {
            switch heard.jumpFilter.judge(position, of: frame, isSondeKnown: serial != nil) {
            case .accept: publishedAt = publish(position, of: frame, &turn)
            case .refuse(let refusal):
                if isNamed { heard.receivedAt = frame.at.monotonic }
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
                    serial: publishedAt == nil ? frame.serial : serial, heard: frame,
                    sondeFrequencyMHz: isOwn ? news.record?.frequencyMHz : nil,
                    afcMeanHz: isOwn ? heard.radio.afcMeanHz : nil, time: publishedAt ?? frame.at.wall)))
        return publishedAt != nil
    }

    /// - Returns: the time in the published position.
    private mutating func publish(_ position: Position, of frame: HeardFrame, _ turn: inout Turn) -> WallTime {
        // Two frames in one millisecond: the second is stamped one later, so that times of a sonde strictly increase.
        let time = max(frame.at.wall, heard.publishedAt?.advanced(byMilliseconds: 1) ?? frame.at.wall)
        heard.publishedAt = time
        names.sondeType = frame.frame.sondeType
        let isRepeat = heard.repeats.isRepeat(position)
        turn.report(
            .position(
                PositionReport(
                    position, of: frame, serial: serial, burstKillerAt: heard.radio.burstKillerAt(frame.at), time: time,
                    isRepeat: isRepeat)))
        guard serial != nil, !isRepeat else { return time }
        news.gapFill.heard(at: time, after: heard.positionTime(by: turn.clock), isResumed: heard.isResumed)
        var heardAt = frame.at
        heardAt.wall = time
        (heard.positionAt, heard.receivedAt, heard.resumedAt) = (heardAt, frame.at.monotonic, nil)
        // Of frames that arrive together after a pause, only the last shows the present place. The times of the other
        // places are unknown.
        if !turn.moreFollows { insert(TrackPoint(position, at: time), position.speeds, &turn) }
        return time
    }

    // MARK: - SondeHub

    /// SondeHub answered with a frame of this sonde.
    /// - Parameter latest: the record as ``SondeHubIntake`` has dated it.
    /// - Returns: whether the frame is newer than the last one.
    mutating func update(with latest: LatestRecord) -> Bool {
        let isNew = news.update(with: latest)
        if isNew {
            if let seconds = latest.record.secondsUntilOff {
                switchOff.hear(seconds, at: latest.heardAt, by: .burstTimer)
            }
            if latest.record.sondeType.isNamed { names.sondeType = latest.record.sondeType }
            heard.jumpFilter.learn(latest.record.coordinate, at: latest.heardAt.monotonic)
        }
        return isNew
    }

    /// SondeHub gave no usable answer, or none with this sonde.
    mutating func sondeHubHasNone() { news.becomesUnavailable() }

    /// Inserts points that are not live into the track.
    /// - Returns: how many of them the track did not have.
    mutating func insert(late points: [TrackPoint], _ turn: inout Turn) -> Int {
        let (taken, changes) = flight.insert(contentsOf: points)
        guard taken > 0, let serial else { return 0 }
        turn.record(.points(serial, names.sondeType ?? .other(""), points))
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
        carMetres = facts.road.car?.altitudeMetres ?? carMetres
        landing.knowSites(facts.launches.sites, flight)
        let parameters = taught(parameters, by: earlier, turn.clock)
        if facts.state.isLiveBLE { news.becomesUnavailable() }
        if news.becomes(source: facts.state.isAPRS) { becomeSondeHubs() }
        // The order matters: each step uses the flight as the step before has left it.
        if facts.state.isAPRS { publishLatestRecord(facts, &turn) }
        flight.know(
            launchSites: facts.launches.places + earlier.lessons.launchPlaces,
            hasLandedBefore: earlier.lessons.hasLanding(of: serial))
        landing.predict(facts, flight: flight, isHeard: heard.silence < .silent, by: parameters, &turn)
        landing.tellBurst(&turn)
        flight.expect(landing.expectation(by: turn.clock))
        let needsGround = parameters.options.usesTerrain && parameters.options.groundAltitudeMetres == nil
        if needsGround, facts.state.isFlying, !facts.run.isStopping {
            landing.terrain.follow(landing.guess(of: flight), &turn)
        }
        judgeSilence(facts, &turn)
        let isTimeToStore = landing.winds.follow(flight, of: serial, for: &earlier.winds, &turn)
        if isTimeToStore, flight.landingPlace == nil { teach(&earlier.lessons, &turn) }
        if landing.judge(flight, names, in: &earlier.lessons, &turn) { teach(&earlier.lessons, &turn) }
        landing.follow(facts, flight: flight, &turn)
        outline.follow(flight, of: serial, turn)
        switchOff.follow(
            of: serial,
            isRecovered: [serial, sondeHubSerial].contains { $0.map { facts.sondeHub.recoveries[$0] } == .recovered },
            isTimeKnown: facts.run.isTimeKnown, &turn)
        let mayAsk = asksSondeHub && !facts.run.isStopping
        if mayAsk, let sondeHubSerial { news.gapFill.askForWanted(of: sondeHubSerial, newest: newestTime, &turn) }
        let borrows = mayAsk && facts.state.isFlying && parameters.options.borrowsWinds
        landing.winds.borrowing.follow(flight, isWanted: borrows, &turn)
    }

    /// When a source last heard the sonde; nil if none ever did.
    var heardAt: MonotonicTime? { .latest(heard.receivedAt, news.heardAt) }

    /// When a source last heard the sonde's place; nil if none ever did.
    var placeHeardAt: MonotonicTime? { .latest(heard.resumedAt ?? heard.positionAt?.monotonic, news.heardAt) }

    /// Publishes SondeHub's newest frame once, while SondeHub is the source.
    private mutating func publishLatestRecord(_ facts: Facts, _ turn: inout Turn) {
        guard let record = news.recordToShow() else { return }
        let age = news.age(at: turn.now.monotonic)
        // An old frame is never a live position.
        if Silence(after: age) < .silent, heard.publishedAt.map({ record.time > $0 }) ?? true {
            heard.publishedAt = record.time
            if let serial, let sample = HeardSample(record) { turn.record(.sample(serial, sample)) }
            turn.report(
                .position(
                    PositionReport(
                        record, named: sondeHubSerial,
                        burstKillerAt: burstKillerAt(of: record, at: turn.now, by: turn.clock), age: age,
                        isRepeat: news.isRepeat, at: turn.now)))
            if !facts.receiver.canReceiveCommands {
                turn.report(.radio(RadioReport(record, heardAt: facts.receiver.heardAt, at: turn.now)))
            }
        }
        let isNew = flight.newest.map { record.time > $0.time } ?? true
        if facts.state == .aprsFlying, isNew, !news.isRepeat { insert(TrackPoint(record), record.speeds, &turn) }
    }

    /// The parameters of predictions, with what earlier flights and the ground give for this one.
    mutating func taught(
        _ parameters: PredictionParameters, by earlier: EarlierFlights, _ clock: RunClock
    ) -> PredictionParameters {
        landing.taught(parameters, names, &flight, by: earlier, carMetres: carMetres, clock)
    }

    mutating func linkOpened() { heard.radio.linkOpened() }

    /// The wall clock was set. Times may go back this once.
    mutating func clockSet(_ step: ClockStep) {
        heard.publishedAt = nil
        news.gapFill.clockSet(step)
        flight.replaceTimes(step.corrected)
    }
}
