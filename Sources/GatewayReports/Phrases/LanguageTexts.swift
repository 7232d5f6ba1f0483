/// The texts of a language's file, by key. Lines without a meaning, and texts that are no template, are left out and told
/// in ``faults``.
struct LanguageTexts: Sendable {
    private(set) var templates: [String: Template] = [:]
    /// The rule's name, the sign before the tenths and the pace stand in the file like texts.
    private(set) var plural = PluralRule.english
    private(set) var decimal = "."
    /// How long a voice takes, as a multiple of ``SpokenLength``.
    private(set) var pace = 1.0
    /// The faulty lines. A test sees to it that the program's own files have none.
    private(set) var faults: [String] = []

    /// - Parameter groups: the first words of keys that are not wanted.
    init(_ file: String, without groups: Set<Substring> = []) {
        for line in file.split(separator: "\n") where !line.isEmpty && !line.hasPrefix("#") {
            guard let sign = line.firstRange(of: " =") else {
                faults.append(String(line))
                continue
            }
            let key = line[..<sign.lowerBound]
            let text = line[sign.upperBound...].drop { $0 == " " }
            if let group = key.split(separator: ".").first, groups.contains(group) { continue }
            keep(String(text), under: String(key), of: line)
        }
    }

    private mutating func keep(_ text: String, under key: String, of line: Substring) {
        switch key {
        case "decimal": decimal = text
        case "pace":
            if let number = Double(text), (0.5...2).contains(number) {
                pace = number
            } else {
                faults.append(String(line))
            }
        case "plural":
            if let rule = PluralRule(rawValue: text) { plural = rule } else { faults.append(String(line)) }
        default:
            if templates[key] == nil, let template = try? Template(text) {
                templates[key] = template
            } else {
                faults.append(String(line))
            }
        }
    }
}
