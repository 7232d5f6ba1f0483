import Yams

/// Sets keys in the text of a configuration file. Comments and all other keys stay as they are.
struct ConfigurationEditor {
    private var lines: [String]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    var text: String { lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n" }

    /// - Parameters:
    ///   - key: `mqtt.tls.ca_file`
    ///   - value: as it stands in the file, quotes included.
    mutating func set(_ key: String, to value: String) {
        set(key.split(separator: ".").map { String($0) }[...], to: value, in: 0..<lines.count, below: -1)
    }

    /// - Parameters:
    ///   - range: the lines of the section that holds the names.
    ///   - parent: the section's own indentation; -1 for the whole file.
    private mutating func set(_ names: ArraySlice<String>, to value: String, in range: Range<Int>, below parent: Int) {
        guard let name = names.first else { return }
        let first = range.first { isContent($0) }
        let indent = first.map(indentation) ?? (parent < 0 ? 0 : parent + 2)
        let margin = String(repeating: " ", count: indent)
        guard let place = range.first(where: { indentation($0) == indent && isContent($0) && holds(name, at: $0) })
        else {
            let end = range.last { isContent($0) }.map { $0 + 1 } ?? (parent < 0 ? range.upperBound : range.lowerBound)
            return lines.insert(contentsOf: Self.block(names, value, indent: indent), at: end)
        }
        let end = (place + 1..<range.upperBound).first { isContent($0) && indentation($0) <= indent && !isItem($0) }
        let inside = place + 1..<(end ?? range.upperBound)
        if names.count == 1 {
            let last = inside.last { isContent($0) } ?? place
            lines.replaceSubrange(place...last, with: ["\(margin)\(name): \(value)"])
            return
        }
        if let content = contentBehindColon(place, name: name, indent: indent) {
            let old = content == "null" || content == "~" ? [] : Self.unfolded(content, indent: indent + 2)
            lines.replaceSubrange(place..<inside.upperBound, with: ["\(margin)\(name):"] + old)
            set(names.dropFirst(), to: value, in: place + 1..<place + 1 + old.count, below: indent)
        } else {
            set(names.dropFirst(), to: value, in: inside, below: indent)
        }
    }

    /// The names and the value, each name below the one before.
    private static func block(_ names: ArraySlice<String>, _ value: String, indent: Int) -> [String] {
        names.enumerated().map { level, name in
            let margin = String(repeating: " ", count: indent + 2 * level)
            return margin + name + (level == names.count - 1 ? ": \(value)" : ":")
        }
    }

    /// `{id: car1, log_level: debug}` as a line for each key. What is no mapping on one line stays as it is; the
    /// configuration's check refuses the result.
    private static func unfolded(_ content: String, indent: Int) -> [String] {
        guard case .mapping(let mapping)? = try? compose(yaml: content) else { return [content] }
        let block = Node.mapping(Node.Mapping(mapping.map { ($0.key, $0.value) }, .implicit, .block))
        guard let text = try? serialize(node: block) else { return [content] }
        return text.split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }
    }

    private func indentation(_ line: Int) -> Int { lines[line].prefix { $0 == " " }.count }

    private func isContent(_ line: Int) -> Bool {
        let text = lines[line].drop { $0 == " " }
        return !text.isEmpty && !text.hasPrefix("#")
    }

    private func isItem(_ line: Int) -> Bool { lines[line].drop { $0 == " " }.hasPrefix("- ") }

    private func holds(_ name: String, at line: Int) -> Bool {
        let text = lines[line].drop { $0 == " " }
        return text.hasPrefix(name + ":")
    }

    /// Nil if only a comment follows the section's name.
    private func contentBehindColon(_ line: Int, name: String, indent: Int) -> String? {
        let rest = lines[line].dropFirst(indent + name.count + 1).drop { $0 == " " }
        return rest.isEmpty || rest.hasPrefix("#") ? nil : String(rest)
    }
}
