public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// All decisions of the gateway: events in, actions out. It uses no clock, no I/O and no randomness, so a chase can be
/// replayed.
///
/// An event goes to one part (``dispatch(_:_:)``). Then all parts follow the facts until these no longer change
/// (``settle(_:)``). Then the changes are reported (``Report``) and the timers are set.
public struct GatewayMachine: Sendable {
    var run: Run
    var kept: Kept
    var receiver = Receiver()
    var signal = SignalHunt()
    var tuning: Tunings
    var commands: CommandDesk
    /// The sondes that were followed before, and may come back.
    var interrupted = InterruptedSondes()
    /// The followed sonde. ``change(to:isHeard:_:)`` puts another one in its place.
    var sonde = FollowedSonde(nil)
    var telemetry: Telemetry
    var sondeHub: SondeHub
    var sondesAround: SondesAround
    var recoveries: RecoveryDesk
    var launches: Launches
    /// The towns around the landing point.
    var towns = TownsAround()
    private let looksUpTowns: Bool
    var road: Road
    var language: CommandedChoice<Language>
    var counts = Counts()
    private var outgoing: Outgoing

    /// - Parameter looksUpTowns: ``GatewayEvent/townsFound(_:)`` follows soon after a landing point.
    public init(
        info: InfoReport, policy: CommandPolicy = CommandPolicy(), sondeHub: SondeHubOptions = .off,
        prediction: PredictionOptions = .off, chase: ChaseOptions = ChaseOptions(),
        carSharing: CarSharingOptions = CarSharingOptions(), looksUpTowns: Bool = false, startedAt: Moment
    ) {
        self.looksUpTowns = looksUpTowns
        run = Run(info: info, startedAt: startedAt)
        (run.info.frequencyRange, run.info.language) = (policy.frequencyRange, chase.language)
        run.info.units = chase.units
        kept = Kept(predictionParameters: PredictionParameters(prediction))
        tuning = Tunings(
            sync: FrequencySync(sondeHub.frequencySync, frequencyRange: policy.frequencyRange),
            search: Search(policy.search, frequencyRange: policy.frequencyRange))
        commands = CommandDesk(policy: policy)
        telemetry = Telemetry(at: startedAt)
        self.sondeHub = SondeHub(sondeHub)
        sondesAround = SondesAround(sondeHub)
        recoveries = RecoveryDesk(sondeHub)
        launches = Launches(sondeHub, prediction, roads: chase.route)
        road = Road(
            car: Car(sources: chase.sources, phoneTopic: chase.phoneTopic), routing: Routing(chase.route),
            crews: Crews(sondeHub), carSharing: CarSharing(carSharing), carTrail: CarTrail(isOn: chase.recordsWay))
        road.milestones.altitudeStepMetres = chase.altitudeStepMetres
        road.spokenStatus.interval = chase.statusInterval
        language = CommandedChoice(chase.language)
        outgoing = Outgoing(speech: Speech(quiet: chase.quiet))
    }

    /// Handles one event.
    /// - Parameter moreFollows: another event of the same instant follows. State-like reports wait for the last one.
    /// - Returns: the actions, in the order in which they must be carried out.
    public mutating func handle(
        _ event: GatewayEvent, at moment: Moment, moreFollows: Bool = false
    ) -> [GatewayAction] {
        var now = moment
        let begun = event.memory?.newestTime(at: now.wall).flatMap { run.clock.begin(after: $0, at: now) }
        let changes = [
            begun, run.clock.follow(&now), sondeHubClock(in: event).flatMap { run.clock.learn($0, &now) },
            pause(before: event, &now),
        ].compactMap { $0 }
        let lastClock = run.wallClock
        run.wallClock.follow(now, afterPause: changes.contains(where: \.isPause))
        var turn = Turn(at: now, calls: outgoing.calls, speech: outgoing.speech)
        turn.clock = run.wallClock
        (turn.car, turn.language, turn.moreFollows) = (road.car.position, language.value, moreFollows)
        (turn.units, turn.routeMode) = (run.info.units, road.routing.mode.value)
        (turn.towns, turn.looksUpTowns) = (towns, looksUpTowns)
        run.began = run.began ?? now.wall
        for change in changes { clockMoved(change, from: lastClock, &turn) }
        let (serial, flightNumber) = (sonde.serial, sonde.flightNumber)
        dispatch(event, &turn)
        settle(&turn)
        turn.sayNext()
        let isAnotherFlight = sonde.serial == serial && sonde.flightNumber != flightNumber
        if isAnotherFlight {
            forgetPlaceSetByHand(&turn)
            forgetBearings(&turn)
        } else {
            hidePlaceSetByHand(&turn)
        }
        outgoing.speech = turn.speech
        if !moreFollows {
            reportChanges(&turn)
            for id in TimerID.allCases { outgoing.timers.follow(id, to: deadline(of: id), &turn) }
        }
        outgoing.calls = turn.calls
        if !kept.isRecalled {
            for case .record(.setting(let setting, _)) in turn.actions { kept.setMeanwhile.insert(setting) }
        }
        counts.add(turn)
        return turn.actions
    }

    // MARK: - Settling

    /// The most rounds until the facts no longer change.
    static let mostRounds = 3

    /// Lets all parts follow the facts until these no longer change. No part calls another.
    private mutating func settle(_ turn: inout Turn) {
        for _ in 0..<Self.mostRounds {
            let before = facts
            sonde.judgeEndOfSilence(&turn)
            signal.follow(facts, &turn)
            telemetry.follow(facts, &turn)
            road.car.follow(&turn)
            turn.car = road.car.position
            sonde.follow(
                facts, by: kept.predictionParameters, taughtBy: &kept.earlierFlights,
                asksSondeHub: sondeHub.options.isEnabled,
                &turn)
            sondeHub.follow(facts, &turn)
            tuning.search.follow(facts, &turn)
            tuning.sync.follow(facts, &turn)
            road.routing.follow(facts, &turn)
            road.crews.follow(facts, &turn)
            road.sight.follow(facts, usesTerrain: kept.predictionParameters.options.usesTerrain, &turn)
            road.chase.follow(facts, &turn)
            road.carSharing.follow(facts, &turn)
            road.carTrail.follow(facts, &turn)
            sondesAround.follow(facts, &turn)
            recoveries.follow(facts, &turn)
            launches.follow(facts, &turn)
            road.milestones.follow(facts, &turn)
            road.spokenStatus.follow(facts, &turn)
            commands.follow(facts, &turn)
            if facts == before { return }
        }
        turn.note(.warning, "the facts do not settle; please report this with the lines before it")
    }

    // MARK: - Answers

    /// Each part takes the answers to its own calls.
    mutating func answered(_ reply: Reply, _ turn: inout Turn) {
        guard turn.receive(reply) else { return }
        let reply = dated(reply, at: turn.now)
        if case .sondes(let sondes) = reply.answer { sondesAround.add(sondes, at: turn.now) }
        if case .terrain(let terrain) = reply.answer { name(heightFiles: terrain.problems, &turn) }
        road.routing.answered(reply, &turn)
        road.carSharing.answered(reply, &turn)
        road.sight.answered(reply, &turn)
        let facts = facts
        road.crews.answered(
            reply, knowing: facts, own: road.carSharing.publicAs, recovery: recoveries.report(facts)?.recovery, &turn)
        if let found = launches.answered(reply, knowing: facts, &turn) { kept.earlierFlights.winds.keep(found, &turn) }
        recoveries.sent(reply, knowing: facts, &turn)
        recoveries.learned(reply, knowing: facts, &turn)
        sonde.predicted(reply, by: kept.predictionParameters, taughtBy: &kept.earlierFlights, &turn)
        sonde.surveyed(reply, &turn)
        sonde.borrowed(reply, for: &kept.earlierFlights, &turn)
        let failures = [fillGap(reply, &turn), sondesAround.answered(reply, &turn)]
        for error in failures.compactMap({ $0 }) { sondeHub.countError(error) }
        polled(reply, &turn)
        streamed(reply, &turn)
    }

    // MARK: - Timers

    /// The deadline of a part. Timers follow from these deadlines; no part sets one itself.
    private func deadline(of id: TimerID) -> MonotonicTime? {
        switch id {
        case .receiver: receiver.deadline
        case .telemetryState: telemetry.deadline
        case .sonde: .earliest(sonde.deadline, signal.deadline)
        case .sondeHub: sondeHub.deadline
        case .frequencySync: tuning.sync.deadline
        case .car: road.car.deadline
        case .routing: road.routing.deadline
        case .chase: .earliest(road.chase.deadline, road.sight.deadline)
        case .carSharing: road.carSharing.deadline
        case .crews: road.crews.deadline
        case .sondesAround: sondesAround.deadline
        case .recovery: recoveries.deadline
        case .launches: launches.deadline
        case .search: tuning.search.deadline
        case .otherGateway: run.otherGateway.deadline
        case .commands: commands.deadline
        case .speech: .earliest(outgoing.speech.deadline, road.spokenStatus.deadline)
        }
    }

    mutating func timerFired(_ id: TimerID, _ turn: inout Turn) {
        outgoing.timers.fired(id)
        // The other parts check the time in each `follow`.
        if id == .receiver { receiver.timePassed(&turn) }
        if id == .sonde { sonde.timePassed(&turn) }
        if id == .sondeHub { sondeHub.timePassed(facts, &turn) }
        if id == .commands { commands.timePassed(&turn) }
        if id == .otherGateway, run.otherGateway.timePassed(turn.now.monotonic) { turn.report(.info(infoAnnouncement)) }
    }

    // MARK: - The clock

    /// Gives the reports of the last event their times.
    public var clockCorrection: ClockCorrection { run.clock }

    /// SondeHub's time, if the event is an answer of SondeHub.
    private func sondeHubClock(in event: GatewayEvent) -> WallTime? {
        guard case .answered(_, let answer) = event else { return nil }
        if case .sondes(let answer) = answer { return answer.utc }
        if case .trackPart(let answer) = answer { return answer.utc }
        return nil
    }

    /// The pause in which the computer stood still, if the clock has just jumped and the sonde's new position shows it.
    private mutating func pause(before event: GatewayEvent, _ now: inout Moment) -> ClockCorrection.Change? {
        guard let gain = run.clock.gain, case .frame(.radio(let frame)) = event, sonde.isNamed(by: frame),
            case .plausible(let position) = frame.position
        else { return nil }
        let isPast = sonde.flight.hasFlownOn(to: TrackPoint(position, at: now.wall), by: .milliseconds(gain))
        return run.clock.settleGain(isPast: isPast, &now)
    }

    /// The times of this run follow the present clock by themselves (``Dated``). Only points keep the time that they
    /// got, and what was stored is stored again.
    private mutating func clockMoved(
        _ change: ClockCorrection.Change, from lastClock: RunClock, _ turn: inout Turn
    ) {
        switch change {
        case .set(let milliseconds):
            let runBegan = run.began ?? turn.now.wall
            let step = ClockStep(byMilliseconds: milliseconds, since: runBegan)
            kept.published.clear()
            sondeHub.intake.forgetClocks()
            sonde.clockSet(step)
            interrupted.changeEach { $0.clockSet(step) }
            turn.record(.clockSet(step))
            let places = kept.placesSetByHand
            if places.all(by: lastClock) != places.all(by: turn.clock) { recordPlacesSetByHand(&turn) }
            signal.storeAgain(ifMovedFrom: lastClock, &turn)
            sonde.recordSilentLanding(&turn)
            run.began = step.corrected(runBegan)
            turn.note(.notice, "the clock was set", facts: ["by_s": "\(milliseconds / 1000)"])
            letGoOfWhatIsOver(&turn)
        case .ignored(let milliseconds):
            turn.note(
                .warning, "the clock was right and has jumped; times go on from before",
                facts: ["by_s": "\(milliseconds / 1000)"])
        case .stoodStill(let milliseconds):
            turn.note(
                .notice, "the computer stood still; the sonde has flown on", facts: ["for_s": "\(milliseconds / 1000)"])
        }
    }

    // MARK: - Reports

    /// All state-like reports, in the order in which changes are published.
    var stateReports: [Report] {
        mutating get {
            [
                .receiverState(isOnline: receiver.link.state != .notConnected),
                .state(stateReport),
                .flight(flight),
                .track(sonde.outline.report),
                .landing(landing),
                .prediction(prediction),
                .winds(sonde.landing.winds.stored.map { WindsReport($0) }),
                .horizon(road.sight.horizon),
                .bearings(signal.report(by: run.wallClock)),
                .proposal(proposal),
                .chase(road.chase.report),
                .route(road.routing.report),
                .crews(road.crews.report),
                .sondes(sondesAround.report),
                .launches(launches.report),
                .recovery(recoveries.report(facts)),
                .info(infoAnnouncement),
            ] + (receiver.settings.map { [.settings($0)] } ?? [])
        }
    }

    /// Reports the changes of all state-like reports.
    private mutating func reportChanges(_ turn: inout Turn) {
        let now = stateReports
        for (index, report) in now.enumerated() {
            guard !outgoing.reported.indices.contains(index) || outgoing.reported[index] != report else { continue }
            turn.report(report)
        }
        outgoing.reported = now
    }
}
