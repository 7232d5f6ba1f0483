import GatewayReports

/// The texts of the page's setup in one language. The terminal has ``SetupTexts``: there an answer is a word to type,
/// here it is a button.
struct SetupPageTexts {
    /// The short name of each step.
    let titles: [SetupQuestion: String]
    /// What the step asks.
    let questions: [SetupQuestion: String]
    /// The names of the text fields.
    let labels: [SetupQuestion: String]
    let yes, no: String
    // Answers of the questions about receiver, place, site and call sign.
    let firstReceiver, gps, noSite, noCallSign: String
    // What was found.
    let connected, cable, answers, silent, placeFirst: String
    /// The answer stands where it counts before the page's.
    let fixed: String
    // Why the page asks nothing.
    let keyless, readOnly: String
    /// The words that the page itself shows, by the page's names for them.
    let words: KeyValuePairs<String, String>

    init(_ language: Language) {
        self =
            switch language {
            case .english: .english
            case .german: .german
            case .french: .french
            case .italian: .italian
            }
    }

    init(
        titles: [SetupQuestion: String], questions: [SetupQuestion: String], labels: [SetupQuestion: String],
        yes: String, no: String, firstReceiver: String, gps: String, noSite: String, noCallSign: String,
        connected: String, cable: String, answers: String, silent: String, placeFirst: String, fixed: String,
        keyless: String, readOnly: String, words: KeyValuePairs<String, String>
    ) {
        (self.titles, self.questions, self.labels) = (titles, questions, labels)
        (self.yes, self.no, self.firstReceiver, self.gps) = (yes, no, firstReceiver, gps)
        (self.noSite, self.noCallSign, self.connected, self.cable) = (noSite, noCallSign, connected, cable)
        (self.answers, self.silent, self.placeFirst, self.fixed) = (answers, silent, placeFirst, fixed)
        (self.keyless, self.readOnly, self.words) = (keyless, readOnly, words)
    }

    func write(to json: inout JSONText) {
        for (name, text) in words { json.field(name, text) }
        json.field("fixed", fixed)
    }
}
