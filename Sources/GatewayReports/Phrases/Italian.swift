public import FlightMath
import ReceiverProtocol

/// Italian, fit to be read aloud. The system's text for a failure is English, so the sentence says the failure's code
/// in words instead.
public struct Italian: Phrasebook {
    public init() {}

    public func sonde(_ name: String, isFirst: Bool) -> String { "\(isFirst ? "Prima" : "Nuova") sonda \(name)" }

    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        switch announcement {
        case .receiverOnline(let name, let firmware):
            "Ricevitore \(name) collegato\(firmware.map { ", firmware \($0)" } ?? "")."
        case .receiverLost(let loss): "Ricevitore scollegato: \(reason(loss))."
        case .adapterRepaired(let repair, let duration): sentence(repair, after: duration)
        case .advice(let advice): sentence(advice)
        case .storeReplaced:
            "Il database era danneggiato o cancellato. Ne è stato creato uno nuovo; i dettagli sono nel log."
        case .smallPackets(let mtu): smallPackets(bytes: mtu - 3)
        case .aprsNames:
            "Il ricevitore mostra nomi APRS. Imposta aprsName a 0 per avere i numeri di serie di SondeHub."
        case .stateChanged(let state, _, let reason): sentence(state, reason)
        case .sondeChanged(let new, let old, let type, let isLongAfter):
            sonde(new.canonical, isFirst: old == nil) + spoken(type) + after(isLongAfter ? nil : old) + "."
        case .flightResumed(let serial, _): "La sonda \(serial) viene seguita di nuovo."
        case .altitude(let metres, let isRising):
            "La sonda \(isRising ? "sale" : "scende"), è a \(distance(metres)) di quota."
        case .receiverBatteryLow(let percent, let volts): battery(percent, volts: volts)
        case .status(let status): sentences(status, from: car)
        case .burst(let point, let time):
            "Il pallone è scoppiato a \(wholeMetres(point.altitudeMetres)) metri."
                + (time.map { " Atterraggio \(until($0))." } ?? "")
        case .landingRevoked: "La sonda sta ancora scendendo: non è atterrata."
        case .burstRevoked: "Il pallone sale di nuovo: non è scoppiato."
        case .landed(let point, let time, let town):
            landing(point, isTimeKnown: time != .unknown, near: town, from: car)
        case .landedInSilence(_, let guess):
            "Nessuno sente più la sonda: probabilmente è atterrata\(seen(guess, from: car))."
        case .below10km: "La sonda è scesa sotto i 10 chilometri."
        case .distance(let metres, let place):
            "\(remaining(metres))\(car.map { ", " + side(RelativePosition(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, let isNoRoadNear, let isStraight):
            arrival(margin, isNoRoadNear: isNoRoadNear, isStraight: isStraight)
        case .crewAtSonde(let callSign): "\(callSign) è vicino alla sonda."
        case .noRoadNear(let metres):
            "Nessuna strada vicino al punto di atterraggio: l'ultima finisce a \(distance(metres)) da lì."
        case .moved: "Qualcuno sta spostando la sonda."
        case .airborne: "La sonda è di nuovo in volo."
        case .trackTruncated(let truncation): sentence(truncation)
        case .firstPrediction(let landing): sentence(landing, from: car)
        case .landingMoved(let landing, let metres, let degrees):
            "Il punto di atterraggio si è spostato di \(distance(metres)) \(heading(degrees))."
                + (place(landing, from: car).map { " Ora \($0)." } ?? "")
        case .scored(let score): sentence(score)
        case .frequencyProposal(let tuning): "La sonda trasmette su \(spoken(tuning)). Sintonizzare il ricevitore?"
        case .frequencyTuned(let tuning): "Il ricevitore passa a \(spoken(tuning))."
        case .storeFailed(let error):
            "La registrazione si è fermata, i dati in diretta continuano. Motivo: \(reason(error.code))."
        case .storeRecovered: "La registrazione riprende."
        case .carPublic(let callSign): "La posizione della tua auto è ora pubblica su SondeHub, come \(callSign)."
        case .carHidden(let callSign): "La posizione della tua auto non è più pubblica su SondeHub come \(callSign)."
        case .searchFound(let tuning): "Il ricevitore sente una sonda su \(spoken(tuning))."
        case .launchNear(let site, let time, let metres, _):
            "La sonda di \(site) delle ore \(sounding(time, fullHour: "", separator: " e ")) "
                + "dovrebbe atterrare a \(distance(metres)) da qui."
        case .recoveryReported(let recovery, let isOwn): report(recovery, isOwn: isOwn)
        case .recoveryRejected(let serial, let reason, _): refusal(reason, of: serial)
        case .otherGateway(let id):
            "Anche un altro gateway ha l'identificativo \(id): ognuno deve avere il proprio gateway.id."
        case .gatewayStopped: "Il gateway si ferma."
        }
    }
}

// MARK: - Parts of sentences

extension Italian {
    private func reason(_ loss: LinkLoss) -> String {
        switch loss {
        case .silent: "nessun dato valido da 15 secondi"
        case .transport(let error): reason(error.code)
        case .endOfRecording: "la registrazione è finita"
        case .stopping: "il gateway si ferma"
        }
    }

    private func reason(_ code: TransportError.Code) -> String {
        switch code {
        case .notFound: "il dispositivo non c'è"
        case .busy: "un altro programma usa il dispositivo"
        case .permissionDenied: "l'accesso è negato"
        case .unreachable: "non è raggiungibile"
        case .timedOut: "non ha risposto"
        case .closedByPeer: "il collegamento è caduto"
        case .inputOutput: "la lettura o la scrittura è fallita"
        case .invalidData: "i dati non sono validi"
        case .cancelled: "l'operazione è stata annullata"
        }
    }

    private func reason(_ code: StoreError.Code) -> String {
        switch code {
        case .full: "il disco è pieno"
        case .readOnly: "il disco è protetto da scrittura"
        case .corrupt: "il database è danneggiato"
        case .inputOutput: "la lettura o la scrittura è fallita"
        case .inUse: "un altro gateway usa il database"
        }
    }

    private func sentence(_ repair: LinkRepair, after duration: Duration) -> String {
        "Nessun ricevitore da \(duration.components.seconds) secondi: l'adattatore Bluetooth viene "
            + (repair == .powerCycle ? "spento e riacceso." : "reimpostato.")
    }

    private func smallPackets(bytes: Int) -> String {
        "I pacchetti Bluetooth del ricevitore contengono solo \(bytes) byte: "
            + "i messaggi lunghi arrivano a pezzi o tagliati."
    }

    private func after(_ old: SondeSerial?) -> String { old.map { ", dopo \($0)" } ?? "" }

    private func battery(_ percent: Int?, volts: Double?) -> String {
        if let percent {
            "Batteria del ricevitore: \(percent) per cento."
        } else {
            "Batteria del ricevitore: \(tenths(volts, ",")) volt."
        }
    }

    private func landing(
        _ point: TrackPoint, isTimeKnown: Bool, near town: NearbyTown?, from car: CarPosition?
    ) -> String {
        let near = town.map { ", \(place($0))" } ?? ""
        return isTimeKnown
            ? "La sonda è atterrata\(seen(point.coordinate, from: car))\(near)."
            : "La sonda è a terra\(seen(point.coordinate, from: car))\(near)."
    }

    private func sentence(_ advice: LinkAdvice) -> String {
        switch advice {
        case .replugAdapter: "Stacca e riattacca l'adattatore Bluetooth, oppure riavvia il computer del gateway."
        case .restartReceiver: "Spegni e riaccendi il ricevitore, e avvicinalo."
        case .checkBattery: "Il ricevitore continua a riavviarsi. Controlla la batteria."
        case .resetFailed: "Non è possibile reimpostare l'adattatore Bluetooth; il motivo è nel log."
        }
    }

    private func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
        switch state {
        case .startup: "Il gateway si avvia."
        case .liveBLEFlying: "Il ricevitore sente la sonda."
        case .liveBLELanded: "Il ricevitore sente la sonda, che è a terra."
        case .waitingForAPRS: "Il ricevitore ha perso la sonda."
        case .aprsFlying: "SondeHub riceve la sonda."
        case .aprsLanded:
            reason == .sondeHubSilent
                ? "L'ultima volta che SondeHub ha ricevuto la sonda, era in volo."
                : "SondeHub riceve la sonda, che è a terra."
        case .noTelemetry:
            reason == .stopping ? "Nessuna telemetria: il gateway si ferma." : "Nessuno sente la sonda."
        }
    }

    private func sentence(_ score: LandingScore) -> String {
        let (early, last) = score.spokenErrors
        if let early { return "15 minuti prima dell'atterraggio la previsione sbagliava di \(distance(early))." }
        return last.map { "L'ultima previsione sbagliava di \(distance($0))." }
            ?? "Non è stato possibile valutare nessuna previsione."
    }

    private func arrival(_ margin: Duration, isNoRoadNear: Bool, isStraight: Bool) -> String {
        let size = margin < .zero ? .zero - margin : margin
        let time =
            wholeMinutes(size) == 0
            ? "al momento dell'atterraggio"
            : minutes(size) + (margin < .zero ? " dopo l'atterraggio" : " prima dell'atterraggio")
        if isStraight { return "In linea retta arriveresti \(time)." }
        return isNoRoadNear
            ? "Arriverai alla fine della strada \(time). Nessuna strada vicino al punto di atterraggio."
            : "Arriverai \(time)."
    }

    private func sentence(_ truncation: TrackTruncation) -> String {
        let isOne = truncation.count == 1
        let points = isOne ? "Scartato un punto" : "Scartati \(truncation.count) punti"
        return switch truncation.reason {
        case .landed: "\(points) della traccia dopo l'atterraggio."
        case .newFlight: "\(points) della traccia del volo precedente."
        case .excursion: "\(points) della traccia: la sonda non può essere stata lì."
        case .blackout: "\(points) della traccia: qualcuno aveva già preso la sonda."
        }
    }

    /// ` a 3,4 chilometri, davanti a sinistra`
    private func seen(_ goal: Coordinate, from car: CarPosition?) -> String {
        guard let car else { return "" }
        let relative = RelativePosition(of: goal, from: car)
        return relative.isHere ? " qui" : " a \(distance(relative.distanceMetres)), \(side(relative))"
    }

    private func spoken(_ type: SondeType?) -> String { type.map { ", tipo \($0.name)" } ?? "" }

    private func spoken(_ tuning: Tuning) -> String {
        "\(megahertz(tuning, ",")) megahertz, tipo \(tuning.sondeType.name)"
    }
}

// MARK: - The landing

extension Italian {
    /// `Atterraggio tra 20 minuti, a 14 chilometri, dritto davanti a te, con uno scarto di 3 chilometri.`
    private func sentence(_ landing: SpokenLanding, from car: CarPosition?) -> String {
        let parts = [landing.timeToGo.map(until), place(landing, from: car)].compactMap { $0 }
        return parts.isEmpty ? "Prima previsione di atterraggio." : "Atterraggio \(parts.joined(separator: ", "))."
    }

    private func place(_ landing: SpokenLanding, from car: CarPosition?) -> String? {
        switch landing.words(from: car) {
        case .unknown: nil
        case .within(let metres, let town): "da qualche parte entro \(distance(metres)) da \(town)"
        case .fromCar(let relative, let error):
            (relative.isHere ? "qui" : "a \(distance(relative.distanceMetres)), \(side(relative))")
                + spread(error)
        case .fromTown(let town, let error): place(town) + spread(error)
        }
    }

    private func spread(_ metres: Double?) -> String { metres.map { ", con uno scarto di \(distance($0))" } ?? "" }

    /// `2 chilometri a nord di Grenchen`
    private func place(_ town: NearbyTown) -> String {
        town.isAtTown
            ? "vicino a \(town.name)"
            : "\(distance(town.metres)) \(heading(town.bearingDegrees).replacing("verso", with: "a")) di \(town.name)"
    }
}

// MARK: - Numbers and places

extension Italian {
    /// `350 metri`, `3,4 chilometri`, `un chilometro`
    private func distance(_ metres: Double) -> String {
        switch SpokenDistance(metres) {
        case .unknown: "una distanza sconosciuta"
        case .metres(let count): "\(count) metri"
        case .kilometre: "un chilometro"
        case .kilometres(let number): "\(number(",")) chilometri"
        }
    }

    /// `Mancano 5 chilometri`, `Manca un chilometro`
    private func remaining(_ metres: Double) -> String {
        switch SpokenDistance(metres) {
        case .unknown: "Distanza sconosciuta"
        case .kilometre: "Manca \(distance(metres))"
        case .metres, .kilometres: "Mancano \(distance(metres))"
        }
    }

    /// `verso nord-est`
    private func heading(_ degrees: Double) -> String {
        switch CompassPoint(degrees: degrees) {
        case .north: "verso nord"
        case .northEast: "verso nord-est"
        case .east: "verso est"
        case .southEast: "verso sud-est"
        case .south: "verso sud"
        case .southWest: "verso sud-ovest"
        case .west: "verso ovest"
        case .northWest: "verso nord-ovest"
        case nil: "in direzione sconosciuta"
        }
    }

    private func minutes(_ duration: Duration) -> String {
        let minutes = wholeMinutes(duration)
        return minutes == 1 ? "un minuto" : "\(minutes) minuti"
    }

    /// `tra 41 minuti`
    private func until(_ time: Duration) -> String {
        wholeMinutes(time) == 0 ? "tra meno di un minuto" : "tra \(minutes(time))"
    }

    /// `davanti a sinistra`, `dietro di te`, `verso nord-est`
    private func side(_ relative: RelativePosition) -> String {
        switch RelativeDirection(relative) {
        case .compass(let degrees): heading(degrees)
        case .ahead: "dritto davanti a te"
        case .halfAhead(let side): "davanti a \(word(side))"
        case .side(let side): "a \(word(side))"
        case .halfBehind(let side): "dietro a \(word(side))"
        case .behind: "dietro di te"
        }
    }

    private func word(_ side: RelativeDirection.Side) -> String { side == .left ? "sinistra" : "destra" }
}

// MARK: - Recovery

extension Italian {
    private func report(_ recovery: Recovery, isOwn: Bool) -> String {
        switch (recovery.state, isOwn) {
        case (.planned, false): "\(recovery.by) intende recuperare la sonda."
        case (.recovered, false): "\(recovery.by) ha recuperato la sonda."
        case (.notFound, false): "\(recovery.by) non ha trovato la sonda."
        case (.planned, true): "La tua segnalazione è su SondeHub: recupero previsto."
        case (.recovered, true): "La tua segnalazione è su SondeHub: sonda recuperata."
        case (.notFound, true): "La tua segnalazione è su SondeHub: sonda non trovata."
        }
    }

    private func refusal(_ reason: RecoveryRefusal, of serial: SondeSerial) -> String {
        switch reason {
        case .unknownSonde: "SondeHub non conosce \(serial) e rifiuta la segnalazione."
        case .expired: "La segnalazione su \(serial) ha atteso 14 giorni ed è stata scartata."
        case .refused: "SondeHub rifiuta la segnalazione su \(serial)."
        }
    }
}

// MARK: - The state

extension Italian {
    private func sentences(_ status: SpokenStatus, from car: CarPosition?) -> String {
        let there = status.landing.map { seen($0, from: car) } ?? ""
        switch status.place {
        case .unknown: return "Nessuno sente la sonda."
        case .onTheGround: return "La sonda è a terra\(there)." + arrival(status)
        case .probablyOnTheGround: return "La sonda è probabilmente a terra\(there)." + arrival(status)
        case .inTheAir: break
        }
        let motion = status.spokenSpeed.map {
            "\($0 < 0 ? "Scende" : "Sale") a \(abs($0) == 1 ? "un metro" : "\(abs($0)) metri") al secondo"
        }
        let height = status.altitudeMetres.map {
            "\(motion == nil ? "La sonda è a" : "a") \(status.spokenMetres.map { "\($0) metri" } ?? distance($0)) di quota"
        }
        let doing = motion.map { $0 + (height.map { ", \($0)" } ?? "") } ?? height
        let time = status.timeToGo.map { " \(until($0))" } ?? ""
        let place = time.isEmpty || there.isEmpty ? there : "," + there
        let landing = time.isEmpty && there.isEmpty ? "" : " Atterraggio\(time)\(place)."
        return (doing.map { "\($0)." } ?? "La sonda è in volo.") + landing + arrival(status)
    }

    private func arrival(_ status: SpokenStatus) -> String {
        let about = status.isStraight ? "circa " : ""
        if let drive = status.drive { return " Arriverai tra \(about)\(minutes(drive))." }
        guard let margin = status.margin else { return "" }
        if wholeMinutes(max(margin, .zero - margin)) == 0 { return " Arriverai nello stesso momento." }
        let time = minutes(margin < .zero ? .zero - margin : margin)
        return " Arriverai \(about)\(time) \(margin < .zero ? "dopo" : "prima")."
    }
}

// MARK: - Home Assistant

extension Italian {
    public var deviceName: String { "Sonda" }
    public var newest: String { "la più recente" }
    public var entityNames: [String: String] { Self.names }

    private static let names = [
        "position": "Posizione",
        "altitude": "Quota",
        "horizontal_speed": "Velocità orizzontale",
        "vertical_speed": "Velocità verticale",
        "heading": "Rotta",
        "last_known": "Ultima posizione nota",
        "last_seen": "Ultima ricezione",
        "status": "Riepilogo",
        "next_launch": "Prossimo lancio",
        "serial": "Numero di serie",
        "state": "Stato",
        "phase": "Fase di volo",
        "source": "Fonte",
        "burst_altitude": "Quota di scoppio",
        "proposed_frequency": "Frequenza proposta",
        "chase_event": "Evento della caccia",
        "rssi": "Segnale della sonda",
        "afc": "AFC",
        "battery": "Batteria del ricevitore",
        "battery_voltage": "Tensione della batteria del ricevitore",
        "link": "Collegamento al ricevitore",
        "frequency": "Frequenza",
        "sonde_type": "Tipo di sonda",
        "mute": "Muto",
        "request_settings": "Leggi le impostazioni",
        "accept_proposal": "Accetta la frequenza proposta",
        "landing": "Punto di atterraggio",
        "landing_at": "Ora di atterraggio",
        "landing_in": "Tempo all'atterraggio",
        "landing_radius": "Raggio di errore del punto di atterraggio",
        "prediction_method": "Metodo di previsione",
        "car": "Auto",
        "distance_sonde": "Distanza dalla sonda",
        "distance_landing": "Distanza dal punto di atterraggio",
        "arrival_at": "Ora di arrivo",
        "margin": "Margine",
        "hunt": "Sonda seguita",
        "report_recovered": "Segnala come recuperata",
    ]
}

// MARK: - The page without its key

extension Italian {
    public var keyNeeded: String {
        """
        Questa pagina ha bisogno della sua chiave. Apri il link o inquadra il codice QR: la schermata «Ricevitore» di \
        una pagina aperta mostra entrambi, e <code>sudo sondygo2mqtt doctor</code> dà il link sul gateway. Un vecchio \
        link può contenere una vecchia chiave.
        """
    }

    public var tooManyKeys: String { "Troppe chiavi sbagliate. Aspetta un minuto, poi apri il link giusto." }
}
