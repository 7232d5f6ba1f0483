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
    let words: [(key: String, value: String)]

    private static let words = [
        "heading", "demo", "next", "looking", "again", "testing", "waits", "restart", "restarting", "run", "done",
    ]

    init(_ language: Language) {
        let book = language.phrasebook
        let all = { (part: String) in
            let texts = SetupQuestion.allCases.map { ($0, book.text(ofSetupPage: "\(part).\($0)")) }
            return Dictionary(uniqueKeysWithValues: texts.filter { !$0.1.isEmpty })
        }
        let text = { (key: String) in book.text(ofSetupPage: key) }
        (titles, questions, labels) = (all("titles"), all("questions"), all("labels"))
        (yes, no, firstReceiver, gps) = (text("yes"), text("no"), text("firstReceiver"), text("gps"))
        (noSite, noCallSign, connected) = (text("noSite"), text("noCallSign"), text("connected"))
        (cable, answers, silent) = (text("cable"), text("answers"), text("silent"))
        (placeFirst, fixed) = (text("placeFirst"), text("fixed"))
        (keyless, readOnly) = (text("keyless"), text("readOnly"))
        words = Self.words.map { (key: $0, value: text("words.\($0)")) }
    }

    func write(to json: inout JSONText) {
        for (name, text) in words { json.field(name, text) }
        json.field("fixed", fixed)
    }
}
