public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// The gateway's whole mind: events in, actions out. No clock, no I/O, no randomness, so a chase can be replayed.
///
/// An event goes to its one owner (``deliver(_:_:)``); then every part follows the facts until they stand still
/// (``settle(_:)``); then what changed is reported (``Report``) and the timers are set.
public struct GatewayMachine: Sendable {
    var receiver = Receiver()
    /// Replaced as a whole by ``follow(_:_:)`` and nowhere else.
    var sonde = FollowedSonde(nil)
    var telemetry: Telemetry
    var sondeHub: SondeHub
    var frequencySync: FrequencySync
    var commands: CommandDesk
    var car: Car
    var routing: Routing
    var chase = Chase()
    var carSharing: CarSharing
    private var milestones = Milestones()
    var otherGateway = OtherGateway()
    var isStopping = false
    /// The store has opened, or was waited for long enough.
    var hasStarted = false
    var hasRecalled = false
    /// What was set in this run before the memory of earlier ones came: it stays.
    private(set) var setMeanwhile: Set<StoredSetting> = []

    private var calls = Calls()
    private var speech: Speech
    private var clock = ClockCorrection()
    private var timers = TimerBook()
    private var reported: [Report] = []
    var published = PublishedTimes()
    var rejects: [String: Int] = [:]
    var counted: [Counter: Int] = [:]
    /// What predictions go by.
    var predictionParameters: PredictionParameters
    /// What earlier flights teach.
    var lessonBook = LessonBook()
    /// The landing points that were set by hand, though another sonde may be followed meanwhile.
    var placesSetByHand = StoredPlaces()
    /// Tracks that were asked for of sondes that are followed no more.
    var earlierTracks = 0
    var info: InfoReport
    let startedAt: Moment
    /// By the gateway's clock: the points from there on are this run's. Nil before the first event.
    private var runBegan: WallTime?

    public init(
        info: InfoReport, policy: CommandPolicy = CommandPolicy(), sondeHub: SondeHubOptions = .off,
        prediction: PredictionOptions = .off, chase: ChaseOptions = ChaseOptions(),
        carSharing: CarSharingOptions = CarSharingOptions(), startedAt: Moment
    ) {
        predictionParameters = PredictionParameters(prediction)
        self.info = info
        self.info.frequencyRange = policy.frequencyRange
        telemetry = Telemetry(at: startedAt)
        self.sondeHub = SondeHub(sondeHub)
        frequencySync = FrequencySync(sondeHub.frequencySync, frequencyRange: policy.frequencyRange)
        commands = CommandDesk(policy: policy)
        speech = Speech(quiet: chase.quiet)
        car = Car(sources: chase.sources)
        routing = Routing(chase.route)
        self.carSharing = CarSharing(carSharing)
        self.startedAt = startedAt
    }

    /// Takes one event and says what is to be done, in this order.
    /// - Parameter moreFollows: another event of the same instant waits already: what is state-like is told with the last.
    public mutating func handle(
        _ event: GatewayEvent, at moment: Moment, moreFollows: Bool = false
    ) -> [GatewayAction] {
        var now = moment
        let begun = event.memory?.newestTime.flatMap { clock.begin(after: $0, at: now) }
        let changes = [begun, clock.follow(&now), sondeHubClock(in: event).flatMap { clock.learn($0, &now) }]
        var turn = Turn(at: now, calls: calls, speech: speech)
        turn.car = car.position
        runBegan = runBegan ?? now.wall
        for change in changes.compactMap({ $0 }) { clockMoved(change, &turn) }
        let (serial, flightNumber) = (sonde.serial, sonde.flightNumber)
        deliver(event, &turn)
        settle(&turn)
        let isAnotherFlight = sonde.serial == serial && sonde.flightNumber != flightNumber
        if isAnotherFlight || sonde.flight.landingPlace != nil { forgetPlaceSetByHand(&turn) }
        if !moreFollows {
            reportChanges(&turn)
            for id in TimerID.allCases { timers.follow(id, to: deadline(of: id), &turn) }
        }
        (calls, speech) = (turn.calls, turn.speech)
        if !hasRecalled { for case .record(.setting(let setting, _)) in turn.actions { setMeanwhile.insert(setting) } }
        for counter in turn.counted { counted[counter, default: 0] += 1 }
        for refusal in turn.refusals { rejects[refusal.reason, default: 0] += refusal.count }
        return turn.actions
    }

    // MARK: - Settling

    /// Rounds in which the facts have always come to stand still.
    static let mostRounds = 3

    /// Lets every part follow until the facts stand still. This list is the architecture: no part calls another.
    private mutating func settle(_ turn: inout Turn) {
        for _ in 0..<Self.mostRounds {
            let before = facts
            telemetry.follow(facts, &turn)
            car.follow(&turn)
            turn.car = car.position
            sonde.follow(
                facts, by: predictionParameters, taughtBy: &lessonBook, asksSondeHub: sondeHub.options.isEnabled, &turn)
            sondeHub.follow(facts, &turn)
            frequencySync.follow(facts, &turn)
            routing.follow(facts, &turn)
            chase.follow(facts, &turn)
            carSharing.follow(facts, &turn)
            milestones.follow(facts, &turn)
            commands.follow(facts, &turn)
            if facts == before { return }
        }
        turn.note(.warning, "the facts do not settle; please report this with the lines before it")
    }

    /// Mutating, as a reader gets a copy of the whole machine: every part asks for it, in every round.
    var facts: Facts {
        mutating get {
            Facts(
                link: receiver.link.state, linkSession: receiver.session,
                maximumWriteLength: receiver.link.peer?.maximumWriteLength ?? 0,
                hasReceiverAnswered: receiver.hasAnswered, heardAt: receiver.heardAt, listening: receiver.listening,
                serial: sonde.serial, flightNumber: sonde.flightNumber, newestPoint: sonde.flight.newest,
                phase: sonde.flight.phase,
                isSondeHubAvailable: sonde.news.isAvailable, lastSondeHubAnswer: sonde.news.lastAnswer,
                sondeTuning: sonde.news.record.map {
                    SondeTuning(frequencyMHz: $0.frequencyMHz, sondeType: $0.sondeType.named)
                },
                landing: sonde.landing.point, car: car.position, trip: routing.trip,
                state: telemetry.state, hasSondeHubAnswered: sondeHub.hasAnswered,
                sondeHubInterval: sondeHub.poll.interval, tuningOrder: frequencySync.order, hasStarted: hasStarted,
                isStopping: isStopping)
        }
    }

    // MARK: - Timers

    /// When each part wants to be woken; the timers follow from the state and are never set by hand.
    private func deadline(of id: TimerID) -> MonotonicTime? {
        switch id {
        case .receiver: receiver.deadline
        case .telemetryState: telemetry.deadline
        case .sonde: sonde.deadline
        case .sondeHub: sondeHub.deadline
        case .frequencySync: frequencySync.deadline
        case .car: car.deadline
        case .routing: routing.deadline
        case .chase: chase.deadline
        case .carSharing: carSharing.deadline
        case .otherGateway: otherGateway.deadline
        case .commands: commands.deadline
        }
    }

    mutating func timerFired(_ id: TimerID, _ turn: inout Turn) {
        timers.fired(id)
        switch id {
        case .receiver: receiver.timePassed(&turn)
        case .sonde: sonde.timePassed(&turn)
        case .sondeHub: sondeHub.timePassed(facts, &turn)
        case .commands: commands.timePassed(&turn)
        case .otherGateway: if otherGateway.timePassed(turn.now.monotonic) { turn.report(.info(infoAnnouncement)) }
        // They look at the time whenever they follow.
        case .telemetryState, .frequencySync, .car, .routing, .chase, .carSharing: break
        }
    }

    // MARK: - The clock

    /// What SondeHub's answer says of the time.
    private func sondeHubClock(in event: GatewayEvent) -> WallTime? {
        guard case .answered(_, let answer) = event else { return nil }
        switch answer {
        case .sondes(let answer), .trackPart(let answer): return answer.utc
        case .trackEnd, .prediction, .route, .carShared, .failed: return nil
        }
    }

    private mutating func clockMoved(_ change: ClockCorrection.Change, _ turn: inout Turn) {
        switch change {
        case .set(let milliseconds):
            let runBegan = runBegan ?? turn.now.wall
            published.clear()
            sonde.clockSet(byMilliseconds: milliseconds, since: runBegan)
            routing.clockSet(byMilliseconds: milliseconds)
            turn.record(.clockSet(since: runBegan, byMilliseconds: milliseconds))
            let places = placesSetByHand
            placesSetByHand.clockSet(byMilliseconds: milliseconds, since: runBegan)
            if places != placesSetByHand { turn.record(.setting(.landingPoint, placesSetByHand.text)) }
            sonde.recordSilentLanding(&turn)
            self.runBegan = runBegan.advanced(byMilliseconds: milliseconds)
            turn.note(.notice, "the clock was set", ["by_s": "\(milliseconds / 1000)"])
            letGoOfWhatIsOver(&turn)
        case .ignored(let milliseconds):
            turn.note(
                .warning, "the clock was right and has jumped; times go on from before",
                ["by_s": "\(milliseconds / 1000)"])
        }
    }

    // MARK: - Reports

    /// Reports what has changed of everything state-like.
    private mutating func reportChanges(_ turn: inout Turn) {
        let now = stateReports
        for (index, report) in now.enumerated() {
            guard !reported.indices.contains(index) || reported[index] != report else { continue }
            turn.report(report)
        }
        reported = now
    }
}
