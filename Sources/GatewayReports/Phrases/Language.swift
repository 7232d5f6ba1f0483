/// The languages that the gateway speaks, by their BCP 47 names.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"

    public var phrasebook: any Phrasebook {
        switch self {
        case .english: English()
        }
    }
}
