import FlightMath
import GatewayReports
import ReceiverProtocol

// Each event goes to one part of the machine.

extension GatewayMachine {
    mutating func deliver(_ event: GatewayEvent, _ turn: inout Turn) {
        switch event {
        case .started(let memory):
            hasStarted = true
            if let memory { recall(memory, &turn) }
        case .recalled(let memory): recall(memory, &turn)
        case .linkOpened(let peer):
            receiver.linkOpened(peer, &turn)
            sonde.linkOpened()
        case .linkFailed(let error): receiver.linkFailed(error)
        case .linkClosed(let loss):
            if loss == .stopping { isStopping = true }
            receiver.linkClosed(loss, &turn)
        case .linkReport(let report): receiver.linkReported(report, &turn)
        case .frame(let frame): hear(frame, &turn)
        case .frameRejected(let reason): turn.refuse(reason.rawValue)
        case .writeFinished(let id, let succeeded): commands.writeFinished(id, succeeded: succeeded, &turn)
        case .timerFired(let id): timerFired(id, &turn)
        case .command(let incoming): execute(incoming, &turn)
        case .healthDue(let process): turn.report(.health(health(process, at: turn.now)))
        case .policyChanged(let policy):
            commands.policy = policy
            frequencySync.frequencyRange = policy.frequencyRange
            info.frequencyRange = policy.frequencyRange
        case .chaseChanged(let options, let settings):
            turn.quieten(options.quiet)
            car.sources = options.sources
            if routing.configure(options.route.mode) { turn.record(.setting(.routeMode, nil)) }
            info.settings = settings
        case .carSharingChanged(let options):
            carSharing.change(to: options)
            info.feeds = info.feeds.filter { $0 != CarSharing.name } + (carSharing.isOn ? [CarSharing.name] : [])
        case .answered(let id, let answer): answered(answer, to: id, &turn)
        case .carFix(let fix): car.locate(by: fix, &turn)
        case .carConnection(let source, let isOpen): car.connectionChanged(source, isOpen: isOpen)
        case .bridgeInfoHeard(let machine): otherGateway.heard(machine, own: info.machine, id: info.id, &turn)
        case .storeChanged(let failure?): turn.announce(.storeFailed(failure))
        case .storeChanged(nil): turn.announce(.storeRecovered)
        case .storeReplaced(let text): turn.announce(.storeReplaced(text))
        case .stopping:
            isStopping = true
            receiver.linkClosed(.stopping, &turn)
            sonde.leave(&turn)
            turn.announce(.gatewayStopped)
        }
    }

    // MARK: - The receiver

    private mutating func hear(_ frame: Frame, _ turn: inout Turn) {
        // This frame arrived after its link was closed.
        guard receiver.link.isOpen else { return }
        var hasPosition = false
        if case .radio(let radio) = frame {
            let heard = HeardFrame(radio, at: turn.now, after: receiver.lastHeard)
            switch receiver.identify(heard) {
            case .deliver: hasPosition = deliver(heard, &turn)
            // The frame that confirms the sonde delivers this one. It counts as telemetry now.
            case .hold: hasPosition = heard.position != nil
            case .change(let serial, let frames):
                if sonde.serial != serial { follow(FollowedSonde(serial, type: radio.sondeType), &turn) }
                for heard in frames { hasPosition = deliver(heard, &turn) || hasPosition }
            }
        }
        receiver.received(frame, hasPosition: hasPosition, &turn)
        commands.received(frame, &turn)
    }

    /// - Returns: whether the frame held a position.
    private mutating func deliver(_ heard: HeardFrame, _ turn: inout Turn) -> Bool {
        // The receiver has priority: return from a sonde that SondeHub named.
        if let serial = heard.serial, serial != sonde.serial, heard.position != nil {
            follow(FollowedSonde(serial, type: heard.frame.sondeType), &turn)
        }
        let isTaken = sonde.hear(heard, &turn)
        if isTaken, let serial = sonde.serial { sondeHub.heard(serial, at: turn.now.monotonic) }
        return isTaken
    }

    /// Follows another sonde. Nothing of the old one is kept.
    private mutating func follow(_ new: FollowedSonde, _ turn: inout Turn) {
        sonde.leave(&turn)
        earlierTracks += sonde.calls
        if let time = sonde.lastPublished { published.remember(time, of: sonde.serial) }
        let old = sonde.serial
        sonde = new
        sonde.goOn(from: published[new.serial])
        setLandingPointAgain(at: turn.now)
        if let serial = new.serial { turn.announce(.sondeChanged(to: serial, from: old, type: new.sondeType)) }
    }

    /// Restores a landing point that a command has set. It stays until a command removes it or the sonde's landing is
    /// detected.
    private mutating func setLandingPointAgain(at now: Moment) {
        guard let place = placesSetByHand[sonde.serial], sonde.flight.landingPlace == nil else { return }
        sonde.setAgain(place, at: now)
    }

    /// Forgets a landing point set by a command: it belongs to an earlier flight of this sonde, or the sonde has
    /// landed.
    mutating func forgetPlaceSetByHand(_ turn: inout Turn) {
        guard placesSetByHand[sonde.serial] != nil else { return }
        placesSetByHand.remove(of: sonde.serial)
        turn.record(.setting(.landingPoint, placesSetByHand.text))
    }

    // MARK: - Answers

    private mutating func answered(_ answer: Answer, to id: CallID, _ turn: inout Turn) {
        switch turn.owner(of: answer, to: id) {
        case .routing: routing.answered(answer, &turn)
        case .carSharing: carSharing.answered(answer, &turn)
        case .predictions: sonde.predicted(answer, by: predictionParameters, taughtBy: lessonBook, &turn)
        case .gapFill:
            sonde.fillGap(with: answer, &turn)
            if case .failed(let error) = answer { sondeHub.countError(error) }
        case .sondeHub: polled(answer, &turn)
        case nil: break  // The call was cancelled or has ended.
        }
    }

    /// SondeHub's answer to the poll.
    private mutating func polled(_ answer: Answer, _ turn: inout Turn) {
        guard let latest = sondeHub.answered(answer, knowing: facts, of: sonde.likeness, &turn) else {
            return sonde.sondeHubHasNone()
        }
        if let name = latest.otherName { sonde.rename(onSondeHub: name, &turn) }
        if latest.record.serial != sonde.serial {
            // The receiver has priority, also with a sonde whose name it can't read.
            guard !facts.hasTelemetry else { return }
            follow(FollowedSonde(latest.record.serial, type: latest.record.sondeType.named), &turn)
        }
        if sonde.update(with: latest) { sondeHub.told(latest.record.serial, at: turn.now.monotonic) }
    }

    // MARK: - Commands

    private mutating func execute(_ incoming: IncomingCommand, _ turn: inout Turn) {
        let surroundings = CommandDesk.Surroundings(
            listening: receiver.listening, configuration: receiver.settings?.configuration,
            afcMeanHz: sonde.radio.afcMeanHz, proposal: frequencySync.open)
        switch commands.weigh(incoming, against: surroundings, &turn) {
        case .nothing: break
        case .proposalAccepted: frequencySync.accept()
        case .order(let order, let origin):
            do throws(CommandRefusal) {
                commands.done(origin, applied: try carryOut(order, &turn), &turn)
            } catch {
                commands.refuse(origin, because: error, &turn)
            }
        }
    }

    /// - Returns: what was applied.
    private mutating func carryOut(
        _ order: GatewayOrder, _ turn: inout Turn
    ) throws(CommandRefusal) -> [String: JSONValue] {
        switch order {
        case .hunt(let serial):
            try requireSondeHub("the gateway follows the receiver only")
            hunt(serial, &turn)
            return ["hunt": serial.map { .string($0.canonical) } ?? .null]
        case .deferProposal:
            guard frequencySync.open != nil else { throw .noProposal }
            frequencySync.putOff(at: turn.now.monotonic)
            return ["accept_proposal": .bool(false)]
        case .frequencySync(let policy):
            try requireSondeHub("no frequency comes from there")
            frequencySync.change(to: policy)
            turn.record(.setting(.frequencySync, policy?.rawValue))
            return ["frequency_sync": .string(frequencySync.policy.rawValue)]
        case .landingPoint(let place):
            try set(landingPoint: place, &turn)
            return ["landing_point": place.map(JSONValue.init) ?? .null]
        case .predict:
            try requirePrediction()
            guard facts.state == .liveBLEFlying || facts.state == .aprsFlying else {
                throw CommandRefusal(.noSonde, "no sonde is in flight, as far as the gateway knows")
            }
            sonde.predictNow(at: turn.now)
            return ["predict": .bool(true)]
        case .burstAltitude(let metres):
            try requirePrediction()
            predictionParameters.burstAltitudeMetres = metres
            turn.record(.setting(.burstAltitude, metres.map { String($0) }))
            sonde.predictNow(at: turn.now)
            return ["burst_altitude_m": .number(predictionParameters.ownWinds.burstAltitudeMetres)]
        case .routeMode(let mode):
            routing.change(to: mode)
            turn.record(.setting(.routeMode, routing.stored))
            return ["route": .object(["mode": .string(mode.rawValue)])]
        case .reportHealth:
            turn.perform([.measureHealth])
            return ["request": "health"]
        case .reportInfo:
            turn.report(.info(infoAnnouncement))
            return ["request": "info"]
        case .logLevel(let level):
            turn.perform([.setLogLevel(level)])
            return ["log_level": .string(level.rawValue)]
        case .forgetHomeAssistant:
            turn.perform([.forgetHomeAssistant])
            return ["forget": "homeassistant"]
        }
    }

    private mutating func set(landingPoint place: Coordinate?, _ turn: inout Turn) throws(CommandRefusal) {
        guard let serial = sonde.serial else { throw .noSonde }
        guard place == nil || sonde.flight.landingPlace == nil else {
            throw CommandRefusal(.unavailable, "the sonde was seen to land, and that is its landing point")
        }
        sonde.set(landingPoint: place, at: turn.now)
        if let place {
            placesSetByHand.set(StoredPlace(serial, place, at: turn.now.wall))
        } else {
            placesSetByHand.remove(of: serial)
        }
        turn.record(.setting(.landingPoint, placesSetByHand.text))
    }

    private func requirePrediction() throws(CommandRefusal) {
        guard predictionParameters.options.isEnabled else {
            throw CommandRefusal(.unavailable, "prediction is switched off in the configuration")
        }
    }

    private func requireSondeHub(_ consequence: String) throws(CommandRefusal) {
        guard sondeHub.options.isEnabled else {
            throw CommandRefusal(.unavailable, "SondeHub is switched off; \(consequence)")
        }
    }

    private mutating func hunt(_ serial: SondeSerial?, _ turn: inout Turn) {
        sondeHub.pin(serial, &turn)
        guard !facts.hasTelemetry, let wanted = sondeHub.hunted.serial(at: turn.now.monotonic), wanted != sonde.serial
        else { return }
        follow(FollowedSonde(wanted), &turn)
    }

    // MARK: - The memory of earlier runs

    /// A stored flight or hunt older than this is over (specification 6.5).
    private static let flightLimit = Duration.seconds(43_200)

    /// Continues where an earlier run ended. Stored positions are not published, because they are not live. Newer data
    /// and commands of this run have priority.
    private mutating func recall(_ memory: GatewayMemory, _ turn: inout Turn) {
        hasRecalled = true
        for (serial, time) in memory.lastHeard where time <= turn.now.wall { published.remember(time, of: serial) }
        recall(memory.settings.filter { !setMeanwhile.contains($0.key) }, &turn)
        recallPlaces(memory.settings[.landingPoint], &turn)
        lessonBook.join(memory.lessons)
        guard !isStopping, let flight = memory.flight, let last = flight.points.last, isYoung(last.time, turn.now)
        else {
            return
        }
        // Only a sonde that the receiver has heard is hunted.
        if sondeHub.hunted.lastHeard == nil, let heard = flight.points.last(where: { $0.source == .ble }) {
            let age = turn.now.wall.duration(since: heard.time)
            sondeHub.heard(flight.serial, at: turn.now.monotonic.advanced(by: .zero - age))
        }
        guard sonde.serial == nil || sonde.serial == flight.serial else { return }
        if sonde.serial == nil { sonde = FollowedSonde(flight.serial) }
        let silence = SilentLanding(of: flight.serial, lastHeard: last.time)
        sonde.join(
            flight, wasSaidDown: memory.settings[.silentLanding] == silence.text, published: published[flight.serial],
            &turn)
        setLandingPointAgain(at: turn.now)
        turn.announce(.flightResumed(flight.serial, last: last))
    }

    private mutating func recall(_ settings: [StoredSetting: String], _ turn: inout Turn) {
        if let policy = settings[.frequencySync].flatMap(FrequencySyncPolicy.init) {
            frequencySync.change(to: policy)
        }
        if let metres = settings[.burstAltitude].flatMap({ Double($0) }),
            PredictionOptions.burstAltitudes.contains(metres)
        {
            predictionParameters.burstAltitudeMetres = metres
        }
        if !setMeanwhile.contains(.sharedCar) { carSharing.recall(settings[.sharedCar]) }
        if !setMeanwhile.contains(.routeMode) { routing.recall(settings[.routeMode]) }
        if let stored = settings[.hunt].flatMap(StoredHunt.init), isYoung(stored.at, turn.now) {
            sondeHub.recall(stored)
        }
    }

    private mutating func recallPlaces(_ text: String?, _ turn: inout Turn) {
        var places = text.map(StoredPlaces.init) ?? StoredPlaces()
        if setMeanwhile.contains(.landingPoint) {
            places.remove(of: sonde.serial)
            places.join(placesSetByHand)
            turn.record(.setting(.landingPoint, places.text))
        }
        placesSetByHand = places
    }

    /// Drops a restored flight or hunt that turns out to be over once the clock is right. At the start the clock may
    /// have been behind.
    mutating func letGoOfWhatIsOver(_ turn: inout Turn) {
        let isHuntOver = sondeHub.hunted.storedAt.map { !isYoung($0, turn.now) } ?? false
        let isFlightOver = sonde.isTakenUp && sonde.flight.newest.map { !isYoung($0.time, turn.now) } ?? false
        sondeHub.letGo(ofHunt: isHuntOver, ofLastHeard: isFlightOver)
        guard isFlightOver else { return }
        turn.note(.notice, "the flight of the last run is long over")
        follow(FollowedSonde(nil), &turn)
    }

    private func isYoung(_ time: WallTime, _ now: Moment) -> Bool {
        (Duration.zero..<Self.flightLimit).contains(now.wall.duration(since: time))
    }
}

extension JSONValue {
    fileprivate init(_ place: Coordinate) {
        self = .object(["latitude": .number(place.latitude), "longitude": .number(place.longitude)])
    }
}
