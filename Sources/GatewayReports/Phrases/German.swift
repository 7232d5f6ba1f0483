public import FlightMath
import ReceiverProtocol

/// German, fit to be read aloud. The system's text for a failure is English, so the sentence says the failure's code in
/// words instead.
public struct German: Phrasebook {
    public init() {}

    public func sonde(_ name: String, isFirst: Bool) -> String { "\(isFirst ? "Erste" : "Neue") Sonde \(name)" }

    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        switch announcement {
        case .receiverOnline(let name, let firmware):
            "Empfänger \(name) verbunden\(firmware.map { ", Firmware \($0)" } ?? "")."
        case .receiverLost(let loss): "Verbindung zum Empfänger verloren: \(reason(loss))."
        case .adapterRepaired(let repair, let duration): sentence(repair, after: duration)
        case .advice(let advice): sentence(advice)
        case .storeReplaced:
            "Die Datenbank war beschädigt oder gelöscht. Eine neue ist angelegt; Näheres steht im Protokoll."
        case .smallPackets(let mtu): smallPackets(bytes: mtu - 3)
        case .aprsNames:
            "Der Empfänger zeigt APRS-Namen. Mit aprsName auf 0 passen die Seriennummern zu SondeHub."
        case .stateChanged(let state, _, let reason): sentence(state, reason)
        case .sondeChanged(let new, let old, let type, let isLongAfter):
            sonde(new.canonical, isFirst: old == nil) + spoken(type) + after(isLongAfter ? nil : old) + "."
        case .flightResumed(let serial, _): "Der Flug von \(serial) wird weiterverfolgt."
        case .altitude(let metres, let isRising):
            "Die Sonde ist auf \(distance(metres)) \(isRising ? "gestiegen" : "gesunken")."
        case .receiverBatteryLow(let percent, let volts): battery(percent, volts: volts)
        case .status(let status): sentences(status, from: car)
        case .burst(let point, let time):
            "Der Ballon ist auf \(wholeMetres(point.altitudeMetres)) Metern geplatzt."
                + (time.map { " Landung \(until($0))." } ?? "")
        case .landingRevoked: "Die Sonde sinkt noch: Sie ist nicht gelandet."
        case .burstRevoked: "Der Ballon steigt wieder: Er ist nicht geplatzt."
        case .landed(let point, let time, let town):
            landing(point, isTimeKnown: time != .unknown, near: town, from: car)
        case .landedInSilence(_, let guess):
            "Niemand hört die Sonde mehr: Sie ist vermutlich gelandet\(seen(guess, from: car))."
        case .below10km: "Die Sonde ist unter 10 Kilometer gesunken."
        case .distance(let metres, let place):
            "Noch \(distance(metres))\(car.map { ", " + side(RelativePosition(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, let isNoRoadNear, let isStraight):
            arrival(margin, isNoRoadNear: isNoRoadNear, isStraight: isStraight)
        case .crewAtSonde(let callSign): "\(callSign) ist bei der Sonde."
        case .noRoadNear(let metres):
            "Keine Straße in der Nähe des Landepunkts: Die letzte endet \(distance(metres)) davor."
        case .moved: "Jemand bewegt die Sonde."
        case .airborne: "Die Sonde ist wieder in der Luft."
        case .trackTruncated(let truncation): sentence(truncation)
        case .firstPrediction(let landing): sentence(landing, from: car)
        case .landingMoved(let landing, let metres, let degrees):
            "Der Landepunkt hat sich um \(distance(metres)) \(direction(degrees)) verschoben."
                + (place(landing, from: car).map { " Jetzt \($0)." } ?? "")
        case .scored(let score): sentence(score)
        case .frequencyProposal(let tuning): "Die Sonde sendet auf \(spoken(tuning)). Den Empfänger darauf einstellen?"
        case .frequencyTuned(let tuning): "Der Empfänger wird eingestellt auf \(spoken(tuning))."
        case .storeFailed(let error):
            "Die Aufzeichnung ist unterbrochen, die aktuellen Daten laufen weiter. Grund: \(reason(error.code))."
        case .storeRecovered: "Die Aufzeichnung läuft wieder."
        case .carPublic(let callSign): "Die Position des Autos ist jetzt auf SondeHub öffentlich, unter \(callSign)."
        case .carHidden(let callSign):
            "Die Position des Autos ist auf SondeHub unter \(callSign) nicht mehr öffentlich."
        case .searchFound(let tuning): "Der Empfänger hört eine Sonde auf \(spoken(tuning))."
        case .launchNear(let site, let time, let metres, _):
            "Die Sonde von \(sounding(time, fullHour: " Uhr", separator: " Uhr ")) aus \(site) landet voraussichtlich \(distance(metres)) von hier."
        case .recoveryReported(let recovery, let isOwn): report(recovery, isOwn: isOwn)
        case .recoveryRejected(let serial, let reason, _): refusal(reason, of: serial)
        case .otherGateway(let id):
            "Auch ein anderes Gateway hat die Kennung \(id): Jedes braucht eine eigene gateway.id."
        case .gatewayStopped: "Das Gateway wird beendet."
        }
    }
}

// MARK: - Parts of sentences

extension German {
    private func reason(_ loss: LinkLoss) -> String {
        switch loss {
        case .silent: "seit 15 Sekunden keine gültigen Daten"
        case .transport(let error): reason(error.code)
        case .endOfRecording: "Die Aufnahme ist zu Ende"
        case .stopping: "Das Gateway wird beendet"
        }
    }

    private func reason(_ code: TransportError.Code) -> String {
        switch code {
        case .notFound: "Das Gerät ist nicht da"
        case .busy: "Ein anderes Programm benutzt das Gerät"
        case .permissionDenied: "Der Zugriff ist nicht erlaubt"
        case .unreachable: "Er ist nicht erreichbar"
        case .timedOut: "Er hat nicht geantwortet"
        case .closedByPeer: "Sie ist abgebrochen"
        case .inputOutput: "Lesen oder Schreiben ist fehlgeschlagen"
        case .invalidData: "Die Daten sind ungültig"
        case .cancelled: "Der Vorgang wurde abgebrochen"
        }
    }

    private func reason(_ code: StoreError.Code) -> String {
        switch code {
        case .full: "Der Datenträger ist voll"
        case .readOnly: "Der Datenträger ist schreibgeschützt"
        case .corrupt: "Die Datenbank ist beschädigt"
        case .inputOutput: "Lesen oder Schreiben ist fehlgeschlagen"
        case .inUse: "Ein anderes Gateway benutzt die Datenbank"
        }
    }

    private func sentence(_ repair: LinkRepair, after duration: Duration) -> String {
        "Seit \(duration.components.seconds) Sekunden kein Empfänger: Der Bluetooth-Adapter wird "
            + (repair == .powerCycle ? "aus- und wieder eingeschaltet." : "zurückgesetzt.")
    }

    private func smallPackets(bytes: Int) -> String {
        "Die Bluetooth-Pakete des Empfängers fassen nur \(bytes) Byte: "
            + "Lange Zeilen kommen zerteilt oder abgeschnitten an."
    }

    private func after(_ old: SondeSerial?) -> String { old.map { ", nach \($0)" } ?? "" }

    private func battery(_ percent: Int?, volts: Double?) -> String {
        if let percent {
            "Der Akku des Empfängers hat noch \(percent) Prozent."
        } else {
            "Der Akku des Empfängers hat noch \(tenths(volts, ",")) Volt."
        }
    }

    private func landing(
        _ point: TrackPoint, isTimeKnown: Bool, near town: NearbyTown?, from car: CarPosition?
    ) -> String {
        let near = town.map { ", \(place($0))" } ?? ""
        return isTimeKnown
            ? "Die Sonde ist gelandet\(seen(point.coordinate, from: car))\(near)."
            : "Die Sonde liegt am Boden\(seen(point.coordinate, from: car))\(near)."
    }

    private func sentence(_ advice: LinkAdvice) -> String {
        switch advice {
        case .replugAdapter:
            "Den Bluetooth-Adapter herausziehen und wieder einstecken oder den Gateway-Rechner neu starten."
        case .restartReceiver: "Den Empfänger aus- und wieder einschalten und in die Nähe bringen."
        case .checkBattery: "Der Empfänger startet immer wieder neu. Den Akku prüfen."
        case .resetFailed: "Der Bluetooth-Adapter lässt sich nicht zurücksetzen; der Grund steht im Protokoll."
        }
    }

    private func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
        switch state {
        case .startup: "Das Gateway startet."
        case .liveBLEFlying: "Der Empfänger hört die Sonde."
        case .liveBLELanded: "Der Empfänger hört die Sonde; sie liegt am Boden."
        case .waitingForAPRS: "Der Empfänger hat die Sonde verloren."
        case .aprsFlying: "SondeHub hört die Sonde."
        case .aprsLanded:
            reason == .sondeHubSilent
                ? "SondeHub hat die Sonde zuletzt in der Luft gehört." : "SondeHub hört die Sonde; sie liegt am Boden."
        case .noTelemetry:
            reason == .stopping ? "Keine Telemetrie: Das Gateway wird beendet." : "Niemand hört die Sonde."
        }
    }

    private func sentence(_ score: LandingScore) -> String {
        let (early, last) = score.spokenErrors
        if let early { return "15 Minuten vor der Landung lag die Vorhersage um \(distance(early)) daneben." }
        return last.map { "Die letzte Vorhersage lag um \(distance($0)) daneben." }
            ?? "Keine Vorhersage ließ sich beurteilen."
    }

    private func arrival(_ margin: Duration, isNoRoadNear: Bool, isStraight: Bool) -> String {
        let size = margin < .zero ? .zero - margin : margin
        let time =
            wholeMinutes(size) == 0
            ? "gleichzeitig mit der Landung" : "\(minutes(size)) \(margin < .zero ? "nach" : "vor") der Landung"
        if isStraight { return "Nach Luftlinie gerechnet wäre die Ankunft \(time)." }
        return isNoRoadNear
            ? "Ankunft am Ende der Straße \(time). Keine Straße in der Nähe des Landepunkts." : "Ankunft \(time)."
    }

    private func sentence(_ truncation: TrackTruncation) -> String {
        let points = truncation.count == 1 ? "Ein Trackpunkt" : "\(truncation.count) Trackpunkte"
        return switch truncation.reason {
        case .landed: "\(points) nach der Landung weggelassen."
        case .newFlight: "\(points) des vorigen Fluges weggelassen."
        case .excursion: "\(points) weggelassen: Dort kann die Sonde nicht gewesen sein."
        case .blackout: "\(points) weggelassen: Da hatte schon jemand die Sonde mitgenommen."
        }
    }

    private func seen(_ goal: Coordinate, from car: CarPosition?) -> String {
        guard let car else { return "" }
        let relative = RelativePosition(of: goal, from: car)
        return ", " + (relative.isHere ? "genau hier" : place(relative))
    }

    private func spoken(_ type: SondeType?) -> String { type.map { ", Typ \($0.name)" } ?? "" }

    private func spoken(_ tuning: Tuning) -> String {
        "\(megahertz(tuning, ",")) Megahertz, Typ \(tuning.sondeType.name)"
    }
}

// MARK: - The landing

extension German {
    /// `Landung in 20 Minuten, 14 Kilometer voraus, plus minus 3 Kilometer.`
    private func sentence(_ landing: SpokenLanding, from car: CarPosition?) -> String {
        let parts = [landing.timeToGo.map(until), place(landing, from: car)].compactMap { $0 }
        return parts.isEmpty ? "Erste Landevorhersage." : "Landung \(parts.joined(separator: ", "))."
    }

    private func place(_ landing: SpokenLanding, from car: CarPosition?) -> String? {
        switch landing.words(from: car) {
        case .unknown: nil
        case .within(let metres, let town): "irgendwo bis \(distance(metres)) um \(town)"
        case .fromCar(let relative, let error):
            (relative.isHere ? "genau hier" : place(relative)) + plusMinus(error)
        case .fromTown(let town, let error): place(town) + plusMinus(error)
        }
    }

    private func plusMinus(_ metres: Double?) -> String { metres.map { ", plus minus \(distance($0))" } ?? "" }

    /// `2 Kilometer nördlich von Grenchen`
    private func place(_ town: NearbyTown) -> String {
        town.isAtTown
            ? "bei \(town.name)" : "\(distance(town.metres)) \(bearing(town.bearingDegrees)) von \(town.name)"
    }
}

// MARK: - Numbers and places

extension German {
    /// `350 Meter`, `3,4 Kilometer`, `einen Kilometer`: accusative, as after `um`, `noch` and `auf`.
    private func distance(_ metres: Double) -> String {
        switch SpokenDistance(metres) {
        case .unknown: "eine unbekannte Strecke"
        case .metres(let count): "\(count) Meter"
        case .kilometre: "einen Kilometer"
        case .kilometres(let number): "\(number(",")) Kilometer"
        }
    }

    /// `nach Nordosten`
    private func direction(_ degrees: Double) -> String {
        switch CompassPoint(degrees: degrees) {
        case .north: "nach Norden"
        case .northEast: "nach Nordosten"
        case .east: "nach Osten"
        case .southEast: "nach Südosten"
        case .south: "nach Süden"
        case .southWest: "nach Südwesten"
        case .west: "nach Westen"
        case .northWest: "nach Nordwesten"
        case nil: "in unbekannte Richtung"
        }
    }

    /// `nordöstlich`
    private func bearing(_ degrees: Double) -> String {
        switch CompassPoint(degrees: degrees) {
        case .north: "nördlich"
        case .northEast: "nordöstlich"
        case .east: "östlich"
        case .southEast: "südöstlich"
        case .south: "südlich"
        case .southWest: "südwestlich"
        case .west: "westlich"
        case .northWest: "nordwestlich"
        case nil: "in unbekannter Richtung"
        }
    }

    private func minutes(_ duration: Duration, one: String = "eine") -> String {
        let minutes = wholeMinutes(duration)
        return minutes == 1 ? "\(one) Minute" : "\(minutes) Minuten"
    }

    /// `in 41 Minuten`
    private func until(_ time: Duration) -> String {
        wholeMinutes(time) == 0 ? "in weniger als einer Minute" : "in \(minutes(time, one: "einer"))"
    }

    /// `3,4 Kilometer voraus, halb links`, `3,4 Kilometer nordöstlich`
    private func place(_ relative: RelativePosition) -> String {
        let distance = distance(relative.distanceMetres)
        return switch RelativeDirection(relative) {
        case .compass(let degrees): "\(distance) \(bearing(degrees))"
        case .ahead: "\(distance) voraus"
        case .halfAhead(let side): "\(distance) voraus, halb \(word(side))"
        case .side(let side): "\(distance) \(word(side))"
        case .halfBehind(let side): "\(distance) \(word(side)) hinter dem Auto"
        case .behind: "\(distance) hinter dem Auto"
        }
    }

    private func side(_ relative: RelativePosition) -> String {
        switch RelativeDirection(relative) {
        case .compass(let degrees): direction(degrees)
        case .ahead: "geradeaus"
        case .halfAhead(let side): "halb \(word(side))"
        case .side(let side): word(side)
        case .halfBehind(let side): "\(word(side)) hinter dem Auto"
        case .behind: "hinter dem Auto"
        }
    }

    private func word(_ side: RelativeDirection.Side) -> String { side == .left ? "links" : "rechts" }
}

// MARK: - Recovery

extension German {
    private func report(_ recovery: Recovery, isOwn: Bool) -> String {
        switch (recovery.state, isOwn) {
        case (.planned, false): "\(recovery.by) will die Sonde bergen."
        case (.recovered, false): "\(recovery.by) hat die Sonde geborgen."
        case (.notFound, false): "\(recovery.by) hat die Sonde nicht gefunden."
        case (.planned, true): "Die eigene Meldung steht auf SondeHub: Bergung geplant."
        case (.recovered, true): "Die eigene Meldung steht auf SondeHub: Sonde geborgen."
        case (.notFound, true): "Die eigene Meldung steht auf SondeHub: Sonde nicht gefunden."
        }
    }

    private func refusal(_ reason: RecoveryRefusal, of serial: SondeSerial) -> String {
        switch reason {
        case .unknownSonde: "SondeHub kennt \(serial) nicht und nimmt die Meldung nicht an."
        case .expired: "Die Meldung zu \(serial) wartet seit 14 Tagen und wird verworfen."
        case .refused: "SondeHub nimmt die Meldung zu \(serial) nicht an."
        }
    }
}

// MARK: - The state

extension German {
    private func sentences(_ status: SpokenStatus, from car: CarPosition?) -> String {
        let there = status.landing.map { seen($0, from: car) } ?? ""
        switch status.place {
        case .unknown: return "Niemand hört die Sonde."
        case .onTheGround: return "Die Sonde liegt am Boden\(there)." + arrival(status)
        case .probablyOnTheGround: return "Die Sonde liegt vermutlich am Boden\(there)." + arrival(status)
        case .inTheAir: break
        }
        let motion = status.spokenSpeed.map {
            "\($0 < 0 ? "Sinkt" : "Steigt") mit \(abs($0) == 1 ? "einem Meter" : "\(abs($0)) Metern") pro Sekunde"
        }
        let height = status.altitudeMetres.map { "Höhe " + (status.spokenMetres.map { "\($0) Meter" } ?? distance($0)) }
        let doing = motion.map { $0 + (height.map { ", \($0)" } ?? "") } ?? height
        let time = status.timeToGo.map { " \(until($0))" } ?? ""
        let goal = time.isEmpty ? there.dropFirst() : there[...]
        let landing = time.isEmpty && there.isEmpty ? "" : " Landung\(time)\(goal)."
        return (doing.map { "\($0)." } ?? "Die Sonde ist in der Luft.") + landing + arrival(status)
    }

    private func arrival(_ status: SpokenStatus) -> String {
        let about = status.isStraight ? "etwa " : ""
        if let drive = status.drive { return " Ankunft in \(about)\(minutes(drive, one: "einer"))." }
        guard let margin = status.margin else { return "" }
        if wholeMinutes(max(margin, .zero - margin)) == 0 { return " Ankunft gleichzeitig." }
        let time = minutes(margin < .zero ? .zero - margin : margin)
        return " Ankunft \(about)\(time) \(margin < .zero ? "danach" : "vorher")."
    }
}

// MARK: - Home Assistant

extension German {
    public var deviceName: String { "Sonde" }
    public var newest: String { "die neueste" }
    public var entityNames: [String: String] { Self.names }

    private static let names = [
        "position": "Position",
        "altitude": "Höhe",
        "horizontal_speed": "Horizontalgeschwindigkeit",
        "vertical_speed": "Vertikalgeschwindigkeit",
        "heading": "Kurs",
        "last_known": "Letzte bekannte Position",
        "last_seen": "Zuletzt gehört",
        "status": "Status",
        "next_launch": "Nächster Start",
        "serial": "Seriennummer",
        "state": "Zustand",
        "phase": "Flugphase",
        "source": "Quelle",
        "burst_altitude": "Platzhöhe",
        "proposed_frequency": "Vorgeschlagene Frequenz",
        "chase_event": "Ereignis der Jagd",
        "rssi": "Signal der Sonde",
        "afc": "AFC",
        "battery": "Akku des Empfängers",
        "battery_voltage": "Akkuspannung des Empfängers",
        "link": "Verbindung zum Empfänger",
        "frequency": "Frequenz",
        "sonde_type": "Sondentyp",
        "mute": "Stumm",
        "request_settings": "Einstellungen lesen",
        "accept_proposal": "Vorgeschlagene Frequenz übernehmen",
        "landing": "Landepunkt",
        "landing_at": "Landezeit",
        "landing_in": "Landung in",
        "landing_radius": "Fehlerradius des Landepunkts",
        "prediction_method": "Methode der Vorhersage",
        "car": "Auto",
        "distance_sonde": "Entfernung zur Sonde",
        "distance_landing": "Entfernung zum Landepunkt",
        "arrival_at": "Ankunftszeit",
        "margin": "Vorsprung",
        "hunt": "Verfolgte Sonde",
        "report_recovered": "Als geborgen melden",
    ]
}

// MARK: - The page without its key

extension German {
    public var keyNeeded: String {
        """
        Diese Seite braucht ihren Schlüssel. Den Link öffnen oder den QR-Code scannen: Die Ansicht „Empfänger“ einer \
        offenen Seite zeigt beide, und <code>sudo sondygo2mqtt doctor</code> nennt den Link auf dem Gateway-Rechner. \
        Ein alter Link kann einen alten Schlüssel enthalten.
        """
    }

    public var tooManyKeys: String { "Zu viele falsche Schlüssel. Eine Minute warten, dann den richtigen Link öffnen." }
}
