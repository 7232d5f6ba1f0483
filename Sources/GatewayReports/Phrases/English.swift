public import FlightMath
import ReceiverProtocol

/// English, fit to be read aloud.
public struct English: Phrasebook {
    public init() {}

    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        switch announcement {
        case .receiverOnline(let name, let firmware):
            "Receiver \(name) online\(firmware.map { ", firmware \($0)" } ?? "")."
        case .receiverLost(let loss): "Receiver lost: \(loss.explanation)."
        case .adapterRepaired(let repair, let duration): sentence(repair, after: duration)
        case .advice(let advice): sentence(advice)
        case .storeReplaced(let text): text
        case .smallPackets(let mtu):
            "The receiver's Bluetooth packets hold only \(mtu - 3) bytes: long frames arrive in pieces or cut off."
        case .aprsNames: "The receiver shows APRS names. Set aprsName to 0 for serials that match SondeHub's."
        case .stateChanged(let state, _, let reason): sentence(state, reason)
        case .sondeChanged(let new, let old, let type, let isLongAfter):
            sonde(new.canonical, isFirst: old == nil) + spoken(type) + after(isLongAfter ? nil : old) + "."
        case .flightResumed(let serial, _): "Resuming the flight of \(serial)."
        case .altitude(let metres, let isRising): "\(isRising ? "Climbing" : "Falling") through \(distance(metres))."
        case .receiverBatteryLow(let percent, let volts): battery(percent, volts: volts)
        case .status(let status): sentences(status, from: car)
        case .burst(let point, let time):
            "Burst at \(wholeMetres(point.altitudeMetres)) metres.\(time.map { " Lands \(until($0))." } ?? "")"
        case .burstRevoked: "The balloon is climbing again: it has not burst."
        case .landed(let point, let time, let town):
            landing(point, isTimeKnown: time != .unknown, near: town, from: car)
        case .landedInSilence(_, let guess):
            "Nobody hears the sonde any more: it has probably landed\(seen(guess, from: car))."
        case .landingRevoked: "The sonde is still falling: it has not landed."
        case .below10km: "The sonde is below 10 kilometres."
        case .distance(let metres, let place):
            "\(remaining(metres))\(car.map { ", " + side(RelativePosition(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, _, true): "In a straight line you would arrive \(spoken(margin))."
        case .arrival(let margin, let isNoRoadNear, false): sentence(margin, isNoRoadNear: isNoRoadNear)
        case .noRoadNear(let metres):
            "No road near the landing point: the last one ends \(distance(metres)) away."
        case .crewAtSonde(let callSign): "\(callSign) is at the sonde."
        case .moved: "Somebody is moving the sonde."
        case .airborne: "The sonde is in the air again."
        case .trackTruncated(let truncation): sentence(truncation)
        case .firstPrediction(let landing): sentence(landing, from: car)
        case .landingMoved(let landing, let metres, let degrees):
            "The landing point has moved \(distance(metres)) \(direction(degrees))."
                + (place(landing, from: car).map { " Now \($0)." } ?? "")
        case .scored(let score): sentence(score)
        case .frequencyProposal(let tuning): "The sonde transmits on \(spoken(tuning)). Tune the receiver?"
        case .frequencyTuned(let tuning): "Tuning the receiver to \(spoken(tuning))."
        case .storeFailed(let error):
            "Recording has stopped, live data continues. The store reports: \(error.detail)."
        case .storeRecovered: "Recording again: the store works."
        case .carPublic(let callSign): "Your car's position is public on SondeHub now, as \(callSign)."
        case .carHidden(let callSign): "Your car's position is no longer public on SondeHub as \(callSign)."
        case .searchFound(let tuning): "The receiver hears a sonde on \(spoken(tuning))."
        case .launchNear(let site, let time, let metres, _):
            "The \(sounding(time, fullHour: "", separator: ":")) sonde from \(site) should land \(distance(metres)) from here."
        case .recoveryReported(let recovery, let isOwn):
            report(recovery, isOwn: isOwn)
        case .recoveryRejected(let serial, let reason, _): refusal(reason, of: serial)
        case .otherGateway(let id):
            "Another gateway has the id \(id), too: give each one a gateway.id of its own."
        case .gatewayStopped: "The gateway is stopping."
        }
    }
}

// MARK: - Parts of sentences

extension English {
    public func sonde(_ name: String, isFirst: Bool) -> String { "\(isFirst ? "First" : "New") sonde \(name)" }

    private func sentence(_ repair: LinkRepair, after duration: Duration) -> String {
        "No receiver for \(duration.components.seconds) seconds: "
            + (repair == .powerCycle
                ? "switching the Bluetooth adapter off and on." : "resetting the Bluetooth adapter.")
    }

    private func after(_ old: SondeSerial?) -> String { old.map { ", after \($0)" } ?? "" }

    private func battery(_ percent: Int?, volts: Double?) -> String {
        if let percent {
            "The receiver's battery is at \(percent) percent."
        } else {
            "The receiver's battery is at \(tenths(volts, ".")) volts."
        }
    }

    private func landing(
        _ point: TrackPoint, isTimeKnown: Bool, near town: NearbyTown?, from car: CarPosition?
    ) -> String {
        let near = town.map { ", \(place($0))" } ?? ""
        return isTimeKnown
            ? "The sonde has landed\(seen(point.coordinate, from: car))\(near)."
            : "The sonde is on the ground\(seen(point.coordinate, from: car, after: ", "))\(near)."
    }

    private func sentence(_ advice: LinkAdvice) -> String {
        switch advice {
        case .replugAdapter: "Unplug the Bluetooth adapter and plug it in again, or restart the gateway's computer."
        case .restartReceiver: "Switch the receiver off and on, and bring it closer."
        case .checkBattery: "The receiver keeps restarting. Check its battery."
        case .resetFailed(let why): "The Bluetooth adapter can't be reset: \(why)."
        }
    }

    private func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
        switch state {
        case .startup: "The gateway is starting."
        case .liveBLEFlying: "The receiver hears the sonde."
        case .liveBLELanded: "The receiver hears the sonde, which is on the ground."
        case .waitingForAPRS: "The receiver lost the sonde."
        case .aprsFlying: "SondeHub has the sonde."
        case .aprsLanded:
            reason == .sondeHubSilent
                ? "SondeHub last had the sonde in the air." : "SondeHub has the sonde, which is on the ground."
        case .noTelemetry: reason == .stopping ? "No telemetry: the gateway is stopping." : "Nobody hears the sonde."
        }
    }

    private func sentence(_ score: LandingScore) -> String {
        let (early, last) = score.spokenErrors
        if let early { return "The prediction was \(distance(early)) off 15 minutes before landing." }
        return last.map { "The last prediction was \(distance($0)) off." } ?? "No prediction could be judged."
    }

    private func sentence(_ margin: Duration, isNoRoadNear: Bool) -> String {
        let what = isNoRoadNear ? "You will reach the road's end" : "You will arrive"
        return "\(what) \(spoken(margin))." + (isNoRoadNear ? " No road near the landing point." : "")
    }

    /// `4 minutes before the landing`; nobody says "0 minutes before".
    private func spoken(_ margin: Duration) -> String {
        let time = margin < .zero ? .zero - margin : margin
        if wholeMinutes(time) == 0 { return "at the time of the landing" }
        return "\(minutes(time)) \(margin < .zero ? "after" : "before") the landing"
    }

    private func sentence(_ truncation: TrackTruncation) -> String {
        let points = "\(truncation.count) track \(truncation.count == 1 ? "point" : "points")"
        return switch truncation.reason {
        case .landed: "Left out \(points) after the landing."
        case .newFlight: "Left out \(points) from the previous flight."
        case .excursion: "Left out \(points) where the sonde can't have been."
        case .blackout: "Left out \(points) recorded while somebody carried the sonde."
        }
    }

    /// ` 3.4 kilometres ahead, half left`; nothing while nobody knows where the crew is.
    private func seen(_ goal: Coordinate, from car: CarPosition?, after separator: String = " ") -> String {
        guard let car else { return "" }
        let relative = RelativePosition(of: goal, from: car)
        return relative.isHere ? " here" : separator + place(relative)
    }

    private func spoken(_ type: SondeType?) -> String { type.map { ", type \($0.name)" } ?? "" }

    /// `403.5 megahertz, type RS41`
    private func spoken(_ tuning: Tuning) -> String {
        "\(megahertz(tuning, ".")) megahertz, type \(tuning.sondeType.name)"
    }
}

// MARK: - The landing

extension English {
    /// `Lands in 20 minutes, 14 kilometres ahead, give or take 3 kilometres.`
    private func sentence(_ landing: SpokenLanding, from car: CarPosition?) -> String {
        let parts = [landing.timeToGo.map(until), place(landing, from: car)].compactMap { $0 }
        return parts.isEmpty ? "First landing prediction." : "Lands \(parts.joined(separator: ", "))."
    }

    /// Nil if nobody can say where.
    private func place(_ landing: SpokenLanding, from car: CarPosition?) -> String? {
        switch landing.words(from: car) {
        case .unknown: nil
        case .within(let metres, let town): "somewhere within \(distance(metres)) of \(town)"
        case .fromCar(let relative, let error): (relative.isHere ? "here" : place(relative)) + giveOrTake(error)
        case .fromTown(let town, let error): place(town) + giveOrTake(error)
        }
    }

    private func giveOrTake(_ metres: Double?) -> String { metres.map { ", give or take \(distance($0))" } ?? "" }

    /// `2 kilometres north of Grenchen`
    private func place(_ town: NearbyTown) -> String {
        town.isAtTown
            ? "near \(town.name)" : "\(distance(town.metres)) \(direction(town.bearingDegrees)) of \(town.name)"
    }
}

// MARK: - Numbers and places

extension English {
    /// `350 metres`, `3.4 kilometres`, `12 kilometres`
    private func distance(_ metres: Double) -> String {
        switch SpokenDistance(metres) {
        case .unknown: "an unknown distance"
        case .metres(let count): "\(count) metres"
        case .kilometre: "1 kilometre"
        case .kilometres(let number): "\(number(".")) kilometres"
        }
    }

    /// `3.4 kilometres to go`, as the beginning of a sentence.
    private func remaining(_ metres: Double) -> String {
        let text = "\(distance(metres)) to go"
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func direction(_ degrees: Double) -> String {
        switch CompassPoint(degrees: degrees) {
        case .north: "north"
        case .northEast: "north-east"
        case .east: "east"
        case .southEast: "south-east"
        case .south: "south"
        case .southWest: "south-west"
        case .west: "west"
        case .northWest: "north-west"
        case nil: "in an unknown direction"
        }
    }

    /// `41 minutes`, `1 minute`
    private func minutes(_ duration: Duration) -> String {
        let minutes = wholeMinutes(duration)
        return minutes == 1 ? "1 minute" : "\(minutes) minutes"
    }

    /// `in 41 minutes`; nobody says "in 0 minutes".
    private func until(_ time: Duration) -> String {
        wholeMinutes(time) == 0 ? "in less than a minute" : "in \(minutes(time))"
    }

    /// Where something is as the driver sees it: `3.4 kilometres ahead, half left`; without a course
    /// `3.4 kilometres to the north-east`.
    private func place(_ relative: RelativePosition) -> String {
        let distance = distance(relative.distanceMetres)
        return switch RelativeDirection(relative) {
        case .compass(let degrees): "\(distance) to the \(direction(degrees))"
        case .ahead: "\(distance) ahead"
        case .halfAhead(let side): "\(distance) ahead, half \(word(side))"
        case .side(let side): "\(distance) to the \(word(side))"
        case .halfBehind(let side): "\(distance) behind, half \(word(side))"
        case .behind: "\(distance) behind"
        }
    }

    /// `straight ahead`, `half left`, `to the north-east`
    private func side(_ relative: RelativePosition) -> String {
        switch RelativeDirection(relative) {
        case .compass(let degrees): "to the \(direction(degrees))"
        case .ahead: "straight ahead"
        case .halfAhead(let side): "half \(word(side))"
        case .side(let side): "to the \(word(side))"
        case .halfBehind(let side): "behind, half \(word(side))"
        case .behind: "behind"
        }
    }

    private func word(_ side: RelativeDirection.Side) -> String { side == .left ? "left" : "right" }
}

// MARK: - Recovery

extension English {
    private func report(_ recovery: Recovery, isOwn: Bool) -> String {
        switch (recovery.state, isOwn) {
        case (.planned, false): "\(recovery.by) plans to recover the sonde."
        case (.recovered, false): "\(recovery.by) has recovered the sonde."
        case (.notFound, false): "\(recovery.by) has not found the sonde."
        case (.planned, true): "SondeHub shows that you plan to recover the sonde."
        case (.recovered, true): "SondeHub shows that you have recovered the sonde."
        case (.notFound, true): "SondeHub shows that you have not found the sonde."
        }
    }

    private func refusal(_ reason: RecoveryRefusal, of serial: SondeSerial) -> String {
        switch reason {
        case .unknownSonde: "SondeHub does not know \(serial) and did not accept the report."
        case .expired: "The report on \(serial) waited 14 days and was dropped."
        case .refused: "SondeHub did not accept the report on \(serial)."
        }
    }
}

// MARK: - The state

extension English {
    /// `Falling at 12 metres per second, 4300 metres high. Lands in 9 minutes, 14 kilometres ahead, half left. You arrive 3
    /// minutes before it.`
    private func sentences(_ status: SpokenStatus, from car: CarPosition?) -> String {
        let there = status.landing.map { seen($0, from: car, after: ", ") } ?? ""
        switch status.place {
        case .unknown: return "Nobody hears the sonde."
        case .onTheGround: return "On the ground\(there)." + arrival(status)
        case .probablyOnTheGround: return "Probably on the ground\(there)." + arrival(status)
        case .inTheAir: break
        }
        let motion = status.spokenSpeed.map {
            "\($0 < 0 ? "Falling" : "Climbing") at \(abs($0)) \(abs($0) == 1 ? "metre" : "metres") per second"
        }
        let height = status.altitudeMetres.map {
            (status.spokenMetres.map { "\($0) metres" } ?? distance($0)) + " high"
        }
        let doing = motion.map { $0 + (height.map { ", \($0)" } ?? "") } ?? height
        let time = status.timeToGo.map { " \(until($0))" } ?? ""
        let landing =
            time.isEmpty && there.isEmpty
            ? "" : " Lands\(time)\(time.isEmpty && there.hasPrefix(",") ? there.dropFirst() : there[...])."
        return (doing.map { "\($0)." } ?? "The sonde is in the air.") + landing + arrival(status)
    }

    private func arrival(_ status: SpokenStatus) -> String {
        let about = status.isStraight ? "about " : ""
        if let drive = status.drive { return " You arrive in \(about)\(minutes(drive))." }
        guard let margin = status.margin else { return "" }
        if wholeMinutes(max(margin, .zero - margin)) == 0 { return " You arrive at the same time." }
        let time = minutes(margin < .zero ? .zero - margin : margin)
        return " You arrive \(about)\(time) \(margin < .zero ? "after" : "before") it."
    }
}

// MARK: - Home Assistant

extension English {
    public var deviceName: String { "Sonde" }
    public var newest: String { "the newest" }
    public var entityNames: [String: String] { [:] }
}

// MARK: - The page without its key

extension English {
    public var keyNeeded: String {
        """
        This page needs its key. Open its link, or scan its QR code: the Receiver screen of a page that is open shows \
        both, and <code>sudo sondygo2mqtt doctor</code> prints the link on the gateway's computer. An old link may \
        hold an old key.
        """
    }

    public var tooManyKeys: String { "Too many wrong keys. Wait a minute, then open the right link." }
}
