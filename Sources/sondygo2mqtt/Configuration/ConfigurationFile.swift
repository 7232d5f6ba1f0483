import Yams

/// The YAML file, taken apart into keys with their places.
///
/// Yams is used directly: swift-configuration's YAML snapshot tells neither which keys the file holds nor where nor of
/// which type a value is, and an unknown key or a wrong type is to be refused with its line.
struct ConfigurationFile {
    enum Value {
        case scalar(YAMLScalar)
        case list([YAMLScalar])
    }

    /// A value and where it stands.
    struct Entry {
        var key: String
        var value: Value
        var line: Int
    }

    private(set) var entries: [Entry] = []
    /// Lines from 1; nil where there is none.
    private(set) var problems: [(line: Int?, text: String)] = []
    private let path: String

    /// - Parameter path: problems name it.
    init(path: String) {
        self.path = path
        switch ConfigurationText.read(path) {
        case .failure(let fault): problems.append((nil, fault.text))
        case .success(let text): parse(text)
        }
    }

    private mutating func parse(_ text: String) {
        // Before Yams puts the values in their places: a few lines can stand for gigabytes.
        if let (name, line) = YAMLAliases.first(in: text) {
            return problems.append((line, "an alias (*\(name)) is not accepted; write the value out"))
        }
        do {
            guard let root = try compose(yaml: text) else { return }  // An empty file: all defaults.
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
            guard !key.isEmpty, !ConfigurationKey.isSection(key) else {
                // A section that is left empty says nothing.
                if value.kind != .null { refuseAsSection(key, at: line, shown: value.shown) }
                return
            }
            entries.append(Entry(key: key, value: .scalar(value), line: line))
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

    /// Yams gives a quoted text the tag of a text.
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
