extension SetupPageTexts {
    static let italian = SetupPageTexts(
        titles: [
            .language: "Lingua", .receiver: "Ricevitore", .place: "Luogo", .site: "Sito di lancio", .broker: "Broker",
            .id: "Nome dell'auto", .roads: "Strade sulla mappa", .tablets: "Tablet e telefoni",
            .callSign: "La tua posizione su SondeHub",
        ],
        questions: [
            .language: "Quale lingua per messaggi, voce e Home Assistant?",
            .receiver: "Quale ricevitore usi?", .place: "Dove sei, quando nessun GPS lo dice?",
            .site: "Quali sonde insegui? La pagina annuncia allora i prossimi lanci.",
            .broker: "Dov'è il tuo broker MQTT? Home Assistant riceve il volo da lì. La pagina funziona anche senza.",
            .id: "Come si chiama quest'auto? Il suo nome è un livello dei suoi topic.",
            .roads: "Strade da OpenStreetMap finché c'è rete? Il server vede allora dove guardi.",
            .tablets: "Tablet e telefoni possono aprire la pagina e comandare il ricevitore? Serve la sua chiave.",
            .callSign: "Con un nominativo tutti vedono quest'auto sulla mappa di SondeHub.",
        ],
        labels: [
            .receiver: "Un altro: indirizzo Bluetooth, o dispositivo sotto /dev",
            .place: "Un luogo: 52.52,13.40, o il link di una mappa",
            .site: "Un altro, per nome o numero", .broker: "Nome o nome:porta", .user: "Utente (none: senza)",
            .password: "Password (vuoto: come prima)", .id: "a-z 0-9 _ -", .callSign: "Nominativo",
        ],
        yes: "Sì", no: "No", firstReceiver: "Il primo MySondyGo nel raggio Bluetooth", gps: "Lo dice un GPS",
        noSite: "Tutte le sonde intorno", noCallSign: "Non mostrare quest'auto", connected: "collegato",
        cable: "Cavo USB",
        answers: "risponde", silent: "niente risponde", placeFirst: "Di' prima dove sei: poi qui ci sono i più vicini.",
        fixed: "Sta nella configurazione di questa macchina, e vale quella: cambialo lì.",
        keyless: "Questa pagina non ha una chiave e non ti distingue da un ospite. Sulla macchina, questo ne crea una:",
        readOnly: "Questa pagina non accetta comandi (dashboard.commands) e quindi non cambia nulla.",
        words: [
            "heading": "Configura il gateway", "demo": "Guarda prima un volo simulato", "next": "Avanti",
            "looking": "Cerco …", "again": "Cerca ancora", "testing": "Verifico …",
            "waits": "Le risposte valgono quando il gateway riparte.", "restart": "Riavvia ora",
            "restarting": "Il gateway riparte …", "run": "Da eseguire anche sulla macchina:", "done": "Fatto",
        ])
}
