/// Something to say, before any language and units: the key of its text, and its values.
struct Phrase: Equatable, Sendable {
    enum Value: Equatable, Sendable {
        case text(String)
        case number(SpokenNumber)
        indirect case phrase(Phrase)
        /// The phrasebook's units make it a number with a unit.
        case quantity(Quantity)
    }

    /// `burst`
    var key: String
    /// The languages that have a text for these words behind the key use it: `status.arrival.about`, `town.vowel`.
    var words: [String]
    /// Chooses the plural. The text calls it `{n}`.
    var number: SpokenNumber?
    var values: [String: Value] = [:]

    init(_ key: String, _ words: String?..., n number: SpokenNumber? = nil, values: [String: Value?] = [:]) {
        self.key = key
        self.words = words.compactMap { $0 }
        self.number = number
        self.values = values.compactMapValues { $0 }
    }

    /// The keys to look for, the one with the most words first.
    /// - Parameter form: of the place where the phrase stands in another.
    func keys(form: String?) -> [String] {
        (form.map { Self.keys("\(key).\($0)", words[...]) } ?? []) + Self.keys(key, words[...])
    }

    private static func keys(_ key: String, _ words: ArraySlice<String>) -> [String] {
        guard let word = words.first else { return [key] }
        return keys("\(key).\(word)", words.dropFirst()) + keys(key, words.dropFirst())
    }
}

extension Phrase.Value {
    /// Nil while the value is unknown.
    static func ifKnown(_ text: String?) -> Self? { text.map { .text($0) } }

    /// Nil while the value is unknown.
    static func ifKnown(_ phrase: Phrase?) -> Self? { phrase.map { .phrase($0) } }

    static func distance(_ metres: Double) -> Self { .quantity(.distance(metres)) }
}
