public import FlightMath
import ReceiverProtocol

/// French, fit to be read aloud. The system's text for a failure is English, so the sentence says the failure's code in
/// words instead. The spaces before `:`, `;` and `?` don't break.
public struct French: Phrasebook {
    public init() {}

    public func sonde(_ name: String, isFirst: Bool) -> String {
        "\(isFirst ? "Première" : "Nouvelle") sonde \(name)"
    }

    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        switch announcement {
        case .receiverOnline(let name, let firmware):
            "Récepteur \(name) connecté\(firmware.map { ", micrologiciel \($0)" } ?? "")."
        case .receiverLost(let loss): "Récepteur perdu\u{A0}: \(reason(loss))."
        case .adapterRepaired(let repair, let duration): sentence(repair, after: duration)
        case .advice(let advice): sentence(advice)
        case .storeReplaced: "La base de données, endommagée ou effacée, est remplacée. Voir le journal."
        case .smallPackets(let mtu): smallPackets(bytes: mtu - 3)
        case .aprsNames:
            "Le récepteur affiche des noms APRS. Avec aprsName à 0, les numéros de série sont ceux de SondeHub."
        case .stateChanged(let state, _, let reason): sentence(state, reason)
        case .sondeChanged(let new, let old, let type, let isLongAfter):
            sonde(new.canonical, isFirst: old == nil) + spoken(type) + after(isLongAfter ? nil : old) + "."
        case .flightResumed(let serial, _): "Le vol de \(serial) continue."
        case .altitude(let metres, let isRising):
            "La sonde \(isRising ? "monte" : "descend"), elle est à \(distance(metres)) d'altitude."
        case .receiverBatteryLow(let percent, let volts): battery(percent, volts: volts)
        case .status(let status): sentences(status, from: car)
        case .burst(let point, let time):
            "Le ballon a éclaté à \(wholeMetres(point.altitudeMetres)) mètres."
                + (time.map { " Atterrissage \(until($0))." } ?? "")
        case .landingRevoked: "La sonde descend encore\u{A0}: elle n'a pas atterri."
        case .burstRevoked: "Le ballon remonte\u{A0}: il n'a pas éclaté."
        case .landed(let point, let time, let town):
            landing(point, isTimeKnown: time != .unknown, near: town, from: car)
        case .landedInSilence(_, let guess):
            "Personne n'entend plus la sonde\u{A0}: elle a probablement atterri\(seen(guess, from: car))."
        case .below10km: "La sonde est descendue sous les 10 kilomètres."
        case .distance(let metres, let place):
            "Encore \(distance(metres))\(car.map { ", " + side(RelativePosition(of: place, from: $0)) } ?? "")."
        case .arrival(let margin, let isNoRoadNear, let isStraight):
            arrival(margin, isNoRoadNear: isNoRoadNear, isStraight: isStraight)
        case .crewAtSonde(let callSign): "\(callSign) est auprès de la sonde."
        case .noRoadNear(let metres):
            "Aucune route près du point de chute\u{A0}: la dernière s'arrête à \(distance(metres))."
        case .moved: "Quelqu'un déplace la sonde."
        case .airborne: "La sonde est de nouveau en vol."
        case .trackTruncated(let truncation): sentence(truncation)
        case .firstPrediction(let landing): sentence(landing, from: car)
        case .landingMoved(let landing, let metres, let degrees):
            "Le point de chute s'est déplacé \(by(metres)) \(heading(degrees))."
                + (place(landing, from: car).map { " Maintenant \($0)." } ?? "")
        case .scored(let score): sentence(score)
        case .frequencyProposal(let tuning): "La sonde émet sur \(spoken(tuning)). Régler le récepteur\u{A0}?"
        case .frequencyTuned(let tuning): "Réglage du récepteur sur \(spoken(tuning))."
        case .storeFailed(let error):
            "L'enregistrement est arrêté, les données en direct continuent. Cause\u{A0}: \(reason(error.code))."
        case .storeRecovered: "L'enregistrement reprend."
        case .carPublic(let callSign):
            "La position de la voiture est maintenant publique sur SondeHub, sous l'indicatif \(callSign)."
        case .carHidden(let callSign):
            "La position de la voiture n'est plus publique sur SondeHub sous l'indicatif \(callSign)."
        case .searchFound(let tuning): "Le récepteur entend une sonde sur \(spoken(tuning))."
        case .launchNear(let site, let time, let metres, _):
            "La sonde de \(hour(time)) \(of(site)) devrait atterrir à \(distance(metres)) d'ici."
        case .recoveryReported(let recovery, let isOwn): report(recovery, isOwn: isOwn)
        case .recoveryRejected(let serial, let reason, _): refusal(reason, of: serial)
        case .otherGateway(let id):
            "Une autre passerelle porte aussi l'identifiant \(id)\u{A0}: à chacune son propre gateway.id."
        case .gatewayStopped: "La passerelle s'arrête."
        }
    }
}

// MARK: - Parts of sentences

extension French {
    private func reason(_ loss: LinkLoss) -> String {
        switch loss {
        case .silent: "aucune donnée valide depuis 15 secondes"
        case .transport(let error): reason(error.code)
        case .endOfRecording: "l'enregistrement est terminé"
        case .stopping: "la passerelle s'arrête"
        }
    }

    private func reason(_ code: TransportError.Code) -> String {
        switch code {
        case .notFound: "l'appareil est absent"
        case .busy: "un autre programme utilise l'appareil"
        case .permissionDenied: "l'accès est refusé"
        case .unreachable: "il est injoignable"
        case .timedOut: "il n'a pas répondu"
        case .closedByPeer: "la liaison est coupée"
        case .inputOutput: "la lecture ou l'écriture a échoué"
        case .invalidData: "les données ne sont pas valides"
        case .cancelled: "l'opération a été annulée"
        }
    }

    private func reason(_ code: StoreError.Code) -> String {
        switch code {
        case .full: "le disque est plein"
        case .readOnly: "le disque est protégé contre l'écriture"
        case .corrupt: "la base de données est endommagée"
        case .inputOutput: "la lecture ou l'écriture a échoué"
        case .inUse: "une autre passerelle utilise la base de données"
        }
    }

    private func sentence(_ repair: LinkRepair, after duration: Duration) -> String {
        "Aucun récepteur depuis \(duration.components.seconds) secondes\u{A0}: l'adaptateur Bluetooth est "
            + (repair == .powerCycle ? "éteint puis rallumé." : "réinitialisé.")
    }

    private func smallPackets(bytes: Int) -> String {
        "Les paquets Bluetooth du récepteur ne contiennent que \(bytes) octets\u{A0}: "
            + "les longues lignes arrivent en morceaux ou coupées."
    }

    private func after(_ old: SondeSerial?) -> String { old.map { ", après \($0)" } ?? "" }

    private func battery(_ percent: Int?, volts: Double?) -> String {
        if let percent {
            "La batterie du récepteur est à \(percent) pour cent."
        } else {
            "La batterie du récepteur est à \(tenths(volts, ",")) volts."
        }
    }

    private func landing(
        _ point: TrackPoint, isTimeKnown: Bool, near town: NearbyTown?, from car: CarPosition?
    ) -> String {
        let near = town.map { ", \(place($0))" } ?? ""
        return isTimeKnown
            ? "La sonde a atterri\(seen(point.coordinate, from: car))\(near)."
            : "La sonde est au sol\(seen(point.coordinate, from: car))\(near)."
    }

    private func sentence(_ advice: LinkAdvice) -> String {
        switch advice {
        case .replugAdapter: "Débranchez puis rebranchez l'adaptateur Bluetooth, ou redémarrez l'ordinateur."
        case .restartReceiver: "Éteignez puis rallumez le récepteur, et rapprochez-le."
        case .checkBattery: "Le récepteur redémarre sans cesse. Vérifiez sa batterie."
        case .resetFailed:
            "L'adaptateur Bluetooth ne peut pas être réinitialisé\u{A0}; le journal dit pourquoi."
        }
    }

    private func sentence(_ state: TelemetryState, _ reason: TelemetryState.Reason) -> String {
        switch state {
        case .startup: "La passerelle démarre."
        case .liveBLEFlying: "Le récepteur entend la sonde."
        case .liveBLELanded: "Le récepteur entend la sonde, qui est au sol."
        case .waitingForAPRS: "Le récepteur a perdu la sonde."
        case .aprsFlying: "SondeHub reçoit la sonde."
        case .aprsLanded:
            reason == .sondeHubSilent
                ? "SondeHub a reçu la sonde pour la dernière fois en vol." : "SondeHub reçoit la sonde, qui est au sol."
        case .noTelemetry:
            reason == .stopping
                ? "Pas de télémétrie\u{A0}: la passerelle s'arrête." : "Personne n'entend la sonde."
        }
    }

    private func sentence(_ score: LandingScore) -> String {
        let (early, last) = score.spokenErrors
        if let early { return "15 minutes avant l'atterrissage, la prévision se trompait \(by(early))." }
        return last.map { "La dernière prévision se trompait \(by($0))." }
            ?? "Aucune prévision n'a pu être évaluée."
    }

    private func arrival(_ margin: Duration, isNoRoadNear: Bool, isStraight: Bool) -> String {
        let size = margin < .zero ? .zero - margin : margin
        let time =
            wholeMinutes(size) == 0
            ? "au moment de l'atterrissage" : "\(minutes(size)) \(margin < .zero ? "après" : "avant") l'atterrissage"
        if isStraight { return "En ligne droite, l'arrivée serait \(time)." }
        return isNoRoadNear
            ? "Arrivée au bout de la route \(time). Aucune route près du point de chute." : "Arrivée \(time)."
    }

    private func sentence(_ truncation: TrackTruncation) -> String {
        let isOne = truncation.count == 1
        let points = isOne ? "Un point de la trace" : "\(truncation.count) points de la trace"
        let dropped = isOne ? "est écarté" : "sont écartés"
        return switch truncation.reason {
        case .landed: "\(points) après l'atterrissage \(dropped)."
        case .newFlight: "\(points) du vol précédent \(dropped)."
        case .excursion: "\(points) où la sonde n'a pas pu passer \(dropped)."
        case .blackout: "\(points) \(isOne ? "reçu" : "reçus") pendant que quelqu'un déplaçait la sonde \(dropped)."
        }
    }

    /// ` à 3,4 kilomètres, devant à gauche`
    private func seen(_ goal: Coordinate, from car: CarPosition?) -> String {
        guard let car else { return "" }
        let relative = RelativePosition(of: goal, from: car)
        return relative.isHere ? " ici" : " à \(distance(relative.distanceMetres)), \(side(relative))"
    }

    private func spoken(_ type: SondeType?) -> String { type.map { ", type \($0.name)" } ?? "" }

    private func spoken(_ tuning: Tuning) -> String {
        "\(megahertz(tuning, ",")) mégahertz, type \(tuning.sondeType.name)"
    }
}

// MARK: - The landing

extension French {
    /// `Atterrissage dans 20 minutes, à 14 kilomètres, droit devant, à 3 kilomètres près.`
    private func sentence(_ landing: SpokenLanding, from car: CarPosition?) -> String {
        let parts = [landing.timeToGo.map(until), place(landing, from: car)].compactMap { $0 }
        return parts.isEmpty ? "Première prévision d'atterrissage." : "Atterrissage \(parts.joined(separator: ", "))."
    }

    private func place(_ landing: SpokenLanding, from car: CarPosition?) -> String? {
        switch landing.words(from: car) {
        case .unknown: nil
        case .within(let metres, let town): "quelque part à moins de \(distance(metres)) de \(town)"
        case .fromCar(let relative, let error):
            (relative.isHere ? "ici" : "à \(distance(relative.distanceMetres)), \(side(relative))") + within(error)
        case .fromTown(let town, let error): place(town) + within(error)
        }
    }

    private func within(_ metres: Double?) -> String { metres.map { ", à \(distance($0)) près" } ?? "" }

    /// `à 2 kilomètres au nord de Grenchen`
    private func place(_ town: NearbyTown) -> String {
        guard !town.isAtTown, let point = CompassPoint(degrees: town.bearingDegrees) else {
            return "près de \(town.name)"
        }
        let name = name(point)
        let to = "aeiou".contains(name.first ?? " ") ? "à l'" : "au "
        return "à \(distance(town.metres)) \(to)\(name) de \(town.name)"
    }
}

// MARK: - Numbers and places

extension French {
    /// `350 mètres`, `3,4 kilomètres`; the plural begins with two.
    private func distance(_ metres: Double) -> String {
        switch SpokenDistance(metres) {
        case .unknown: "une distance inconnue"
        case .metres(let count): "\(count) \(count < 2 ? "mètre" : "mètres")"
        case .kilometre: "un kilomètre"
        case .kilometres(let number): "\(number(",")) \(number.tenths < 20 ? "kilomètre" : "kilomètres")"
        }
    }

    /// `de 350 mètres`, `d'un kilomètre`
    private func by(_ metres: Double) -> String {
        let distance = distance(metres)
        return distance.hasPrefix("un") ? "d'\(distance)" : "de \(distance)"
    }

    /// `12 heures`, `0 heure`, `11 heures 15`
    private func hour(_ launch: WallTime) -> String {
        let hour = sounding(launch, fullHour: " heures", separator: " heures ")
        return hour.hasPrefix("0 ") || hour.hasPrefix("1 ") ? hour.replacing("heures", with: "heure") : hour
    }

    /// `de Payerne`, `d'Ajaccio`
    private func of(_ site: String) -> String {
        site.first.map { "AEIOUÉÎ".contains($0) } == true ? "d'\(site)" : "de \(site)"
    }

    /// `vers le nord-est`
    private func heading(_ degrees: Double) -> String {
        switch CompassPoint(degrees: degrees) {
        case .east: "vers l'est"
        case .west: "vers l'ouest"
        case let point?: "vers le \(name(point))"
        case nil: "dans une direction inconnue"
        }
    }

    private func name(_ point: CompassPoint) -> String {
        switch point {
        case .north: "nord"
        case .northEast: "nord-est"
        case .east: "est"
        case .southEast: "sud-est"
        case .south: "sud"
        case .southWest: "sud-ouest"
        case .west: "ouest"
        case .northWest: "nord-ouest"
        }
    }

    private func minutes(_ duration: Duration) -> String {
        let minutes = wholeMinutes(duration)
        return minutes == 1 ? "une minute" : "\(minutes) \(minutes == 0 ? "minute" : "minutes")"
    }

    /// `dans 41 minutes`
    private func until(_ time: Duration) -> String {
        wholeMinutes(time) == 0 ? "dans moins d'une minute" : "dans \(minutes(time))"
    }

    /// `devant à gauche`, `vers le nord-est`
    private func side(_ relative: RelativePosition) -> String {
        switch RelativeDirection(relative) {
        case .compass(let degrees): heading(degrees)
        case .ahead: "droit devant"
        case .halfAhead(let side): "devant à \(word(side))"
        case .side(let side): "à \(word(side))"
        case .halfBehind(let side): "derrière à \(word(side))"
        case .behind: "derrière la voiture"
        }
    }

    private func word(_ side: RelativeDirection.Side) -> String { side == .left ? "gauche" : "droite" }
}

// MARK: - Recovery

extension French {
    private func report(_ recovery: Recovery, isOwn: Bool) -> String {
        switch (recovery.state, isOwn) {
        case (.planned, false): "\(recovery.by) prévoit de récupérer la sonde."
        case (.recovered, false): "\(recovery.by) a récupéré la sonde."
        case (.notFound, false): "\(recovery.by) n'a pas trouvé la sonde."
        case (.planned, true): "Votre signalement est sur SondeHub\u{A0}: récupération prévue."
        case (.recovered, true): "Votre signalement est sur SondeHub\u{A0}: sonde récupérée."
        case (.notFound, true): "Votre signalement est sur SondeHub\u{A0}: sonde non trouvée."
        }
    }

    private func refusal(_ reason: RecoveryRefusal, of serial: SondeSerial) -> String {
        switch reason {
        case .unknownSonde: "SondeHub ne connaît pas \(serial) et refuse le signalement."
        case .expired: "Le signalement de \(serial) attend depuis 14 jours et est abandonné."
        case .refused: "SondeHub refuse le signalement de \(serial)."
        }
    }
}

// MARK: - The state

extension French {
    private func sentences(_ status: SpokenStatus, from car: CarPosition?) -> String {
        let there = status.landing.map { seen($0, from: car) } ?? ""
        switch status.place {
        case .unknown: return "Personne n'entend la sonde."
        case .onTheGround: return "La sonde est au sol\(there)." + arrival(status)
        case .probablyOnTheGround: return "La sonde est probablement au sol\(there)." + arrival(status)
        case .inTheAir: break
        }
        let motion = status.spokenSpeed.map {
            "La sonde \($0 < 0 ? "descend" : "monte") à \(abs($0) == 1 ? "un mètre" : "\(abs($0)) mètres") par seconde"
        }
        let height = status.altitudeMetres.map {
            (motion == nil ? "La sonde" : "elle")
                + " est à \(status.spokenMetres.map { "\($0) mètres" } ?? distance($0)) d'altitude"
        }
        let doing = motion.map { $0 + (height.map { ", \($0)" } ?? "") } ?? height
        let time = status.timeToGo.map { " \(until($0))" } ?? ""
        let place = time.isEmpty || there.isEmpty ? there : "," + there
        let landing = time.isEmpty && there.isEmpty ? "" : " Atterrissage\(time)\(place)."
        return (doing.map { "\($0)." } ?? "La sonde est en vol.") + landing + arrival(status)
    }

    private func arrival(_ status: SpokenStatus) -> String {
        let about = status.isStraight ? "environ " : ""
        if let drive = status.drive { return " Arrivée dans \(about)\(minutes(drive))." }
        guard let margin = status.margin else { return "" }
        if wholeMinutes(max(margin, .zero - margin)) == 0 { return " Arrivée en même temps." }
        let time = minutes(margin < .zero ? .zero - margin : margin)
        return " Arrivée \(about)\(time) \(margin < .zero ? "après" : "avant")."
    }
}

// MARK: - Home Assistant

extension French {
    public var deviceName: String { "Sonde" }
    public var newest: String { "la plus récente" }
    public var entityNames: [String: String] { Self.names }

    private static let names = [
        "position": "Position",
        "altitude": "Altitude",
        "horizontal_speed": "Vitesse horizontale",
        "vertical_speed": "Vitesse verticale",
        "heading": "Cap",
        "last_known": "Dernière position connue",
        "last_seen": "Dernière réception",
        "status": "Résumé", "next_launch": "Prochain lancement", "serial": "Numéro de série",
        "state": "État",
        "phase": "Phase de vol",
        "source": "Source",
        "burst_altitude": "Altitude d'éclatement",
        "proposed_frequency": "Fréquence proposée",
        "chase_event": "Événement de la chasse",
        "rssi": "Signal de la sonde",
        "afc": "AFC",
        "battery": "Batterie du récepteur",
        "battery_voltage": "Tension de la batterie du récepteur",
        "link": "Liaison avec le récepteur",
        "frequency": "Fréquence",
        "sonde_type": "Type de sonde",
        "mute": "Muet",
        "request_settings": "Lire les réglages",
        "accept_proposal": "Adopter la fréquence proposée",
        "landing": "Point de chute",
        "landing_at": "Heure d'atterrissage",
        "landing_in": "Temps avant l'atterrissage",
        "landing_radius": "Rayon d'erreur du point de chute",
        "prediction_method": "Méthode de prévision",
        "car": "Voiture",
        "distance_sonde": "Distance de la sonde",
        "distance_landing": "Distance du point de chute",
        "arrival_at": "Heure d'arrivée",
        "margin": "Marge",
        "hunt": "Sonde suivie",
        "report_recovered": "Signaler comme récupérée",
    ]
}

// MARK: - The page without its key

extension French {
    public var keyNeeded: String {
        """
        Cette page a besoin de sa clé. Ouvrez son lien ou scannez son code QR&nbsp;: l'écran «&nbsp;Récepteur&nbsp;» \
        d'une page ouverte montre les deux, et <code>sudo sondygo2mqtt doctor</code> donne le lien sur la passerelle. \
        Un ancien lien peut contenir une ancienne clé.
        """
    }

    public var tooManyKeys: String { "Trop de clés fausses. Attendez une minute, puis ouvrez le bon lien." }
}
