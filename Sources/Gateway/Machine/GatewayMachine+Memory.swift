import FlightMath
import GatewayReports
import ReceiverProtocol

// The memory of earlier runs.

extension GatewayMachine {
    /// Continues where an earlier run ended. Stored positions are not published, because they are not live. Newer data
    /// and commands of this run have priority.
    mutating func recall(_ memory: GatewayMemory, _ turn: inout Turn) {
        kept.isRecalled = true
        for (serial, time) in memory.lastHeard where time <= turn.now.wall { kept.published.remember(time, of: serial) }
        recall(memory.settings.filter { !kept.setMeanwhile.contains($0.key) }, &turn)
        recallPlaces(memory.settings.value(of: .landingPoint), &turn)
        signal.recall(
            memory.settings.value(of: .bearings), isChanged: kept.setMeanwhile.contains(.bearings), &turn)
        kept.earlierFlights.lessons.join(memory.lessons, by: turn.clock)
        kept.earlierFlights.winds.join(memory.winds, by: turn.clock)
        recoveries.recall(memory.settings.value(of: .recoveries), &turn)
        launches.recall(memory.settings.value(of: .launchSites))
        road.crews.recall(memory.settings.value(of: .crewsAtSonde))
        tuning.search.recall(memory.settings.value(of: .searchTunings), at: turn.now)
        guard !run.isStopping else { return }
        if let flight = memory.flight { resume(flight, choosing: memory.settings, &turn) }
        for flight in memory.others { resume(flight, choosing: memory.settings, &turn) }
    }

    private mutating func resume(
        _ flight: RecordedFlight, choosing settings: [StoredSetting: String], _ turn: inout Turn
    ) {
        guard let last = flight.points.last, isYoung(last.time, turn.now) else {
            // The flight is over, and its crew may report now that it has found the sonde.
            if let place = SeenPlace(of: flight) {
                kept.seenPlaces.remember(Dated(fromElsewhere: place), of: flight.serial)
            }
            return
        }
        // Only a sonde that the receiver has heard is hunted.
        if sondeHub.hunted.lastHeard == nil, let heard = flight.points.last(where: { $0.source == .ble }) {
            let age = turn.now.wall.duration(since: heard.time)
            sondeHub.heard(flight.serial, at: turn.now.monotonic.advanced(by: .zero - age))
        }
        let now = turn.now
        let wasSaidDown = settings.value(of: .silentLanding) == SilentLanding(of: flight.serial, lastHeard: last.time)
        guard sonde.serial == nil || sonde.serial == flight.serial else {
            // Keep the flight, because that sonde may come back.
            let published = kept.published[flight.serial]
            return interrupted.change(flight.serial) {
                $0.join(flight, wasSaidDown: wasSaidDown, published: published, &turn)
                $0.recall(settings, of: flight.serial, lastHeard: last.time, at: now)
            }
        }
        if sonde.serial == nil { sonde = FollowedSonde(flight.serial) }
        sonde.join(flight, wasSaidDown: wasSaidDown, published: kept.published[flight.serial], &turn)
        sonde.recall(settings, of: flight.serial, lastHeard: last.time, at: now)
        setLandingPointAgain(at: turn.now)
        turn.announce(.flightResumed(flight.serial, last: last))
    }

    private mutating func recall(_ settings: [StoredSetting: String], _ turn: inout Turn) {
        let policy: StoredPolicy? = settings.value(of: .frequencySync)
        if let policy = policy.flatMap({ FrequencySyncPolicy(rawValue: $0.policy) }) {
            tuning.sync.change(to: policy)
        }
        for choice in PredictionChoice.allCases {
            let stored: StoredNumber? = settings.value(of: choice.setting)
            if let value = stored?.value, choice.range.contains(value) {
                kept.predictionParameters.chosen[choice] = value
            }
        }
        if !kept.setMeanwhile.contains(.sharedCar) { road.carSharing.recall(settings.value(of: .sharedCar)) }
        if !kept.setMeanwhile.contains(.routeMode) { road.routing.mode.recall(settings.value(of: .routeMode)) }
        language.recall(settings.value(of: .language))
        sondeHub.site.recall(settings.value(of: .site))
        speak(&turn)
        if let stored: StoredHunt = settings.value(of: .hunt), isYoung(stored.at, turn.now) {
            sondeHub.recall(stored)
        }
    }

    /// Uses the chosen language from now on.
    mutating func speak(_ turn: inout Turn) {
        (run.info.language, turn.language) = (language.value, language.value)
    }

    private mutating func recallPlaces(_ stored: StoredPlaceList?, _ turn: inout Turn) {
        var places = stored.map { StoredPlaces($0) } ?? StoredPlaces()
        let isChanged = kept.setMeanwhile.contains(.landingPoint)
        if isChanged {
            places.remove(of: sonde.serial)
            places.join(kept.placesSetByHand)
        }
        kept.placesSetByHand = places
        if isChanged { recordPlacesSetByHand(&turn) }
    }

    /// Drops a restored flight or hunt that turns out to be over once the clock is right. At the start the clock may
    /// have been behind.
    mutating func letGoOfWhatIsOver(_ turn: inout Turn) {
        let isHuntOver = sondeHub.hunted.storedAt.map { !isYoung($0, turn.now) } ?? false
        let isFlightOver = sonde.heard.isResumed && sonde.flight.newest.map { !isYoung($0.time, turn.now) } ?? false
        sondeHub.letGo(ofHunt: isHuntOver, ofLastHeard: isFlightOver)
        guard isFlightOver else { return }
        turn.note(.notice, "the flight of the last run is long over")
        change(to: FollowedSonde(nil), &turn)
    }

    /// Whether a stored flight or hunt of this time may still go on.
    private func isYoung(_ time: WallTime, _ now: Moment) -> Bool {
        (Duration.zero..<FlightSpan.longest).contains(now.wall.duration(since: time))
    }
}

extension FollowedSonde {
    /// Restores what an earlier run has stored of this sonde beside its flight.
    fileprivate mutating func recall(
        _ settings: [StoredSetting: String], of serial: SondeSerial, lastHeard last: WallTime, at now: Moment
    ) {
        recall(settings.value(of: .otherName))
        switchOff.recall(settings.value(of: .switchOff), of: serial, lastHeard: last, at: now)
    }
}

extension GatewayMemory {
    /// The newest recorded time. A correct clock never shows an earlier time. Bearings and commands of a hunt come after
    /// the sonde's last point, and count too.
    /// - Parameter now: the machine's clock. A setting that is later than ``latestBelievable(at:)`` does not count.
    func newestTime(at now: WallTime) -> WallTime? {
        let bearings: StoredBearings? = settings.value(of: .bearings)
        let places: StoredPlaceList? = settings.value(of: .landingPoint)
        let hunt: StoredHunt? = settings.value(of: .hunt)
        let latest = min(Self.latestBelievable(at: now), Self.latestPossible)
        let commanded =
            (bearings?.bearings.elements.map(\.at) ?? []) + (places?.places.elements.compactMap(\.at) ?? [])
            + [hunt?.at].compactMap { $0 }
        return (commanded.filter { $0 <= latest } + lastHeard.values + [newestSideRecord].compactMap { $0 }).max()
    }

    /// A later time is damage of the store.
    private static let latestPossible = WallTime(millisecondsSince1970: 253_402_300_799_999)  // the end of 9999
}
