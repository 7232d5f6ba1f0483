import GatewayReports

/// The entities' names in the other languages, by key. The ids never change.
struct HomeAssistantNames {
    var german: String
    var french: String
    var italian: String

    private init(_ german: String, french: String, italian: String) {
        (self.german, self.french, self.italian) = (german, french, italian)
    }

    /// - Parameter english: the English name, which the maker of the entity gives. A key without other names has it in
    ///   each language.
    static func name(of key: String, english: String, in language: Language) -> String {
        switch language {
        case .english: english
        case .german: all[key]?.german ?? english
        case .french: all[key]?.french ?? english
        case .italian: all[key]?.italian ?? english
        }
    }

    static let all: [String: HomeAssistantNames] = [
        "position": Self("Position", french: "Position", italian: "Posizione"),
        "altitude": Self("Höhe", french: "Altitude", italian: "Quota"),
        "horizontal_speed": Self(
            "Horizontalgeschwindigkeit", french: "Vitesse horizontale", italian: "Velocità orizzontale"),
        "vertical_speed": Self("Vertikalgeschwindigkeit", french: "Vitesse verticale", italian: "Velocità verticale"),
        "heading": Self("Kurs", french: "Cap", italian: "Rotta"),
        "last_known": Self(
            "Letzte bekannte Position", french: "Dernière position connue", italian: "Ultima posizione nota"),
        "last_seen": Self("Zuletzt gehört", french: "Dernière réception", italian: "Ultima ricezione"),
        "serial": Self("Seriennummer", french: "Numéro de série", italian: "Numero di serie"),
        "state": Self("Zustand", french: "État", italian: "Stato"),
        "phase": Self("Flugphase", french: "Phase de vol", italian: "Fase di volo"),
        "source": Self("Quelle", french: "Source", italian: "Fonte"),
        "burst_altitude": Self("Platzhöhe", french: "Altitude d'éclatement", italian: "Quota di scoppio"),
        "proposed_frequency": Self(
            "Vorgeschlagene Frequenz", french: "Fréquence proposée", italian: "Frequenza proposta"),
        "chase_event": Self("Ereignis der Jagd", french: "Événement de la chasse", italian: "Evento della caccia"),
        "rssi": Self("Signal der Sonde", french: "Signal de la sonde", italian: "Segnale della sonda"),
        "afc": Self("AFC", french: "AFC", italian: "AFC"),
        "battery": Self("Akku des Empfängers", french: "Batterie du récepteur", italian: "Batteria del ricevitore"),
        "battery_voltage": Self(
            "Akkuspannung des Empfängers", french: "Tension de la batterie du récepteur",
            italian: "Tensione della batteria del ricevitore"),
        "link": Self(
            "Verbindung zum Empfänger", french: "Liaison avec le récepteur", italian: "Collegamento al ricevitore"),
        "frequency": Self("Frequenz", french: "Fréquence", italian: "Frequenza"),
        "sonde_type": Self("Sondentyp", french: "Type de sonde", italian: "Tipo di sonda"),
        "mute": Self("Stumm", french: "Muet", italian: "Muto"),
        "request_settings": Self("Einstellungen lesen", french: "Lire les réglages", italian: "Leggi le impostazioni"),
        "accept_proposal": Self(
            "Vorgeschlagene Frequenz übernehmen", french: "Adopter la fréquence proposée",
            italian: "Accetta la frequenza proposta"),
        "landing": Self("Landepunkt", french: "Point de chute", italian: "Punto di atterraggio"),
        "landing_at": Self("Landezeit", french: "Heure d'atterrissage", italian: "Ora di atterraggio"),
        "landing_in": Self("Landung in", french: "Temps avant l'atterrissage", italian: "Tempo all'atterraggio"),
        "landing_radius": Self(
            "Fehlerradius des Landepunkts", french: "Rayon d'erreur du point de chute",
            italian: "Raggio di errore del punto di atterraggio"),
        "prediction_method": Self(
            "Methode der Vorhersage", french: "Méthode de prévision", italian: "Metodo di previsione"),
        "car": Self("Auto", french: "Voiture", italian: "Auto"),
        "distance_sonde": Self(
            "Entfernung zur Sonde", french: "Distance de la sonde", italian: "Distanza dalla sonda"),
        "distance_landing": Self(
            "Entfernung zum Landepunkt", french: "Distance du point de chute",
            italian: "Distanza dal punto di atterraggio"),
        "arrival_at": Self("Ankunftszeit", french: "Heure d'arrivée", italian: "Ora di arrivo"),
        "margin": Self("Vorsprung", french: "Marge", italian: "Margine"),
        "hunt": Self("Verfolgte Sonde", french: "Sonde suivie", italian: "Sonda seguita"),
        "report_recovered": Self(
            "Als geborgen melden", french: "Signaler comme récupérée", italian: "Segnala come recuperata"),
    ]
}
