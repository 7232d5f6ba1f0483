import GatewayReports

/// What the page's HTML files say in all languages. The gateway puts it in when it serves them, because nothing has
/// chosen a language yet.
enum LanguagePlaces {
    /// The file with its places filled in.
    static func filled(_ html: String) -> String {
        html.replacing("<!-- The languages. -->", with: "<meta name=\"languages\" content=\"\(names)\">")
            .replacing("<!-- The page is starting. -->", with: paragraphs(\.starting))
            .replacing("<!-- The page needs JavaScript. -->", with: paragraphs(\.needsJavaScript))
    }

    /// A paragraph in each language.
    static func paragraphs(_ sentence: (Phrasebook) -> String) -> String {
        Language.allCases.map { "<p lang=\"\($0.rawValue)\">\(sentence($0.phrasebook))</p>" }.joined(separator: "\n")
    }

    /// A word in each language, with dots between.
    static func words(_ word: (Phrasebook) -> String) -> String {
        Language.allCases.map { "<span lang=\"\($0.rawValue)\">\(word($0.phrasebook))</span>" }.joined(separator: " · ")
    }

    /// `en English, de Deutsch`
    private static let names = Language.allCases.map { "\($0.rawValue) \($0.phrasebook.name)" }.joined(separator: ", ")
}
