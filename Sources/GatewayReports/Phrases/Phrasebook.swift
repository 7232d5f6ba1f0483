public import FlightMath

/// Makes the sentences for announcements in one language.
///
/// Another language is a file like ``English``, its case in ``Language``, and its row in the tests' table.
public protocol Phrasebook: Sendable {
    /// One sentence or two in the present tense, fit to be read aloud.
    /// - Parameter car: where the crew is, from where places are described; nil if unknown.
    func sentence(for announcement: Announcement, from car: CarPosition?) -> String

    /// `New sonde V4210150`
    /// - Parameter isFirst: no sonde was followed before.
    func sonde(_ name: String, isFirst: Bool) -> String

    /// The sentence as a voice says it: without facts that only a reader needs, and with serials spelled.
    func speech(for announcement: Announcement, from car: CarPosition?) -> String
}

extension Phrasebook {
    /// `V 8, 9 6, 7 7, 3 2`: a voice would read the digits as one number of eight million.
    func spelled(_ name: String) -> String {
        let characters = name.filter { $0.isLetter || $0.isNumber }.map(String.init)
        return stride(from: 0, to: characters.count, by: 2)
            .map { characters[$0..<min($0 + 2, characters.count)].joined(separator: " ") }.joined(separator: ", ")
    }
}
