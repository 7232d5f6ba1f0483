import FlightMath
import ReceiverProtocol

extension Announcement {
    /// What is said. The keys of the texts are the events' names where no other is given.
    /// - Parameter car: where the crew is, from where places are described; nil if unknown.
    func phrase(from car: CarPosition?) -> Phrase {
        switch self {
        case .status(let status): status.phrase(from: car)
        case .receiverOnline(let id, let firmware):
            Phrase(name, values: ["name": .text(id), "firmware": .ifKnown(firmware)])
        case .receiverLost(let loss):
            Phrase(name, values: ["reason": .phrase(Phrase("loss", loss.code)), "why": .text(loss.explanation)])
        case .receiverBatteryLow(let percent?, _): Phrase(name, n: SpokenNumber(percent))
        case .receiverBatteryLow(nil, let volts): Phrase(name, "volts", n: SpokenNumber(volts ?? 0, step: 100))
        case .adapterRepaired(let duration):
            Phrase(name, n: SpokenNumber(Int(clamping: duration.components.seconds)))
        case .advice(let advice): advice.phrase(name)
        case .smallPackets(let mtu): Phrase(name, n: SpokenNumber(mtu - 3))
        case .stateChanged(let state, _, let reason): Phrase("state", state.rawValue, reason.rawValue)
        case .sondeChanged(let new, let old, let type, let isLongAfter):
            new.phrase(name, after: old, isLongAfter: isLongAfter, type)
        case .burst(let point, let landing):
            Phrase(
                name,
                values: [
                    "distance": .quantity(.altitude(point.altitudeMetres)),
                    "landing": .ifKnown(landing?.phrase(from: car)),
                ])
        case .landed(let point, let time, let town):
            .landed(point.coordinate, time == .unknown ? "on_ground" : nil, near: town, from: car)
        case .landedInSilence(_, let guess): .landed(guess, "unseen", from: car)
        case .trackTruncated(let lost): Phrase(name, lost.reason.rawValue, n: SpokenNumber(lost.count))
        case .switchesOff(_, let time): Phrase(name, values: ["time": .phrase(.until(time))])
        case .altitude(let metres, let isRising):
            Phrase(name, isRising ? "rising" : "falling", values: ["distance": .quantity(.altitude(metres))])
        case .below10km: Phrase(name, values: ["distance": .quantity(.altitude(10_000))])
        case .firstPrediction(let landing): landing.phrase(name, from: car)
        case .landingMoved(let landing, let metres, let degrees):
            landing.phrase(name, metres: metres, degrees: degrees, from: car)
        case .scored(let score): score.phrase(name)
        case .distance(let metres, let place): .distance(metres, to: place, from: car)
        case .arrival(let margin, let isNoRoadNear, let isStraight):
            Phrase(
                name, isStraight ? "straight" : isNoRoadNear ? "road_end" : nil,
                values: ["when": .phrase(.when(margin))])
        case .noRoadNear(let metres): Phrase(name, values: ["distance": .distance(metres)])
        case .frequencyProposal(let tuning), .frequencyTuned(let tuning), .searchFound(let tuning):
            Phrase(name, values: ["tuning": .phrase(.tuning(tuning))])
        case .storeFailed(let error):
            Phrase(name, values: ["reason": .phrase(Phrase("fault", error.code.rawValue)), "why": .text(error.detail)])
        case .storeReplaced(let text): Phrase(name, values: ["why": .text(text)])
        case .launchNear(let site, let time, let metres, _): .launch(name, from: site, at: time, metres: metres)
        case .recoveryReported(let recovery, let isOwn):
            Phrase(isOwn ? "own_recovery" : "recovery", recovery.state.rawValue, values: ["name": .text(recovery.by)])
        case .recoveryRejected(let serial, let reason, _):
            Phrase(name, reason.rawValue, values: ["name": .text(serial.canonical)])
        case .flightResumed(let serial, _): Phrase(name, values: ["name": .text(serial.canonical)])
        case .crewAtSonde(let id), .carPublic(let id), .carHidden(let id), .otherGateway(let id):
            Phrase(name, values: ["name": .text(id)])
        case .aprsNames, .burstRevoked, .landingRevoked, .moved, .airborne, .storeRecovered, .gatewayStopped:
            Phrase(name)
        }
    }
}

extension Phrase {
    fileprivate static func landed(
        _ goal: Coordinate, _ word: String?, near town: NearbyTown? = nil, from car: CarPosition?
    ) -> Phrase {
        let relative = car.map { RelativePosition(of: goal, from: $0) }
        return Phrase(
            "landed", word, relative?.isHere == true ? "here" : nil,
            values: ["place": .ifKnown(relative.map { .place($0) }), "town": .ifKnown(town.map { .town($0) })])
    }

    fileprivate static func distance(_ metres: Double, to place: Coordinate, from car: CarPosition?) -> Phrase {
        let side = car.map { Phrase.side(RelativePosition(of: place, from: $0)) }
        return Phrase("distance_to_go", values: ["distance": .distance(metres), "side": .ifKnown(side)])
    }

    /// `4 minutes before the landing`; nobody says "0 minutes before".
    fileprivate static func when(_ margin: Duration) -> Phrase {
        let minutes = SpokenNumber.minutes(margin < .zero ? .zero - margin : margin)
        if minutes.whole == 0 { return Phrase("when", "same") }
        return Phrase("when", margin < .zero ? "after" : "before", n: minutes)
    }

    fileprivate static func launch(
        _ key: String, from site: String, at time: WallTime, metres: Double
    ) -> Phrase {
        Phrase(
            key, site.vowel,
            values: ["site": .text(site), "time": .phrase(.sounding(time)), "distance": .distance(metres)])
    }
}

extension SondeSerial {
    /// - Parameter isLongAfter: the old sonde says nothing about this one.
    fileprivate func phrase(_ key: String, after old: SondeSerial?, isLongAfter: Bool, _ type: SondeType?) -> Phrase {
        Phrase(
            key, old == nil ? "first" : nil,
            values: [
                "name": .text(canonical), "type": .ifKnown(type?.name),
                "old": .ifKnown(isLongAfter ? nil : old?.canonical),
            ])
    }
}

extension LinkAdvice {
    fileprivate func phrase(_ key: String) -> Phrase {
        switch self {
        case .replugAdapter: Phrase(key, "replug_adapter")
        case .restartReceiver: Phrase(key, "restart_receiver")
        case .checkBattery: Phrase(key, "check_battery")
        case .checkPower: Phrase(key, "check_power")
        case .checkConnection: Phrase(key, "check_connection")
        case .plugIn: Phrase(key, "plug_in")
        }
    }
}

extension SpokenLanding {
    /// When and where the sonde lands; nil if neither is known.
    fileprivate func phrase(from car: CarPosition?) -> Phrase? {
        guard timeToGo != nil || words(from: car) != .unknown else { return nil }
        return phrase(EventName.firstPrediction.rawValue, from: car)
    }

    /// When and where the sonde lands, as far as it is known.
    fileprivate func phrase(_ key: String, from car: CarPosition?) -> Phrase {
        let place = Phrase.landingPoint(self, from: car)
        if isCrossing { return Phrase(key, "crossing", values: ["where": .ifKnown(place)]) }
        return Phrase(
            key, timeToGo != nil ? nil : place == nil ? "unknown" : "where",
            values: ["time": .ifKnown(timeToGo.map(Phrase.until)), "where": .ifKnown(place)])
    }

    /// - Parameters:
    ///   - metres: from the landing point that was last announced.
    ///   - degrees: the direction from there.
    fileprivate func phrase(_ key: String, metres: Double, degrees: Double, from car: CarPosition?) -> Phrase {
        Phrase(
            key,
            values: [
                "distance": .distance(metres), "direction": .phrase(.direction(degrees)),
                "where": .ifKnown(.landingPoint(self, from: car)),
            ])
    }
}

extension LandingScore {
    fileprivate func phrase(_ key: String) -> Phrase {
        let (early, last) = spokenErrors
        guard let metres = early ?? last else { return Phrase(key, "none") }
        return Phrase(key, early == nil ? "last" : "early", values: ["distance": .distance(metres)])
    }
}
