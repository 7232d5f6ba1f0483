/// The launch site that SondeHub is asked for, as a choice of the configuration or of a command.
struct ChosenSite: RawRepresentable, Equatable, Sendable {
    /// The site's number, or ``none``.
    let rawValue: String

    static let none = "none"

    init(rawValue: String) { self.rawValue = rawValue }

    init(_ site: String?) { rawValue = site ?? Self.none }

    /// The site's number; nil for no site.
    var number: String? { rawValue == Self.none ? nil : rawValue }
}
