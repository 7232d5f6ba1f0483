extension SetupPageTexts {
    static let german = SetupPageTexts(
        titles: [
            .language: "Sprache", .receiver: "Empfänger", .place: "Ort", .site: "Startort", .broker: "Broker",
            .id: "Name des Autos", .roads: "Straßen auf der Karte", .tablets: "Tablets und Telefone",
            .callSign: "Dein Ort auf SondeHub",
        ],
        questions: [
            .language: "Welche Sprache haben Meldungen, Ansage und Home Assistant?",
            .receiver: "Welchen Empfänger benutzt du?", .place: "Wo bist du, wenn kein GPS es sagt?",
            .site: "Welchen Sonden fahrt ihr nach? Die Seite nennt dann die nächsten Starts.",
            .broker: "Wo ist dein MQTT-Broker? Home Assistant bekommt den Flug von dort. Die Seite geht auch ohne.",
            .id: "Wie heißt dieses Auto? Sein Name ist eine Ebene seiner Topics.",
            .roads: "Straßen von OpenStreetMap, solange es Netz gibt? Der Server sieht dann, wohin du schaust.",
            .tablets:
                "Dürfen Tablets und Telefone die Seite öffnen und den Empfänger bedienen? Sie brauchen ihren Schlüssel.",
            .callSign: "Mit einem Rufzeichen sehen alle dieses Auto auf der Karte von SondeHub.",
        ],
        labels: [
            .receiver: "Ein anderer: Bluetooth-Adresse oder Gerät unter /dev",
            .place: "Ein Ort: 52.52,13.40 oder der Link einer Karte",
            .site: "Ein anderer, mit Namen oder Nummer", .broker: "Name oder Name:Port", .user: "Benutzer (none: ohne)",
            .password: "Passwort (leer: wie bisher)", .id: "a-z 0-9 _ -", .callSign: "Rufzeichen",
        ],
        yes: "Ja", no: "Nein", firstReceiver: "Der erste MySondyGo in Bluetooth-Reichweite", gps: "Ein GPS sagt es",
        noSite: "Alle Sonden ringsum", noCallSign: "Dieses Auto nicht zeigen", connected: "verbunden",
        cable: "USB-Kabel",
        answers: "antwortet", silent: "nichts antwortet",
        placeFirst: "Sag zuerst, wo du bist: Dann stehen hier die nächsten.",
        fixed: "Das steht in der eigenen Konfiguration der Box, und das gilt: ändere es dort.",
        keyless:
            "Diese Seite hat keinen Schlüssel und kann dich nicht von einem Gast unterscheiden. Auf der Box erzeugt dies einen:",
        readOnly: "Diese Seite nimmt keine Befehle an (dashboard.commands) und ändert darum nichts.",
        words: [
            "heading": "Gateway einrichten", "demo": "Zuerst einen simulierten Flug ansehen", "next": "Weiter",
            "looking": "Suche …", "again": "Noch einmal suchen", "testing": "Prüfe …",
            "waits": "Die Antworten gelten, wenn das Gateway neu startet.", "restart": "Jetzt neu starten",
            "restarting": "Das Gateway startet neu …", "run": "Auf der Box dazu ausführen:", "done": "Fertig",
        ])
}
