public import FlightMath

/// All words of one language that the gateway itself says: the sentences for announcements, Home Assistant's names, and
/// what a browser without the page's key shows.
///
/// Another language is a file like ``German``, and its case and phrasebook in ``Language``.
public protocol Phrasebook: Sendable {
    /// One sentence or two in the present tense, fit to be read aloud.
    /// - Parameter car: where the crew is, from where places are described; nil if unknown.
    func sentence(for announcement: Announcement, from car: CarPosition?) -> String

    /// `New sonde V4210150`
    /// - Parameter isFirst: no sonde was followed before.
    func sonde(_ name: String, isFirst: Bool) -> String

    /// The sentence as a voice says it: without facts that only a reader needs, and with serials spelled.
    func speech(for announcement: Announcement, from car: CarPosition?) -> String

    /// What Home Assistant calls the device, before the gateway's id.
    var deviceName: String { get }

    /// Home Assistant's choice that ends the hunt of one sonde. It has lower-case letters, because no serial has, and no
    /// apostrophe, because it stands between two in a template.
    var newest: String { get }

    /// The names of Home Assistant's entities, by key. English has none here, because the maker of each entity gives the
    /// English name.
    var entityNames: [String: String] { get }

    /// Tells a person where the page's key is, in HTML. Only root may read its file, so `doctor` needs `sudo` there.
    var keyNeeded: String { get }

    /// Tells a person who gave too many wrong keys to wait, in HTML.
    var tooManyKeys: String { get }
}

extension Phrasebook {
    /// `V 8, 9 6, 7 7, 3 2`: a voice would read the digits as one number of eight million.
    func spelled(_ name: String) -> String {
        let characters = name.filter { $0.isLetter || $0.isNumber }.map(String.init)
        return stride(from: 0, to: characters.count, by: 2)
            .map { characters[$0..<min($0 + 2, characters.count)].joined(separator: " ") }.joined(separator: ", ")
    }
}
