import FlightMath
import GatewayReports
import ReceiverProtocol

// Each event goes to one part of the machine.

extension GatewayMachine {
    mutating func dispatch(_ event: GatewayEvent, _ turn: inout Turn) {
        switch event {
        case .started(let memory):
            run.hasStarted = true
            if let memory { recall(memory, &turn) }
        case .recalled(let memory): recall(memory, &turn)
        case .linkOpened(let peer):
            receiver.linkOpened(peer, &turn)
            sonde.linkOpened()
        case .linkFailed(let error): receiver.linkFailed(error, &turn)
        case .linkClosed(let loss):
            if loss == .stopping { run.isStopping = true }
            receiver.linkClosed(loss, &turn)
            receiver.record(inFlightOf: flightInHand, &turn)
        case .linkReport(let report): receiver.linkReported(report, &turn)
        case .frame(let frame): hear(frame, &turn)
        case .frameRejected(let reason):
            turn.refuse(reason.rawValue)
            if reason == .bootText, !commands.restartsReceiver { receiver.restarted(&turn) }
        case .writeFinished(let id, let succeeded): commands.writeFinished(id, succeeded: succeeded, &turn)
        case .timerFired(let id): timerFired(id, &turn)
        case .command(let incoming): execute(incoming, &turn)
        case .healthDue(let process): turn.report(.health(health(process, at: turn.now)))
        case .policyChanged(let policy):
            commands.policy = policy
            tuning.sync.frequencyRange = policy.frequencyRange
            tuning.search.frequencyRange = policy.frequencyRange
            run.info.frequencyRange = policy.frequencyRange
        case .chaseChanged(let options, let settings):
            turn.quieten(options.quiet)
            road.milestones.altitudeStepMetres = options.altitudeStepMetres
            road.spokenStatus.interval = options.statusInterval
            if language.configure(options.language) { turn.record(.setting(.language, nil)) }
            speak(&turn)
            (run.info.units, turn.units) = (options.units, options.units)
            road.car.sources = options.sources
            road.carTrail.isOn = options.recordsWay
            if road.routing.mode.configure(options.route.mode) { turn.record(.setting(.routeMode, nil)) }
            turn.routeMode = road.routing.mode.value
            run.info.settings = settings
        case .carSharingChanged(let options):
            road.carSharing.change(to: options)
            run.info.feeds =
                run.info.feeds.filter { $0 != CarSharing.name } + (road.carSharing.isOn ? [CarSharing.name] : [])
        case .answered(let id, let answer): answered(Reply(id: id, answer: answer), &turn)
        case .carFix(let fix): road.car.locate(by: fix, &turn)
        case .carFixRefused(let refusal, let source): road.car.refuse(refusal, from: source, &turn)
        case .carConnection(let source, let isOpen): road.car.connectionChanged(source, isOpen: isOpen)
        case .bearingHeard(let bearing): signal.hear(bearing, of: sonde.serial, &turn)
        case .pageWatched(let isWatched): sondesAround.watch(isWatched)
        case .townsFound(let found): (towns, turn.towns) = (found, found)
        case .bridgeInfoHeard(let machine):
            run.otherGateway.heard(machine, own: run.info.machine, id: run.info.id, &turn)
        case .storeChanged(let failure):
            run.storeFault = failure
            turn.announce(failure.map { .storeFailed($0) } ?? .storeRecovered)
            // A page that is opened later has not heard the event: health tells it.
            turn.perform([.measureHealth])
        case .storeReplaced(let text): turn.announce(.storeReplaced(text))
        case .stopping:
            run.isStopping = true
            receiver.linkClosed(.stopping, &turn)
            sonde.leave(&turn)
            turn.announce(.gatewayStopped)
        }
    }

    // MARK: - The receiver

    /// The followed sonde; nil while nobody has seen it anywhere.
    private var flightInHand: SondeSerial? { sonde.flight.lastSeen == nil ? nil : sonde.serial }

    private mutating func hear(_ frame: Frame, _ turn: inout Turn) {
        // This frame arrived after its link was closed.
        guard receiver.link.isOpen else { return }
        var hasPosition = false
        if case .radio(let radio) = frame {
            var heard = HeardFrame(radio, at: turn.now, after: receiver.lastHeard)
            if let serial = serial(of: heard, &turn) { heard.serial = serial }
            switch receiver.identify(heard) {
            case .deliver: hasPosition = followedHears(heard, &turn)
            // The frame that confirms the sonde delivers this one. Until then the receiver stays the source, because it
            // hears a sonde.
            case .hold: hasPosition = heard.position != nil
            case .change(let serial, let frames):
                if sonde.serial != serial { change(to: FollowedSonde(serial, type: radio.sondeType), &turn) }
                for heard in frames { hasPosition = followedHears(heard, &turn) || hasPosition }
            }
        }
        if case .radio = frame, let heard = receiver.lastHeard {
            let place = road.car.receiverPlace(configured: sondeHub.options.place)
            signal.hear(heard, followed: sonde.serial, from: place, &turn)
        }
        receiver.received(frame, hasPosition: hasPosition, &turn)
        receiver.record(inFlightOf: flightInHand, &turn)
        commands.received(frame, &turn)
    }

    /// - Returns: whether the frame held a position.
    private mutating func followedHears(_ heard: HeardFrame, _ turn: inout Turn) -> Bool {
        // The receiver has priority: leave a sonde that SondeHub named.
        if let serial = heard.serial, serial != sonde.serial, heard.position != nil {
            change(to: FollowedSonde(serial, type: heard.frame.sondeType), &turn)
        }
        let isTaken = sonde.hear(heard, &turn)
        if isTaken, let serial = sonde.serial { sondeHub.heard(serial, at: turn.now.monotonic) }
        return isTaken
    }

    /// Follows another sonde. Keeps the old one, in case it comes back.
    ///
    /// | who changes the sonde | when |
    /// | --- | --- |
    /// | `Receiver.identify` | its rule accepts another name (``SondeIdentity``) |
    /// | `followedHears` | the receiver hears a sonde with a place, and SondeHub's was followed |
    /// | `followSonde` | SondeHub's choice, while the receiver gives no positions (``SondeHubChoice``) |
    /// | `hunt` | a command hunts a sonde, while the receiver gives no positions |
    /// | `letGoOfWhatIsOver` | the clock was set, and shows that the restored flight is over: no sonde |
    /// - Parameter isHeard: false if SondeHub has only old records of the new one.
    mutating func change(to new: FollowedSonde, isHeard: Bool = true, _ turn: inout Turn) {
        let isLongAfter = !sonde.isHeardLately(at: turn.now.monotonic)
        sonde.leave(&turn)
        interrupted.keep(sonde)
        counts.earlierTracks += sonde.calls
        if let time = sonde.heard.publishedAt { kept.published.remember(time, of: sonde.serial) }
        let old = sonde.serial
        if let old, let place = SeenPlace(of: sonde.flight) {
            kept.seenPlaces.remember(Dated(place, by: turn.clock), of: old)
        }
        if let known = interrupted.resume(new.serial, at: turn.now.monotonic) {
            sonde = known
            sonde.comeBack()
            counts.earlierTracks -= sonde.calls
        } else {
            sonde = new
            sonde.goOn(from: kept.published[new.serial])
        }
        setLandingPointAgain(at: turn.now)
        guard let serial = new.serial else { return }
        let change = Announcement.sondeChanged(
            to: serial, from: old, type: new.names.sondeType, isLongAfter: old != nil && isLongAfter)
        turn.announce(change, isSpoken: isHeard)
        sonde.heard.introduction = isHeard ? nil : change
    }

    // MARK: - Height files

    /// Logs each refused height file once, at most 64 of them.
    mutating func name(heightFiles problems: [String], _ turn: inout Turn) {
        for problem in problems
        where counts.namedHeightFiles.count < 64 && counts.namedHeightFiles.insert(problem).inserted {
            turn.note(.warning, "a height file is not used", facts: ["why": problem])
        }
    }

    // MARK: - Commands

    private mutating func execute(_ incoming: IncomingCommand, _ turn: inout Turn) {
        let surroundings = CommandDesk.Surroundings(
            listening: receiver.listening, configuration: receiver.settings?.configuration,
            afcMeanHz: sonde.heard.radio.afcMeanHz, proposal: tuning.sync.open)
        switch commands.take(incoming, against: surroundings, &turn) {
        case .nothing: break
        case .tuned: tuning.search.interrupt()
        case .proposalAccepted:
            tuning.sync.accept(of: sonde.serial, at: turn.now.monotonic)
            tuning.search.interrupt()
        case .order(let order, let origin):
            do throws(CommandRefusal) {
                if let applied = try carryOut(order, from: origin, &turn) {
                    commands.done(origin, applied: applied, &turn)
                }
            } catch {
                commands.refuse(origin, because: error, &turn)
            }
        }
    }

    /// - Returns: the answer's field `applied`; nil if the answer follows later.
    private mutating func carryOut(
        _ order: GatewayOrder, from origin: CommandOrigin, _ turn: inout Turn
    ) throws(CommandRefusal) -> [String: JSONValue]? {
        switch order {
        case .hunt(let serial):
            try requireSondeHub("the gateway follows the receiver only")
            hunt(serial, &turn)
            return ["hunt": serial.map { .string($0.canonical) } ?? .null]
        case .deferProposal:
            guard tuning.sync.open != nil else { throw .noProposal }
            tuning.sync.putOff(at: turn.now.monotonic)
            return ["accept_proposal": .bool(false)]
        case .options(let options): return try change(options, &turn)
        case .landingPoint(let place):
            try set(landingPoint: place, &turn)
            return ["landing_point": place.map(JSONValue.init) ?? .null]
        case .predict:
            let isAnsweredLater = try predict(for: origin)
            return isAnsweredLater ? nil : ["predict": .bool(true)]
        case .routeMode(let mode):
            road.routing.mode.change(to: mode)
            turn.routeMode = mode
            turn.store(road.routing.mode.stored, as: .routeMode)
            return ["route": .object(["mode": .string(mode.rawValue)])]
        case .recovery(let order): return ["recovery": try recover(order, &turn)]
        case .bearing(let order): return try carryOut(order, &turn)
        case .reportHealth:
            turn.perform([.measureHealth])
            return ["request": "health"]
        case .reportInfo:
            turn.report(.info(infoAnnouncement))
            return ["request": "info"]
        case .search(let isOn): return try orderSearch(isOn, at: turn.now)
        case .reportLaunches:
            try requireSondeHub("it knows the launch sites")
            launches.request()
            return ["request": "launches"]
        case .reportStatus:
            let status = Announcement.status(SpokenStatus(facts, &turn))
            turn.announce(status)
            return ["request": "status", "text": .string(turn.text(of: status))]
        case .logLevel(let level):
            turn.perform([.setLogLevel(level)])
            return ["log_level": .string(level.rawValue)]
        case .forgetHomeAssistant:
            turn.perform([.forgetHomeAssistant])
            return ["forget": "homeassistant"]
        case .forgetLessons:
            kept.earlierFlights.lessons.forgetAll()
            turn.record(.lessonsForgotten)
            return ["forget": "lessons"]
        }
    }

    /// - Returns: whether a forecast server is asked, so that its answer must come first.
    private mutating func predict(for origin: CommandOrigin) throws(CommandRefusal) -> Bool {
        try requirePrediction()
        guard facts.state.isFlying else {
            throw CommandRefusal(.noSonde, "no sonde is in flight, as far as the gateway knows")
        }
        sonde.predictNow()
        let options = kept.predictionParameters.options
        guard options.asksTawhiri || options.asksSondeHub && facts.state == .aprsFlying else { return false }
        try commands.answerLater(origin, knowing: facts)
        return true
    }

    func requirePrediction() throws(CommandRefusal) {
        guard kept.predictionParameters.options.isEnabled else {
            throw CommandRefusal(.unavailable, "prediction is switched off in the configuration")
        }
    }

    func requireSondeHub(_ consequence: String) throws(CommandRefusal) {
        guard sondeHub.options.isEnabled else {
            throw CommandRefusal(.unavailable, "SondeHub is switched off; \(consequence)")
        }
    }

    private mutating func hunt(_ serial: SondeSerial?, _ turn: inout Turn) {
        if serial != nil { tuning.search.interrupt() }
        sondeHub.pin(serial, &turn)
        guard !facts.receiver.givesPositions, let wanted = sondeHub.hunted.serial(at: turn.now.monotonic),
            wanted != sonde.serial
        else { return }
        change(to: FollowedSonde(wanted), &turn)
    }
}

extension JSONValue {
    fileprivate init(_ place: Coordinate) {
        self = .object(["latitude": .number(place.latitude), "longitude": .number(place.longitude)])
    }
}
