import GatewayReports

/// What a browser without the page's key shows at `/`, in all languages, because nothing has chosen one.
enum LockedPage {
    /// Without a key, or with a wrong one.
    static let keyNeeded = page(\.keyNeeded) + field

    /// A field for the key, as the gateway's computer shows it. Its name is that of the link's part.
    private static let field = """
        <form action="./"><label>\(name) <input name="key" autocomplete="off" autocapitalize="off" \
        spellcheck="false" autofocus required></label> <button>OK</button></form>

        """

    /// The field's name in all languages.
    private static let name = LanguagePlaces.words(\.key)

    /// The page has no style sheet, because a file of the page needs the key, too. The browser chooses day or night.
    private static func page(_ sentence: (Phrasebook) -> String) -> String {
        """
        <!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark"><title>sondygo2mqtt</title>

        """ + LanguagePlaces.paragraphs(sentence) + "\n"
    }
}
