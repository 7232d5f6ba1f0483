import Testing

@testable import GatewayReports

/// A translator without Swift can rely on these rules: the English file has the keys, and no text needs more.
@Suite struct LanguageFileTests {
    /// The texts but for the page's, of which `Tests/Page/languages.test.js` proves the same.
    private static func texts(_ language: Language) -> [String: Template] {
        LanguageTexts(String(decoding: language.file, as: UTF8.self), without: ["page", "board"]).templates
    }

    private static let english = texts(.english)

    /// The key without the words that each language adds as it needs them: `time.one` is `time`, and `direction.at.north`
    /// is `direction.north`. `tuning.at` is `tuning`, because the English file has no such key.
    private static func base(_ key: String) -> String {
        var words = key.split(separator: ".").map(String.init)
        while let last = words.last, ["1", "one", "few", "many", "vowel", "here"].contains(last), key != "place.here" {
            words.removeLast()
        }
        let whole = words.joined(separator: ".")
        let plain = ([words[0]] + words.dropFirst(2)).joined(separator: ".")
        func isEnglish(_ key: String) -> Bool { english.keys.contains { $0 == key || $0.hasPrefix(key + ".") } }
        let isForm = words.count > 2 ? isEnglish(plain) : english[words[0]] != nil && !isEnglish(whole)
        return isForm ? plain : whole
    }

    private static func values(_ parts: [Template.Part]) -> Set<String> {
        parts.reduce(into: []) { names, part in
            switch part {
            case .text: break
            case .value(let name, _): names.insert(name)
            case .optional(let parts): names.formUnion(values(parts))
            }
        }
    }

    private static func length(_ parts: [Template.Part]) -> Int {
        parts.reduce(0) { sum, part in
            switch part {
            case .text(let text): sum + text.count
            case .value: sum + 5
            case .optional(let parts): sum + length(parts)
            }
        }
    }

    @Test(arguments: Language.allCases) func everyLineIsReadable(_ language: Language) {
        let texts = LanguageTexts(String(decoding: language.file, as: UTF8.self))
        #expect(texts.faults.isEmpty, "\(texts.faults)")
        #expect(texts.decimal.count == 1)
    }

    @Test(arguments: Language.allCases) func theKeysAreThoseOfTheEnglishFile(_ language: Language) {
        let keys = Set(Self.texts(language).keys.map(Self.base))
        let all = Set(Self.english.keys.map(Self.base))
        #expect(keys == all, "missing: \(all.subtracting(keys).sorted()), too many: \(keys.subtracting(all).sorted())")
    }

    /// Each text has the English text's values. A text for exactly one thing may say "one"; `{reason}` is `{why}` in the
    /// language's own words.
    @Test(arguments: Language.allCases) func everyTextHasTheValues(_ language: Language) {
        for (key, template) in Self.texts(language) {
            let base = Self.base(key)
            let wanted = Self.english.filter { Self.base($0.key) == base }.reduce(into: Set<String>()) {
                $0.formUnion(Self.values($1.value.parts))
            }
            let free = Set(["n", "reason", "why"] + (key.hasSuffix(".1") ? ["hour"] : []))
            let has = Self.values(template.parts)
            #expect(has.isSubset(of: wanted.union(["reason"])), "\(language) \(key)")
            if !["place", "side"].contains(key.split(separator: ".").first), key != "status" {
                let needed = key.hasSuffix(".here") ? wanted.subtracting(["place"]) : wanted
                #expect(needed.subtracting(free).subtracting(has).isEmpty, "\(language) \(key)")
            }
            if wanted.contains("n"), !key.hasSuffix(".1"), !key.hasSuffix(".0") {
                #expect(has.contains("n"), "\(language) \(key)")
            }
        }
    }

    /// A text may be longer than the English one, but no story: a voice says it while the crew drives.
    @Test(arguments: Language.allCases) func noTextIsMuchLonger(_ language: Language) {
        for (key, template) in Self.texts(language) {
            guard let original = Self.english[key] else { continue }
            let room = max(48, Self.length(original.parts) * 2)
            #expect(Self.length(template.parts) <= max(room, key == "store_replaced" ? 100 : 0), "\(language) \(key)")
        }
    }

    @Test func templates() throws {
        #expect(
            try Template("a {b}[, {c.d}]~e").parts == [
                .text("a "), .value(name: "b", form: nil),
                .optional([.text(", "), .value(name: "c", form: "d")]), .text("\u{A0}e"),
            ])
        for text in ["{", "a }", "[a", "a]", "[a [b]]", "{}", "{a{b}}", "{[a]}"] {
            #expect(throws: Template.Fault.self, "\(text)") { try Template(text) }
        }
    }

    @Test func faultsAreTold() {
        let texts = LanguageTexts(
            "# a\nkey text\nplural = klingon\npace = fast\na = b\na = c\nd = {\ne =\npage.f = {", without: ["page"])
        #expect(texts.faults == ["key text", "plural = klingon", "pace = fast", "a = c", "d = {"])
        #expect(texts.templates.keys.sorted() == ["a", "e"])
    }

    /// The most exact text is used: for the number, then its plural, then the plain one; with a word and a form before
    /// those without.
    @Test func theTextThatFitsBest() {
        let book = Phrasebook(
            """
            plural = polish
            decimal = ,
            a = {n} plain
            a.one = {n} one
            a.few = {n} few
            a.many = {n} many
            a.2 = two
            a.word = word
            a.of.word.few = few of a word
            b = {x.of} and {x}[, {y}]
            """)
        let said = [0, 1, 2, 3, 5, 12, 21, 22, 104, 112].map { book.text(Phrase("a", n: SpokenNumber($0))) }
        #expect(
            said == [
                "0 many", "1 one", "two", "3 few", "5 many", "12 many", "21 many", "22 few", "104 few", "112 many",
            ])
        #expect(book.text(Phrase("a", n: SpokenNumber(1.5, step: 100))) == "1,5 plain")
        let part = Phrase("a", "word", "more", n: SpokenNumber(3))
        #expect(book.text(part) == "word")
        #expect(book.text(Phrase("b", values: ["x": .phrase(part)])) == "few of a word and word")
        #expect(book.text(Phrase("b", values: ["x": .phrase(part), "y": .text("z")])) == "few of a word and word, z")
        #expect(book.text(Phrase("c")).isEmpty)
    }

    @Test(arguments: [
        (3.4, 100, "3,4"), (3, 100, "3"), (404.005, 1, "404,005"), (405.12, 1, "405,12"), (-2, 1000, "2"),
        (.nan, 1000, "0"), (.infinity, 1, "0"), (12.6, 1000, "13"),
    ])
    func numbers(_ value: Double, step: Int, text: String) {
        #expect(SpokenNumber(value, step: step).text(",") == text)
    }

    @Test func thePluralOfFrenchBeginsWithTwo() {
        let forms = [0, 1, 1.9, 2, 3].map { PluralRule.french.form(of: SpokenNumber($0, step: 100)) }
        #expect(forms == ["one", "one", "one", nil, nil])
    }
}
