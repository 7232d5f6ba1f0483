public import ReceiverProtocol

/// The tunings that the search steps through.
public enum SearchPlan: Equatable, Sendable {
    /// No search, unless a command begins one.
    case off
    /// The tunings of the sondes around, then the launch site's.
    case sondes
    /// These tunings, after those of the sondes around and before the launch site's.
    case list([Tuning])
}

extension SearchPlan {
    /// The most configured tunings.
    private static let mostTunings = 16

    /// Reads `sondes`, or tunings: `403.5 RS41, 404.2 M20`. Nil for anything else.
    public init?(_ text: String) {
        if text == "sondes" {
            self = .sondes
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let tunings = parts.compactMap { part -> Tuning? in
            let words = part.split(separator: " ")
            guard words.count == 2, let frequency = Double(words[0]) else { return nil }
            return Tuning(frequencyMHz: frequency, sondeType: SondeType(name: words[1].uppercased()))
        }
        guard !tunings.isEmpty, tunings.count == parts.count, tunings.count <= Self.mostTunings else { return nil }
        self = .list(tunings)
    }

    var listed: [Tuning] {
        switch self {
        case .off, .sondes: []
        case .list(let tunings): tunings
        }
    }
}
