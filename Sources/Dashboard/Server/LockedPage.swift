/// What a browser without the page's key shows at `/`, in all languages, because nothing has chosen one.
enum LockedPage {
    /// Where the key is. Only root may read its file, so `doctor` needs `sudo` there.
    static let keyNeeded = page([
        "en": """
        This page needs its key. Open its link, or scan its QR code: the Receiver screen of a page that is open shows \
        both, and <code>sudo sondygo2mqtt doctor</code> prints the link on the gateway's computer. An old link may \
        hold an old key.
        """,
        "de": """
        Diese Seite braucht ihren Schlüssel. Den Link öffnen oder den QR-Code scannen: Die Ansicht „Empfänger“ einer \
        offenen Seite zeigt beide, und <code>sudo sondygo2mqtt doctor</code> nennt den Link auf dem Gateway-Rechner. \
        Ein alter Link kann einen alten Schlüssel enthalten.
        """,
        "fr": """
        Cette page a besoin de sa clé. Ouvrez son lien ou scannez son code QR&nbsp;: l'écran «&nbsp;Récepteur&nbsp;» \
        d'une page ouverte montre les deux, et <code>sudo sondygo2mqtt doctor</code> donne le lien sur la passerelle. \
        Un ancien lien peut contenir une ancienne clé.
        """,
        "it": """
        Questa pagina ha bisogno della sua chiave. Apri il link o inquadra il codice QR: la schermata «Ricevitore» di \
        una pagina aperta mostra entrambi, e <code>sudo sondygo2mqtt doctor</code> dà il link sul gateway. Un vecchio \
        link può contenere una vecchia chiave.
        """,
    ])

    /// After too many wrong keys.
    static let tooManyKeys = page([
        "en": "Too many wrong keys. Wait a minute, then open the right link.",
        "de": "Zu viele falsche Schlüssel. Eine Minute warten, dann den richtigen Link öffnen.",
        "fr": "Trop de clés fausses. Attendez une minute, puis ouvrez le bon lien.",
        "it": "Troppe chiavi sbagliate. Aspetta un minuto, poi apri il link giusto.",
    ])

    /// The page has no style sheet, because a file of the page needs the key, too. The browser chooses day or night.
    private static func page(_ sentences: KeyValuePairs<String, String>) -> String {
        """
        <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark"><title>sondygo2mqtt</title>

        """ + sentences.map { "<p lang=\"\($0.key)\">\($0.value)</p>\n" }.joined()
    }
}
