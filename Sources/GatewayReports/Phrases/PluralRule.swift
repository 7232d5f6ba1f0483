/// Which numbers take which plural, named for a language that has the rule (Unicode CLDR). The plain text of a key is for
/// all other numbers.
enum PluralRule: String, CaseIterable, Sendable {
    case english, french, polish

    /// `one`, `few` or `many`; nil for the plain text.
    func form(of number: SpokenNumber) -> String? {
        switch self {
        case .english: number.whole == 1 ? "one" : nil
        case .french: number.thousandths < 2000 ? "one" : nil
        case .polish: number.whole.map(Self.polishForm)
        }
    }

    private static func polishForm(_ whole: Int) -> String {
        switch (whole, whole % 10, whole % 100) {
        case (1, _, _): "one"
        case (_, 2...4, let hundreds) where !(12...14).contains(hundreds): "few"
        default: "many"
        }
    }
}
