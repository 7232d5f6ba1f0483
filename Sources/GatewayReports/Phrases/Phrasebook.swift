public import FlightMath

/// Says in one language what the gateway announces.
///
/// Another language is a file like ``English``, its case in ``Language``, and its row in the tests' table.
public protocol Phrasebook: Sendable {
    /// One sentence or two in the present tense, fit to be read aloud.
    /// - Parameter car: where the crew is, from where places are described; nil if unknown.
    func sentence(for announcement: Announcement, from car: CarPosition?) -> String
}
