import GatewayReports

/// The texts of `setup` in one language, from the language's file.
struct SetupTexts {
    private let book: Phrasebook

    init(_ language: Language) { book = language.phrasebook }

    func question(_ question: SetupQuestion) -> String {
        book.setup("question.\(question)", ["languages": SetupQuestion.languages])
    }

    /// The answers that a question accepts.
    func accepted(_ question: SetupQuestion) -> String {
        book.setup("accepted.\(question)", ["languages": SetupQuestion.languages])
    }

    func refused(_ answer: String, _ question: SetupQuestion) -> String {
        book.setup("refused", ["answer": answer, "accepted": accepted(question)])
    }

    /// - Parameter file: the user's own file, which holds the key.
    func stands(_ key: String, in file: String) -> String { book.setup("stands", ["key": key, "file": file]) }

    func noSuchSite(_ answer: String, _ refusal: SetupDialog.NoSuchSite) -> String {
        refusal.isUnchecked
            ? book.setup("sites_silent") : book.setup("no_such_site", ["answer": answer]) + refusal.suggestion
    }

    /// A finding of doctor; one that is all right in the language.
    func finding(_ finding: Finding) -> String {
        guard finding.verdict == .ok, let place = finding.place else { return finding.text }
        return book.setup("broker_accepts", ["place": place])
    }

    func written(_ file: String) -> String { book.setup("written", ["file": file]) }
    func pageLink(_ link: String) -> String { book.setup("page_link", ["link": link]) }
    var unchanged: String { book.setup("unchanged") }
    var cableFile: String { book.setup("cable_file") }

    var lookingForReceivers: String { book.setup("looking_for_receivers") }
    var noReceiver: String { book.setup("no_receiver") }
    /// Follows a question with a numbered list.
    var orNumber: String { book.setup("or_number") }
    var testingBroker: String { book.setup("testing_broker") }
    var brokerNotKept: String { book.setup("broker_not_kept") }
    var sitesNear: String { book.setup("sites_near") }
    var sitesUnknown: String { book.setup("sites_unknown") }
}
