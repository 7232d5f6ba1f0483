import Yams

/// The keys and values of the YAML file, with their lines.
///
/// The gateway refuses an unknown key or a wrong type with its line. swift-configuration's YAML snapshot does not list
/// the keys, lines and types, so this uses Yams directly.
struct ConfigurationFile {
    enum Value {
        case scalar(YAMLScalar)
        case list([YAMLScalar])
    }

    /// A key, its value and its line.
    struct Entry {
        var key: String
        var value: Value
        var line: Int
    }

    /// The key whose value is a list of sections. Their keys are `alerts.1.url`, `alerts.2.url`, …
    static let entryList = "alerts"

    private(set) var entries: [Entry] = []
    /// Lines count from 1; nil if the problem has none.
    private(set) var problems: [(line: Int?, text: String)] = []
    private let path: String

    /// - Parameter path: the file's path.
    init(path: String) {
        self.path = path
        switch ConfigurationText.read(path) {
        case .failure(let fault): problems.append((nil, fault.text))
        case .success(let text): parse(text)
        }
    }

    private mutating func parse(_ text: String) {
        // Yams expands aliases, and with them a few lines can become gigabytes.
        if let (name, line) = YAMLAliases.first(in: text) {
            return problems.append((line, "an alias (*\(name)) is not accepted; write the value out"))
        }
        if let odd = OddCharacter.first(in: text) { return problems.append((odd.line, odd.text)) }
        do {
            guard let root = try compose(yaml: text) else { return }  // The file is empty.
            collect(root, key: "")
        } catch let error as YamlError {
            let fault = YAMLFault(error, in: text)
            problems.append((fault.line, fault.text))
        } catch {
            problems.append((nil, "not valid YAML"))
        }
    }

    private mutating func collect(_ node: Node, key: String) {
        let line = node.mark?.line ?? 1
        switch node {
        case .mapping(let mapping):
            if mapping.isEmpty, !key.isEmpty, !ConfigurationKey.isSection(key) {
                let isKey = ConfigurationKey.named(key) != nil
                refuse(key, at: line, because: isKey ? "{} is not accepted; give a value" : KeySuggestion.unknown(key))
            }
            for (name, value) in mapping {
                guard let name = name.scalar?.string else {
                    refuse(key, at: name.mark?.line ?? line, because: "only a name can be a key")
                    continue
                }
                collect(value, key: key.isEmpty ? name : "\(key).\(name)")
            }
        case .scalar(let scalar):
            let value = YAMLScalar(scalar.string, isPlain: scalar.style == .plain)
            guard Self.isUntagged(scalar) else { return refuse(key, at: line, because: "a tag is not accepted") }
            if key == Self.entryList, value.kind == .null { return }
            guard !key.isEmpty, !ConfigurationKey.isSection(key) else {
                // An empty section is allowed.
                if value.kind != .null { refuseAsSection(key, at: line, shown: value.shown) }
                return
            }
            entries.append(Entry(key: key, value: .scalar(value), line: line))
        case .sequence(let sequence) where key == Self.entryList:
            for (index, entry) in sequence.enumerated() {
                guard case .mapping(let mapping) = entry, !mapping.isEmpty else {
                    refuse(key, at: entry.mark?.line ?? line, because: "give entries with keys, url: https://…")
                    continue
                }
                collect(entry, key: "\(key).\(index + 1)")
            }
        case .sequence(let sequence):
            guard !key.isEmpty, !ConfigurationKey.isSection(key) else {
                return refuseAsSection(key, at: line, shown: "a list")
            }
            let items = sequence.compactMap { $0.scalar.map { YAMLScalar($0.string, isPlain: $0.style == .plain) } }
            guard items.count == sequence.count else {
                return refuse(key, at: line, because: "a list or section within a list is not accepted")
            }
            guard !items.contains(where: { $0.text.contains(",") }) else {
                return refuse(key, at: line, because: "an item with a comma is not accepted")
            }
            entries.append(Entry(key: key, value: .list(items), line: line))
        case .alias: refuse(key, at: line, because: "an alias is not accepted; write the value out")
        }
    }

    /// Whether the value has no tag `!…` in the file. Yams itself tags a quoted text as a text.
    private static func isUntagged(_ scalar: Node.Scalar) -> Bool {
        let tag = scalar.tag.description
        return tag.isEmpty || tag == "!" || (scalar.style != .plain && tag == Tag.Name.str.rawValue)
    }

    private mutating func refuse(_ key: String, at line: Int, because text: String) {
        problems.append((line, "\(key.isEmpty ? "the file" : key): \(text)"))
    }

    private mutating func refuseAsSection(_ key: String, at line: Int, shown: String) {
        let advice = key.isEmpty ? "give sections with keys" : "it is a section; give its keys below it"
        refuse(key, at: line, because: "\(shown) is not accepted here; \(advice)")
    }
}
