import Languages

/// The languages that the gateway speaks, by their BCP 47 names. Each is a file of `Sources/Languages/Texts`.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case italian = "it"

    /// The language's file in UTF-8, as the page reads it.
    public var file: [UInt8] { LanguageFile.all[rawValue] ?? [] }

    public var phrasebook: Phrasebook { Phrasebook.of(self) }
}
