import Foundation
import GatewayReports
import TestSupport
import Testing

/// Files outside the program that list the languages name all of them, and no others.
@Suite struct ListedLanguagesTests {
    private static let languages = Language.allCases.map(\.rawValue)

    @Test func thePageOffersEachLanguage() throws {
        let script = try Fixtures.text("deploy/page/shared/language.js")
        let names = try #require(script.firstMatch(of: /export const names = \{([^}]*)\}/)?.output.1)
        #expect(names.matches(of: /(\w+): '/).map { String($0.output.1) } == Self.languages)
    }

    @Test func eachFileIsALanguage() throws {
        let folder = Fixtures.url("Sources/Languages/Texts").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == Self.languages.map { "\($0).txt" }.sorted())
        #expect(Language.allCases.allSatisfy { $0.file.count > 10_000 })
    }

    /// The page before its start, and without JavaScript.
    @Test(arguments: Language.allCases) func thePageBeginsInEachLanguage(_ language: Language) throws {
        let page = try Fixtures.text("deploy/page/index.html")
        #expect(page.components(separatedBy: "<p lang=\"\(language.rawValue)\">").count - 1 == 2)
    }

    /// The one list that people read names each language with its code in parentheses.
    @Test func theDocumentationListsEachLanguage() throws {
        let text = try Fixtures.text("deploy/doc/page.md")
        let sentence = try #require(text.firstMatch(of: /The page speaks [^:]*:/)?.output)
        #expect(sentence.matches(of: /\(`(\w+)`\)/).map { String($0.output.1) } == Self.languages)
    }
}
