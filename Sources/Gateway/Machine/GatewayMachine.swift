public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// All decisions of the gateway: events in, actions out. It uses no clock, no I/O and no randomness, so a chase can be
/// replayed.
///
/// An event goes to one part (``deliver(_:_:)``). Then all parts follow the facts until these no longer change
/// (``settle(_:)``). Then the changes are reported (``Report``) and the timers are set.
public struct GatewayMachine: Sendable {
    var receiver = Receiver()
    /// The sondes that were followed before, and may come back.
    var interrupted = InterruptedSondes()
    /// The followed sonde. ``follow(_:isHeard:_:)`` puts another one in its place.
    var sonde = FollowedSonde(nil)
    var telemetry: Telemetry
    var sondeHub: SondeHub
    var frequencySync: FrequencySync
    var commands: CommandDesk
    var car: Car
    var routing: Routing
    var sight = Sight()
    /// The refused height files that the log has named.
    var namedHeightFiles: Set<String> = []
    var chase = Chase()
    var carSharing: CarSharing
    var crews: Crews
    var sondesAround: SondesAround
    var recoveries: RecoveryDesk
    var launches: Launches
    var search: Search
    /// The towns around the landing point.
    var towns = TownsAround()
    var milestones = Milestones()
    var spokenStatus = StatusTeller()
    var otherGateway = OtherGateway()
    /// Why the store records nothing now; nil while it works.
    var storeFault: StoreError?
    var isStopping = false
    /// The store has opened, or the wait for it is over.
    var hasStarted = false
    var hasRecalled = false
    /// The settings that commands changed before the memory of earlier runs arrived. They have priority.
    private(set) var setMeanwhile: Set<StoredSetting> = []

    private var calls = Calls()
    private var speech: Speech
    var language: CommandedChoice<Language>
    private var clock = ClockCorrection()
    private var timers = TimerBook()
    private var reported: [Report] = []
    var published = PublishedTimes()
    var rejects: [String: Int] = [:]
    var counted: [Counter: Int] = [:]
    /// The parameters of predictions.
    var predictionParameters: PredictionParameters
    var earlierFlights = EarlierFlights()
    /// The landing points that commands have set, also for sondes that are no longer followed.
    var placesSetByHand = StoredPlaces()
    /// The number of tracks requested for sondes that are no longer followed.
    var earlierTracks = 0
    var info: InfoReport
    let startedAt: Moment
    /// When this run began, by the gateway's clock. Later points belong to this run. Nil before the first event.
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
        language = CommandedChoice(chase.language)
        milestones.altitudeStepMetres = chase.altitudeStepMetres
        spokenStatus.interval = chase.statusInterval
        self.info.language = chase.language
        car = Car(sources: chase.sources, phoneTopic: chase.phoneTopic)
        routing = Routing(chase.route)
        self.carSharing = CarSharing(carSharing)
        crews = Crews(sondeHub)
        sondesAround = SondesAround(sondeHub)
        recoveries = RecoveryDesk(sondeHub)
        launches = Launches(sondeHub, prediction, roads: chase.route)
        search = Search(policy.search, frequencyRange: policy.frequencyRange)
        self.startedAt = startedAt
    }

    /// Handles one event.
    /// - Parameter moreFollows: another event of the same instant follows. State-like reports wait for the last one.
    /// - Returns: the actions, in the order in which they must be carried out.
    public mutating func handle(
        _ event: GatewayEvent, at moment: Moment, moreFollows: Bool = false
    ) -> [GatewayAction] {
        var now = moment
        let begun = event.memory?.newestTime.flatMap { clock.begin(after: $0, at: now) }
        let changes = [begun, clock.follow(&now), sondeHubClock(in: event).flatMap { clock.learn($0, &now) }]
        var turn = Turn(at: now, calls: calls, speech: speech)
        (turn.car, turn.language, turn.moreFollows) = (car.position, language.value, moreFollows)
        runBegan = runBegan ?? now.wall
        for change in changes.compactMap({ $0 }) { clockMoved(change, &turn) }
        let (serial, flightNumber) = (sonde.serial, sonde.flightNumber)
        deliver(event, &turn)
        settle(&turn)
        turn.sayNext()
        let isAnotherFlight = sonde.serial == serial && sonde.flightNumber != flightNumber
        if isAnotherFlight { forgetPlaceSetByHand(&turn) } else { hidePlaceSetByHand(&turn) }
        speech = turn.speech
        if !moreFollows {
            reportChanges(&turn)
            for id in TimerID.allCases { timers.follow(id, to: deadline(of: id), &turn) }
        }
        calls = turn.calls
        if !hasRecalled { for case .record(.setting(let setting, _)) in turn.actions { setMeanwhile.insert(setting) } }
        for counter in turn.counted { counted[counter, default: 0] += 1 }
        for refusal in turn.refusals { rejects[refusal.reason, default: 0] += refusal.count }
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
            telemetry.follow(facts, &turn)
            car.follow(&turn)
            turn.car = car.position
            sonde.follow(
                facts, by: predictionParameters, taughtBy: &earlierFlights, asksSondeHub: sondeHub.options.isEnabled,
                &turn)
            sondeHub.follow(facts, &turn)
            search.follow(facts, &turn)
            frequencySync.follow(facts, &turn)
            routing.follow(facts, &turn)
            crews.follow(facts, &turn)
            sight.follow(facts, usesTerrain: predictionParameters.options.usesTerrain, &turn)
            chase.follow(facts, &turn)
            carSharing.follow(facts, &turn)
            sondesAround.follow(facts, &turn)
            recoveries.follow(facts, &turn)
            launches.follow(facts, &turn)
            milestones.follow(facts, &turn)
            spokenStatus.follow(facts, &turn)
            commands.follow(facts, &turn)
            if facts == before { return }
        }
        turn.note(.warning, "the facts do not settle; please report this with the lines before it")
    }

    /// Computed at each access. `mutating` avoids a copy of the whole machine each time.
    var facts: Facts {
        mutating get {
            Facts(
                link: receiver.link.state, linkSession: receiver.session,
                maximumWriteLength: receiver.link.peer?.maximumWriteLength ?? 0,
                hasReceiverAnswered: receiver.hasAnswered, heardAt: receiver.heardAt,
                sondeHeardAt: receiver.sondeHeardAt, followedHeardAt: sonde.heard.receivedAt,
                listening: receiver.listening,
                serial: sonde.serial, sondeHubSerial: sonde.sondeHubSerial, flightNumber: sonde.flightNumber,
                seenInAirFrom: sonde.flight.seenInAirFrom, newestPoint: sonde.flight.lastSeen,
                phase: sonde.flight.phase, verticalSpeed: sonde.flight.motion?.verticalSpeed,
                altitudeMetres: sonde.flight.newestTrusted?.altitudeMetres,
                isSondeHubAvailable: sonde.news.isAvailable, lastSondeHubAnswer: sonde.news.lastAnswer,
                sondeHubHeardAt: sonde.news.heardAt,
                sondeTuning: sondeTuning,
                decodedType: sonde.heard.radio.heardAs, landing: sonde.landing.point, launchSites: launches.places,
                car: car.position, trip: routing.trip,
                nearestCrew: crews.nearest,
                state: telemetry.state, hasSondeHubAnswered: sondeHub.hasAnswered,
                sondeHubInterval: sondeHub.poll.interval, streamSession: sondeHub.stream.session,
                tuningOrder: frequencySync.order, hasStarted: hasStarted, isStopping: isStopping,
                isTimeKnown: clock.isRight, lookedAround: sondesAround.lookedAround,
                isPageOpen: sondesAround.isWatched, routeMode: routing.mode.value,
                sondesAround: sondesAround.report.sondes, receiverPlace: receiverPlace,
                site: sondeHub.site.value.number,
                isPinned: sondeHub.hunted.pinned.map { $0 == sonde.serial } ?? false,
                stationFrequencies: sondeHub.frequencies,
                siteTunings: launches.tunings(of: sondeHub.site.value.number),
                hasProposal: frequencySync.open != nil, isHunting: sondeHub.isHunting, searched: search.covered,
                searchOrder: search.order, recoveries: recoveries.states, isInSight: sight.isClear,
                sites: launches.book.sites)
        }
    }

    /// The followed sonde's frequency and type by SondeHub.
    private var sondeTuning: SondeTuning? {
        sonde.news.record.map {
            SondeTuning(
                frequencyMHz: sondeHub.frequencies.frequencyMHz(of: sonde.serial) ?? $0.frequencyMHz,
                sondeType: $0.sondeType.named)
        }
    }

    private var receiverPlace: ReceiverPlace? {
        let site = launches.site(sondeHub.site.value.number)
        guard let place = sondesAround.centre ?? site?.coordinate else { return nil }
        return ReceiverPlace(
            coordinate: place, altitudeMetres: car.position?.altitudeMetres ?? site?.altitudeMetres ?? 0)
    }

    // MARK: - Timers

    /// The deadline of a part. Timers follow from these deadlines; no part sets one itself.
    private func deadline(of id: TimerID) -> MonotonicTime? {
        switch id {
        case .receiver: receiver.deadline
        case .telemetryState: telemetry.deadline
        case .sonde: sonde.deadline
        case .sondeHub: sondeHub.deadline
        case .frequencySync: frequencySync.deadline
        case .car: car.deadline
        case .routing: routing.deadline
        case .chase: .earliest(chase.deadline, sight.deadline)
        case .carSharing: carSharing.deadline
        case .crews: crews.deadline
        case .sondesAround: sondesAround.deadline
        case .recovery: recoveries.deadline
        case .launches: launches.deadline
        case .search: search.deadline
        case .otherGateway: otherGateway.deadline
        case .commands: commands.deadline
        case .speech: .earliest(speech.deadline, spokenStatus.deadline)
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
        // These parts check the time in each `follow`.
        case .telemetryState, .frequencySync, .car, .routing, .chase, .carSharing, .crews, .sondesAround, .recovery,
            .launches, .speech, .search:
            break
        }
    }

    // MARK: - The clock

    /// SondeHub's time, if the event is an answer of SondeHub.
    private func sondeHubClock(in event: GatewayEvent) -> WallTime? {
        guard case .answered(_, let answer) = event else { return nil }
        switch answer {
        case .sondes(let answer), .trackPart(let answer): return answer.utc
        case .trackEnd, .prediction, .terrain, .landings, .recoveries, .recoveryTaken, .sites, .route, .carShared,
            .stream, .crews, .failed:
            return nil
        }
    }

    private mutating func clockMoved(_ change: ClockCorrection.Change, _ turn: inout Turn) {
        switch change {
        case .set(let milliseconds):
            let runBegan = runBegan ?? turn.now.wall
            published.clear()
            sonde.clockSet(byMilliseconds: milliseconds, since: runBegan)
            interrupted.clockSet(byMilliseconds: milliseconds, since: runBegan)
            earlierFlights.winds.clockSet(byMilliseconds: milliseconds, since: runBegan)
            earlierFlights.lessons.clockSet(byMilliseconds: milliseconds, since: runBegan)
            routing.clockSet(byMilliseconds: milliseconds)
            turn.record(.clockSet(since: runBegan, byMilliseconds: milliseconds))
            launches.clockSet()
            recoveries.clockSet(byMilliseconds: milliseconds, since: runBegan, &turn)
            let places = placesSetByHand
            placesSetByHand.clockSet(byMilliseconds: milliseconds, since: runBegan)
            if places != placesSetByHand { turn.record(.setting(.landingPoint, placesSetByHand.text)) }
            sonde.recordSilentLanding(&turn)
            self.runBegan = runBegan.advanced(byMilliseconds: milliseconds)
            turn.note(.notice, "the clock was set", facts: ["by_s": "\(milliseconds / 1000)"])
            letGoOfWhatIsOver(&turn)
        case .ignored(let milliseconds):
            turn.note(
                .warning, "the clock was right and has jumped; times go on from before",
                facts: ["by_s": "\(milliseconds / 1000)"])
        }
    }

    // MARK: - Reports

    /// Reports the changes of all state-like reports.
    private mutating func reportChanges(_ turn: inout Turn) {
        let now = stateReports
        for (index, report) in now.enumerated() {
            guard !reported.indices.contains(index) || reported[index] != report else { continue }
            turn.report(report)
        }
        reported = now
    }
}
