import FoundationEssentials
import Yams

/// The YAML file, taken apart into keys with their places.
///
/// Yams is used directly: swift-configuration's YAML snapshot tells neither which keys the file holds nor where, and
/// an unknown key is to be refused with its line.
struct ConfigurationFile {
    /// A value and where it stands.
    struct Entry {
        /// Nil for YAML's null.
        var text: String?
        var line: Int
        /// The text is a list's items, with commas between.
        var isList = false
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var problems: [String] = []
    private let path: String

    private static let maximumLength = 1_000_000

    /// - Parameter path: problems name it.
    init(path: String) {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            problems.append("\(path): can't be read; give another with --config")
            return
        }
        guard data.count <= Self.maximumLength, let text = String(validating: data, as: UTF8.self) else {
            problems.append("\(path): not UTF-8 text of at most \(Self.maximumLength) bytes")
            return
        }
        do {
            guard let root = try compose(yaml: text) else { return }  // An empty file: all defaults.
            collect(root, prefix: "")
        } catch let error as YamlError {
            problems.append("\(path): not valid YAML: \(Self.firstLine(of: error))")
        } catch {
            problems.append("\(path): not valid YAML")
        }
    }

    private mutating func collect(_ node: Node, prefix: String) {
        let line = node.mark?.line ?? 0
        switch node {
        case .mapping(let mapping):
            for (key, value) in mapping {
                let name = key.string ?? "?"
                collect(value, prefix: prefix.isEmpty ? name : "\(prefix).\(name)")
            }
        case .scalar(let scalar):
            let isNull = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            guard !prefix.isEmpty else {
                if !isNull { problems.append("\(path):\(line): the file: not a mapping of sections and keys") }
                return
            }
            add(prefix, Entry(text: isNull ? nil : scalar.string, line: line))
        case .sequence(let sequence):
            let items = sequence.map { $0.scalar?.string ?? "" }
            guard !prefix.isEmpty else {
                problems.append("\(path):\(line): the file: a list is not accepted here")
                return
            }
            guard !items.contains(where: { $0.contains(",") }) else {
                problems.append("\(path):\(line): \(prefix): an item with a comma is not accepted")
                return
            }
            add(prefix, Entry(text: items.joined(separator: ","), line: line, isList: true))
        case .alias: problems.append("\(path):\(line): \(prefix): an alias is not accepted")
        }
    }

    private mutating func add(_ key: String, _ entry: Entry) {
        // A section that is left empty says nothing.
        if entry.text == nil, ConfigurationKey.all.contains(where: { $0.path.hasPrefix(key + ".") }) { return }
        if entries.updateValue(entry, forKey: key) != nil {
            problems.append("\(path):\(entry.line): \(key): given twice")
        }
    }

    private static func firstLine(of error: YamlError) -> String {
        "\(error)".split(separator: "\n").first.map { String($0) } ?? "\(error)"
    }
}
