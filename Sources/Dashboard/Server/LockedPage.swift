/// What a browser without the page's key shows at `/`: where the key is, in all languages, because nothing has chosen one.
enum LockedPage {
    private static let sentences: [(language: String, text: String)] = [
        (
            "en",
            """
            This page needs its key. Open its link, or scan its QR code: the Receiver screen of a page that is open shows \
            both, and <code>sondygo2mqtt doctor</code> prints the link on the gateway's computer. An old link may hold an \
            old key.
            """
        ),
        (
            "de",
            """
            Diese Seite braucht ihren Schlüssel. Den Link öffnen oder den QR-Code scannen: Die Ansicht „Empfänger“ einer \
            offenen Seite zeigt beide, und <code>sondygo2mqtt doctor</code> nennt den Link auf dem Gateway-Rechner. Ein \
            alter Link kann einen alten Schlüssel enthalten.
            """
        ),
        (
            "fr",
            """
            Cette page a besoin de sa clé. Ouvrez son lien ou scannez son code QR&nbsp;: l'écran «&nbsp;Récepteur&nbsp;» \
            d'une page ouverte montre les deux, et <code>sondygo2mqtt doctor</code> donne le lien sur la passerelle. Un \
            ancien lien peut contenir une ancienne clé.
            """
        ),
        (
            "it",
            """
            Questa pagina ha bisogno della sua chiave. Apri il link o inquadra il codice QR: la schermata \
            &quot;Ricevitore&quot; di una pagina aperta mostra entrambi, e <code>sondygo2mqtt doctor</code> dà il link sul \
            gateway. Un vecchio link può contenere una vecchia chiave.
            """
        ),
    ]

    static let html =
        """
        <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>sondygo2mqtt</title>

        """ + sentences.map { "<p lang=\"\($0.language)\">\($0.text)</p>\n" }.joined()
}
