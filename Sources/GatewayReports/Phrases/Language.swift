/// The languages that the gateway speaks, by their BCP 47 names.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case italian = "it"

    public var phrasebook: any Phrasebook {
        switch self {
        case .english: English()
        case .german: German()
        case .french: French()
        case .italian: Italian()
        }
    }
}
