import GatewayReports

/// The texts of `setup` in one language.
struct SetupTexts {
    /// The questions. The keys are those of ``SetupQuestion``.
    let questions: [SetupQuestion: String]
    /// The answers that a question accepts, for a refused one.
    let accepted: [SetupQuestion: String]
    /// `%1`: the answer, `%2`: what is accepted.
    let refused: String
    let lookingForReceivers, noReceiver, orNumber, testingBroker, brokerNotKept: String
    /// `%1`: the key, `%2`: the file.
    let stands: String
    let sitesNear, sitesUnknown: String
    /// `%1`: the answer.
    let noSuchSite: String

    init(_ language: Language) {
        self =
            switch language {
            case .english: .english
            case .german: .german
            case .french: .french
            case .italian: .italian
            }
    }

    /// Fills `%1` and `%2`.
    static func filled(_ text: String, _ values: String...) -> String {
        values.enumerated().reduce(text) { $0.replacing("%\($1.offset + 1)", with: $1.element) }
    }

    private init(
        questions: [SetupQuestion: String], accepted: [SetupQuestion: String], refused: String,
        lookingForReceivers: String, noReceiver: String, orNumber: String, testingBroker: String,
        brokerNotKept: String, stands: String, sitesNear: String, sitesUnknown: String, noSuchSite: String
    ) {
        (self.questions, self.accepted, self.refused) = (questions, accepted, refused)
        (self.lookingForReceivers, self.noReceiver, self.orNumber) = (lookingForReceivers, noReceiver, orNumber)
        (self.testingBroker, self.brokerNotKept, self.stands) = (testingBroker, brokerNotKept, stands)
        (self.sitesNear, self.sitesUnknown, self.noSuchSite) = (sitesNear, sitesUnknown, noSuchSite)
    }
}

extension SetupTexts {
    static let english = SetupTexts(
        questions: [
            .language: "Language of these questions, of events, speech and Home Assistant (\(SetupQuestion.languages))",
            .broker: "MQTT broker, as host or host:port",
            .user: "User name at the broker (none: it asks for none)",
            .password: "Password of that user (not shown)",
            .id: "Name of this car, a level of its topics",
            .receiver:
                "Receiver: first (the first MySondyGo in Bluetooth range), usb (its cable), or its Bluetooth address",
            .place: "Where are you? gps (a GPS says it), 52.52,13.40, or the link of a map",
            .site: "Launch site, by name or number (none: all sondes around)",
            .tablets:
                "May tablets and phones open the page and command the receiver? yes (with a key, which this makes), "
                + "open (everybody in this network) or no",
            .callSign: "Call sign for SondeHub's map, where everybody then sees this car (none: not there)",
            .roads: "Roads from OpenStreetMap while there is a network? Its server then sees where you look (yes, no)",
        ],
        accepted: [
            .language: SetupQuestion.languages, .broker: "a host name or address, with :port if it is not 1883",
            .user: "a user name, or none", .password: "a text file with the password",
            .id: "one topic level of a-z 0-9 _ -, at most 64 characters",
            .receiver: "first, usb, a device below /dev, or an address such as AA:BB:CC:DD:EE:FF",
            .place: "gps, a place such as 52.52,13.40, or the link of a map",
            .site: "a name or number of the list, or none",
            .tablets: "yes, open or no", .callSign: "3 to 20 letters, digits, - and /, or none", .roads: "yes or no",
        ],
        refused: "\"%1\" is not accepted; give %2", lookingForReceivers: "Looking for receivers (8 s) …",
        noReceiver: "none heard; a receiver that a phone is connected to is silent",
        orNumber: ", or the number of one above", testingBroker: "Asking the broker …",
        brokerNotKept: "The broker stays as it was.",
        stands: "%1 stands in %2, and that counts: change it there",
        sitesNear: "The nearest launch sites:",
        sitesUnknown: "SondeHub does not answer, so the number is not checked.",
        noSuchSite: "SondeHub has no launch site \"%1\"")

    static let german = SetupTexts(
        questions: [
            .language:
                "Sprache dieser Fragen, der Meldungen, der Ansage und von Home Assistant (\(SetupQuestion.languages))",
            .broker: "MQTT-Broker, als Name oder Name:Port",
            .user: "Benutzername beim Broker (none: er verlangt keinen)",
            .password: "Passwort dieses Benutzers (wird nicht angezeigt)",
            .id: "Name dieses Autos, eine Ebene seiner Topics",
            .receiver:
                "Empfänger: first (der erste MySondyGo in Reichweite), usb (sein Kabel) oder seine Bluetooth-Adresse",
            .place: "Wo bist du? gps (ein GPS sagt es), 52.52,13.40 oder der Link einer Karte",
            .site: "Startort, mit Namen oder Nummer (none: alle Sonden ringsum)",
            .tablets:
                "Dürfen Tablets und Telefone die Seite öffnen und den Empfänger bedienen? ja (mit einem Schlüssel, der "
                + "jetzt erzeugt wird), open (alle in diesem Netz) oder nein",
            .callSign: "Rufzeichen für die Karte von SondeHub, auf der dann alle dieses Auto sehen (none: nicht dort)",
            .roads:
                "Straßen von OpenStreetMap, solange es Netz gibt? Der Server sieht dann, wohin du schaust (ja, nein)",
        ],
        accepted: [
            .language: SetupQuestion.languages,
            .broker: "ein Name oder eine Adresse, mit :Port, wenn es nicht 1883 ist",
            .user: "ein Benutzername oder none", .password: "eine Textdatei mit dem Passwort",
            .id: "Kleinbuchstaben, Ziffern, _ und -, höchstens 64 Zeichen",
            .receiver: "first, usb, ein Gerät unter /dev oder eine Adresse wie AA:BB:CC:DD:EE:FF",
            .place: "gps, ein Ort wie 52.52,13.40 oder der Link einer Karte",
            .site: "ein Name oder eine Nummer der Liste oder none", .tablets: "ja, open oder nein",
            .callSign: "3 bis 20 Buchstaben, Ziffern, - und / oder none", .roads: "ja oder nein",
        ],
        refused: "„%1“ passt nicht; möglich: %2", lookingForReceivers: "Suche nach Empfängern (8 s) …",
        noReceiver: "keiner zu hören; ein Empfänger, mit dem ein Telefon verbunden ist, schweigt",
        orNumber: ", oder die Nummer von oben", testingBroker: "Frage beim Broker …",
        brokerNotKept: "Der Broker bleibt, wie er war.",
        stands: "%1 steht in %2, und das gilt: ändere es dort",
        sitesNear: "Die nächsten Startorte:",
        sitesUnknown: "SondeHub antwortet nicht; die Nummer ist nicht geprüft.",
        noSuchSite: "SondeHub kennt keinen Startort „%1“")

    static let french = SetupTexts(
        questions: [
            .language:
                "Langue de ces questions, des messages, de la voix et de Home Assistant (\(SetupQuestion.languages))",
            .broker: "Broker MQTT, sous la forme hôte ou hôte:port",
            .user: "Nom d'utilisateur auprès du broker (none : aucun)",
            .password: "Mot de passe de cet utilisateur (il ne s'affiche pas)",
            .id: "Nom de cette voiture, un niveau de ses topics",
            .receiver:
                "Récepteur : first (le premier MySondyGo à portée Bluetooth), usb (son câble) ou son adresse Bluetooth",
            .place: "Où êtes-vous ? gps (un GPS le dit), 52.52,13.40 ou le lien d'une carte",
            .site: "Site de lancement, par son nom ou son numéro (none : toutes les sondes alentour)",
            .tablets:
                "Les tablettes et téléphones peuvent-ils ouvrir la page et commander le récepteur ? oui (avec une clé, "
                + "créée maintenant), open (tout le monde sur ce réseau) ou non",
            .callSign: "Indicatif pour la carte de SondeHub, où tout le monde verra cette voiture (none : pas là)",
            .roads:
                "Routes d'OpenStreetMap tant qu'il y a du réseau ? Son serveur voit alors ce que vous regardez (oui, non)",
        ],
        accepted: [
            .language: SetupQuestion.languages, .broker: "un nom ou une adresse, avec :port si ce n'est pas 1883",
            .user: "un nom d'utilisateur, ou none", .password: "un fichier texte avec le mot de passe",
            .id: "des lettres minuscules, des chiffres, _ et -, 64 caractères au plus",
            .receiver: "first, usb, un périphérique sous /dev ou une adresse comme AA:BB:CC:DD:EE:FF",
            .place: "gps, un lieu comme 52.52,13.40 ou le lien d'une carte",
            .site: "un nom ou un numéro de la liste, ou none", .tablets: "oui, open ou non",
            .callSign: "3 à 20 lettres, chiffres, - et /, ou none", .roads: "oui ou non",
        ],
        refused: "« %1 » n'est pas accepté ; donnez %2", lookingForReceivers: "Recherche de récepteurs (8 s) …",
        noReceiver: "aucun entendu ; un récepteur connecté à un téléphone se tait",
        orNumber: ", ou le numéro de l'un d'eux", testingBroker: "Question au broker …",
        brokerNotKept: "Le broker reste comme il était.",
        stands: "%1 se trouve dans %2, et c'est ce qui compte : changez-le là",
        sitesNear: "Les sites de lancement les plus proches :",
        sitesUnknown: "SondeHub ne répond pas ; le numéro n'est pas vérifié.",
        noSuchSite: "SondeHub ne connaît pas de site « %1 »")

    static let italian = SetupTexts(
        questions: [
            .language:
                "Lingua di queste domande, dei messaggi, della voce e di Home Assistant (\(SetupQuestion.languages))",
            .broker: "Broker MQTT, come host o host:porta",
            .user: "Nome utente presso il broker (none: non lo chiede)",
            .password: "Password di questo utente (non viene mostrata)",
            .id: "Nome di quest'auto, un livello dei suoi topic",
            .receiver:
                "Ricevitore: first (il primo MySondyGo nel raggio Bluetooth), usb (il suo cavo) o il suo indirizzo Bluetooth",
            .place: "Dove sei? gps (lo dice un GPS), 52.52,13.40 o il link di una mappa",
            .site: "Sito di lancio, per nome o numero (none: tutte le sonde intorno)",
            .tablets:
                "Tablet e telefoni possono aprire la pagina e comandare il ricevitore? sì (con una chiave, creata ora), "
                + "open (tutti in questa rete) o no",
            .callSign: "Nominativo per la mappa di SondeHub, dove tutti vedranno quest'auto (none: non lì)",
            .roads: "Strade da OpenStreetMap finché c'è rete? Il server vede allora dove guardi (sì, no)",
        ],
        accepted: [
            .language: SetupQuestion.languages, .broker: "un nome o un indirizzo, con :porta se non è 1883",
            .user: "un nome utente, o none", .password: "un file di testo con la password",
            .id: "lettere minuscole, cifre, _ e -, al massimo 64 caratteri",
            .receiver: "first, usb, un dispositivo sotto /dev o un indirizzo come AA:BB:CC:DD:EE:FF",
            .place: "gps, un luogo come 52.52,13.40 o il link di una mappa",
            .site: "un nome o un numero della lista, o none", .tablets: "sì, open o no",
            .callSign: "da 3 a 20 lettere, cifre, - e /, o none", .roads: "sì o no",
        ],
        refused: "\"%1\" non è accettato; possibile: %2", lookingForReceivers: "Cerco ricevitori (8 s) …",
        noReceiver: "nessuno in ascolto; un ricevitore collegato a un telefono tace",
        orNumber: ", o il numero di uno qui sopra", testingBroker: "Chiedo al broker …",
        brokerNotKept: "Il broker resta com'era.",
        stands: "%1 sta in %2, e vale quello: cambialo lì",
        sitesNear: "I siti di lancio più vicini:",
        sitesUnknown: "SondeHub non risponde; il numero non è verificato.",
        noSuchSite: "SondeHub non conosce un sito \"%1\"")
}
