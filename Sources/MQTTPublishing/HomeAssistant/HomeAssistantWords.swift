import GatewayReports

/// The values of entities with fixed values, as a person reads them, in the order of their codes. The messages hold the
/// codes; the templates of the discovery message translate them.
struct HomeAssistantWords: Sendable {
    var state, phase, source, method: KeyValuePairs<String, String>

    static func words(in language: Language) -> HomeAssistantWords {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        case .italian: italian
        }
    }

    private static let english = HomeAssistantWords(
        state: [
            "startup": "Starting", "liveBLEFlying": "Flying, heard here", "liveBLELanded": "Landed, heard here",
            "waitingForAPRS": "Waiting for SondeHub", "aprsFlying": "Flying, by SondeHub",
            "aprsLanded": "Landed, by SondeHub", "noTelemetry": "Nothing heard",
        ],
        phase: [
            "unknown": "Unknown", "ascending": "Climbing", "descendingAbove10k": "Falling above 10 km",
            "descendingBelow10k": "Falling below 10 km", "landed": "Landed",
        ],
        source: ["ble": "Receiver", "sondehub": "SondeHub"],
        method: ["tawhiri": "Weather forecast", "sondehub": "SondeHub", "own_winds": "Winds of this flight"])

    private static let german = HomeAssistantWords(
        state: [
            "startup": "Startet", "liveBLEFlying": "Fliegt, hier gehört", "liveBLELanded": "Gelandet, hier gehört",
            "waitingForAPRS": "Wartet auf SondeHub", "aprsFlying": "Fliegt, laut SondeHub",
            "aprsLanded": "Gelandet, laut SondeHub", "noTelemetry": "Nichts zu hören",
        ],
        phase: [
            "unknown": "Unbekannt", "ascending": "Steigt", "descendingAbove10k": "Fällt über 10 km",
            "descendingBelow10k": "Fällt unter 10 km", "landed": "Gelandet",
        ],
        source: ["ble": "Empfänger", "sondehub": "SondeHub"],
        method: ["tawhiri": "Wettervorhersage", "sondehub": "SondeHub", "own_winds": "Winde dieses Fluges"])

    private static let french = HomeAssistantWords(
        state: [
            "startup": "Démarrage", "liveBLEFlying": "En vol, entendue ici", "liveBLELanded": "Au sol, entendue ici",
            "waitingForAPRS": "Attend SondeHub", "aprsFlying": "En vol, selon SondeHub",
            "aprsLanded": "Au sol, selon SondeHub", "noTelemetry": "Rien entendu",
        ],
        phase: [
            "unknown": "Inconnue", "ascending": "Montée", "descendingAbove10k": "Chute au-dessus de 10 km",
            "descendingBelow10k": "Chute sous 10 km", "landed": "Au sol",
        ],
        source: ["ble": "Récepteur", "sondehub": "SondeHub"],
        method: ["tawhiri": "Prévision météo", "sondehub": "SondeHub", "own_winds": "Vents de ce vol"])

    private static let italian = HomeAssistantWords(
        state: [
            "startup": "Avvio", "liveBLEFlying": "In volo, sentita qui", "liveBLELanded": "A terra, sentita qui",
            "waitingForAPRS": "In attesa di SondeHub", "aprsFlying": "In volo, secondo SondeHub",
            "aprsLanded": "A terra, secondo SondeHub", "noTelemetry": "Nulla di ricevuto",
        ],
        phase: [
            "unknown": "Sconosciuta", "ascending": "In salita", "descendingAbove10k": "In caduta sopra i 10 km",
            "descendingBelow10k": "In caduta sotto i 10 km", "landed": "A terra",
        ],
        source: ["ble": "Ricevitore", "sondehub": "SondeHub"],
        method: ["tawhiri": "Previsione meteo", "sondehub": "SondeHub", "own_winds": "Venti di questo volo"])
}
