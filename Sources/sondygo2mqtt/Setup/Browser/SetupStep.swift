import Gateway
import GatewayReports

/// A step of the page's setup: a question, with those that belong to it.
struct SetupStep {
    /// A text that the user types.
    struct Field {
        let question: SetupQuestion
        var isSecret: Bool { question == .password }
    }

    let question: SetupQuestion
    /// The answers that the user may touch, with their titles.
    let choices: [(value: String, title: String)]
    let fields: [Field]
    /// The gateway looks for answers on this box and around it.
    let isSearched: Bool

    /// The steps, in the order in which the page offers them.
    static func all(_ texts: SetupPageTexts) -> [SetupStep] {
        let yesOrNo = [("yes", texts.yes), ("no", texts.no)]
        return [
            SetupStep(.language, Language.allCases.map { ($0.rawValue, $0.phrasebook.name) }),
            SetupStep(.receiver, [("first", texts.firstReceiver)], [.receiver], isSearched: true),
            SetupStep(.place, [("gps", texts.gps)], [.place], isSearched: true),
            SetupStep(.site, [(SetupQuestion.none, texts.noSite)], [.site], isSearched: true),
            SetupStep(.broker, [], [.broker, .user, .password], isSearched: true),
            SetupStep(.id, [], [.id]),
            SetupStep(.roads, yesOrNo),
            SetupStep(.route, yesOrNo),
            SetupStep(.tablets, yesOrNo),
            SetupStep(.callSign, [(SetupQuestion.none, texts.noCallSign)], [.callSign]),
        ]
    }

    private init(
        _ question: SetupQuestion, _ choices: [(value: String, title: String)], _ fields: [SetupQuestion] = [],
        isSearched: Bool = false
    ) {
        self.question = question
        self.choices = choices
        self.fields = fields.map { Field(question: $0) }
        self.isSearched = isSearched
    }
}

extension SetupQuestion {
    /// Its name in the page's requests. The page sends the password itself, so it has another name than the flag.
    var pageName: String { self == .password ? "mqtt-password" : rawValue }

    static func named(_ pageName: String) -> SetupQuestion? { allCases.first { $0.pageName == pageName } }
}
