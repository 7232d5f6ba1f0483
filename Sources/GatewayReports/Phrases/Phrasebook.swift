public import FlightMath
import Synchronization

/// All words of one language that the gateway itself says: the sentences for announcements, Home Assistant's names, and
/// what a browser without the page's key shows. They stand in the language's file.
public struct Phrasebook: Sendable {
    let texts: LanguageTexts
    /// The units of distances, heights and speeds.
    var units = Units.metric

    private static let read = Mutex<[Language: Phrasebook]>([:])

    /// The phrasebook of a language. Its file is read once.
    static func of(_ language: Language) -> Phrasebook {
        read.withLock { books in
            if let book = books[language] { return book }
            let book = Phrasebook(String(decoding: language.file, as: UTF8.self))
            books[language] = book
            return book
        }
    }

    /// - Parameter file: the text of a language's file.
    init(_ file: String) { texts = LanguageTexts(file, without: ["page", "board"]) }

    /// One sentence or two in the present tense, fit to be read aloud.
    /// - Parameter car: where the crew is, from where places are described; nil if unknown.
    public func sentence(for announcement: Announcement, from car: CarPosition?) -> String {
        text(announcement.phrase(from: car))
    }

    /// `New sonde V4210150`
    /// - Parameter isFirst: no sonde was followed before.
    func sonde(_ name: String, isFirst: Bool) -> String {
        let sentence = text(Phrase("sonde_changed", isFirst ? "first" : nil, values: ["name": .text(name)]))
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    /// The language's own name: `Deutsch`
    public var name: String { text(Phrase("name")) }

    /// What Home Assistant calls the device, before the gateway's id.
    public var deviceName: String { text(Phrase("device")) }

    /// Home Assistant's choice that ends the hunt of one sonde. It has lower-case letters, because no serial has, and no
    /// apostrophe, because it stands between two in a template.
    public var newest: String { text(Phrase("newest")) }

    /// The name of a Home Assistant entity.
    public func name(ofEntity key: String) -> String { text(Phrase("entity.\(key)")) }

    /// What a Home Assistant entity shows for a code.
    /// - Parameter group: `state`, `phase`, `source` or `method`.
    public func word(for code: String, of group: String) -> String { text(Phrase("value.\(group).\(code)")) }

    /// A text of `setup`, which asks in a terminal.
    public func setup(_ key: String, _ values: [String: String] = [:]) -> String {
        text(Phrase("setup.\(key)", values: values.mapValues { .text($0) }))
    }

    /// A text of `setup` on the page; empty if there is none.
    public func text(ofSetupPage key: String) -> String { text(Phrase("setup_page.\(key)")) }

    /// Tells a person what to do if the page does not start, in HTML.
    public var starting: String { text(Phrase("locked.starting")) }

    /// Tells a person to switch JavaScript on, in HTML.
    public var needsJavaScript: String { text(Phrase("locked.needs_javascript")) }

    /// Tells a person where the page's key is, in HTML. Only root may read its file, so `doctor` needs `sudo` there.
    public var keyNeeded: String { text(Phrase("locked.key_needed")) }

    /// The name of the field for the page's key.
    public var key: String { text(Phrase("locked.key")) }
}

extension Phrasebook {
    /// The phrase in this language; empty if the language has no text for it.
    /// - Parameter form: of the place where the phrase stands in another.
    func text(_ phrase: Phrase, form: String? = nil) -> String {
        template(for: phrase, form: form).map { text($0.parts, of: phrase) } ?? ""
    }

    private func template(for phrase: Phrase, form: String?) -> Template? {
        let number = phrase.number
        let endings = [number?.whole.map { ".\($0)" }, number.flatMap(texts.plural.form).map { ".\($0)" }, ""]
        for key in phrase.keys(form: form) {
            for case let ending? in endings {
                if let template = texts.templates[key + ending] { return template }
            }
        }
        return nil
    }

    private func text(_ parts: [Template.Part], of phrase: Phrase) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let name, let form): text(ofValue: name, form, of: phrase) ?? ""
            case .optional(let parts): isKnown(parts, of: phrase) ? text(parts, of: phrase) : ""
            }
        }.joined()
    }

    private func isKnown(_ parts: [Template.Part], of phrase: Phrase) -> Bool {
        parts.allSatisfy { part in
            if case .value(let name, let form) = part { return text(ofValue: name, form, of: phrase) != nil }
            return true
        }
    }

    /// Nil if the value is unknown.
    private func text(ofValue name: String, _ form: String?, of phrase: Phrase) -> String? {
        if name == "n", let number = phrase.number { return number.text(texts.decimal) }
        return phrase.values[name].map { text(of: $0, form) }
    }

    func text(of value: Phrase.Value, _ form: String? = nil) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): number.text(texts.decimal)
        case .phrase(let part): text(part, form: form)
        case .quantity(let quantity): text(of: quantity.value(in: units), form)
        }
    }
}

extension Phrasebook {
    /// `V 8, 9 6, 7 7, 3 2`: a voice would read the digits as one number of eight million.
    func spelled(_ name: String) -> String {
        let characters = name.filter { $0.isLetter || $0.isNumber }.map(String.init)
        return stride(from: 0, to: characters.count, by: 2)
            .map { characters[$0..<min($0 + 2, characters.count)].joined(separator: " ") }.joined(separator: ", ")
    }
}
