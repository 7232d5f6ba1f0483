import Foundation
import GatewayReports
import TestSupport
import Testing

/// Files outside the program that list the languages name all of them, and no others.
@Suite struct ListedLanguagesTests {
    private static let languages = Language.allCases.map(\.rawValue)

    @Test func eachFileIsALanguage() throws {
        let folder = Fixtures.url("Sources/Languages/Texts").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.sorted() == Self.languages.map { "\($0).txt" }.sorted())
        #expect(Language.allCases.allSatisfy { $0.file.count > 10_000 })
        // The page's HTML has them between quotes, with blanks and commas between.
        for name in Language.allCases.map(\.phrasebook.name) { #expect(name.allSatisfy { $0.isLetter }, "\(name)") }
        #expect(Set(Language.allCases.map(\.phrasebook.name)).count == Self.languages.count)
        #expect(Language(rawValue: "xx") == nil)
    }

    /// The one list that people read names each language with its code in parentheses.
    @Test func theDocumentationListsEachLanguage() throws {
        let text = try Fixtures.text("deploy/doc/page.md")
        let sentence = try #require(text.firstMatch(of: /The page speaks [^:]*:/)?.output)
        #expect(sentence.matches(of: /\(`(\w+)`\)/).map { String($0.output.1) } == Self.languages)
    }
}
