import CLanguages

/// A language that the gateway speaks: a file of `Sources/Languages/Texts`, and its line in `languages.c`.
public struct Language: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// In the order in which people choose from them.
    public static let allCases: [Language] = sequence(state: 0) { place in
        defer { place += 1 }
        return language_file_at(place)?.pointee
    }.map { Language(named: String(cString: $0.name)) }
    public static let english = Language(named: "en")

    /// Its BCP 47 name, which is also its file's.
    public let rawValue: String

    /// - Returns: nil if there is no such file.
    public init?(rawValue: String) {
        guard Self.allCases.contains(Language(named: rawValue)) else { return nil }
        self.rawValue = rawValue
    }

    private init(named name: String) { rawValue = name }

    /// The language's file in UTF-8, as a translator wrote it.
    public var file: [UInt8] {
        guard let place = Self.allCases.firstIndex(of: self), let file = language_file_at(place)?.pointee
        else { return [] }
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
    }

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
        var book = Phrasebook.of(self)
        book.units = units
        return book
    }
}
