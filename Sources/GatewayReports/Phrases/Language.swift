import Languages

/// The languages that the gateway speaks, by their BCP 47 names. Each is a file of `Sources/Languages/Texts`.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case italian = "it"

    /// The language's file in UTF-8, as a translator wrote it.
    public var file: [UInt8] { LanguageFile.all[rawValue] ?? [] }

    /// The lines of ``file`` that the page and the board read, as they stand there: their texts, the plural's rule and
    /// the sign before the tenths. The rest would hold up a page's first numbers on a slow line.
    public var linesForPage: [UInt8] {
        let read: Set = ["page", "board", "plural", "decimal"]
        let lines = file.split(separator: UInt8(ascii: "\n")).filter { line in
            read.contains(String(decoding: line.prefix { $0 >= UInt8(ascii: "a") }, as: UTF8.self))
        }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    }

    /// With metric units.
    public var phrasebook: Phrasebook { Phrasebook.of(self) }

    public func phrasebook(in units: Units) -> Phrasebook {
        var book = phrasebook
        book.units = units
        return book
    }
}
