/// Joins the page's first module with the modules that it imports into one, so that the first numbers need one request and
/// not ten: on a slow network each round of six costs 0.4 s. The source has no build step; the gateway joins it when it is
/// asked for.
///
///     drive.js                          in the joined module
///     import { el } from './dom.js';    const module2 = await (async () => {
///     export const draw = …               const { el } = module1;
///                                         const draw = …
///                                         return { draw };
///                                       })();
///
/// A module that comes later imports `dom.js` as before. It gets one of ``stubs``, which hands over what the joined module
/// made.
struct ModuleBundle {
    /// The path of the joined module.
    static let path = "first.js"

    /// The joined module.
    private(set) var text = ""
    /// What is served in place of the joined modules, by path. The root has none: nobody imports it.
    private(set) var stubs: [String: String] = [:]
    /// The paths of the joined modules, each after those that it imports.
    private(set) var members: [String] = []

    private let apart: Set<String>
    private var underWay: Set<String> = []
    private var known: [String: Source] = [:]

    private struct Source {
        var body: [Substring]
        var imports: [Import]
        var exports: [Substring]
    }

    private struct Import {
        /// `{ a, b as c }`, `* as u`, or empty.
        var names: Substring
        var path: String
    }

    /// - Parameters:
    ///   - root: the path of the first module, as `main.js`.
    ///   - apart: the paths of modules that the page loads by themselves. They must import no joined one.
    ///   - read: the text of a module by its path; nil if it is missing.
    /// - Returns: nil if a module is missing, or has a form that can't be joined: a circle of imports, `export let`,
    ///   `import.meta`.
    init?(of root: String, apart: Set<String>, read: (String) -> String?) {
        self.apart = apart
        guard add(root, read) else { return nil }
        let all = members.indices.map { "module\($0)" }.joined(separator: ", ")
        text = Self.imports(of: apart.sorted()) + text + "export { \(all) };\n"
        for (index, path) in members.enumerated() where path != root {
            let names = known[path]?.exports.joined(separator: ", ") ?? ""
            let way = String(repeating: "../", count: path.count { $0 == "/" })
            stubs[path] = """
                import { module\(index) } from '\(way.isEmpty ? "./" : way)\(Self.path)';
                export const { \(names) } = module\(index);

                """
        }
    }

    private static func imports(of paths: [String]) -> String {
        paths.map { "import * as \(name(ofApart: $0)) from './\($0)';\n" }.joined()
    }

    private static func name(ofApart path: String) -> String {
        "apart_" + String(path.map { $0.isLetter ? $0 : "_" })
    }

    /// Adds a module after those that it imports.
    private mutating func add(_ path: String, _ read: (String) -> String?) -> Bool {
        if members.contains(path) { return true }
        guard underWay.insert(path).inserted, let content = read(path), let source = Self.source(content, at: path)
        else { return false }
        for one in source.imports where !apart.contains(one.path) {
            guard add(one.path, read) else { return false }
        }
        known[path] = source
        text += "const module\(members.count) = await (async () => {\n"
        members.append(path)
        for one in source.imports {
            guard let binding = binding(one) else { return false }
            text += binding
        }
        text += source.body.map { $0 + "\n" }.joined()
        text += "return { \(source.exports.joined(separator: ", ")) };\n})();\n"
        return true
    }

    /// `const { a, b: c } = module3;`
    private func binding(_ one: Import) -> String? {
        guard !one.names.isEmpty else { return "" }
        let source: String
        if apart.contains(one.path) {
            source = Self.name(ofApart: one.path)
        } else {
            guard let index = members.firstIndex(of: one.path) else { return nil }
            source = "module\(index)"
        }
        if one.names.hasPrefix("* as ") { return "const \(one.names.dropFirst(5)) = \(source);\n" }
        return "const \(one.names.replacing(" as ", with: ": ")) = \(source);\n"
    }

    // MARK: - Reading a module

    private static func source(_ content: String, at path: String) -> Source? {
        guard !content.contains("import.meta") else { return nil }
        let folder = path.split(separator: "/").dropLast().map { String($0) }
        var source = Source(body: [], imports: [], exports: [])
        var statement: Substring?
        for line in OwnSource.withoutComments(content) {
            if let begun = statement ?? (line.hasPrefix("import ") ? "" : nil) {
                let whole = begun + line
                statement = whole.hasSuffix(";") ? nil : whole + " "
                if statement != nil { continue }
                guard let one = importing(whole, in: folder) else { return nil }
                source.imports.append(one)
                continue
            }
            guard line.hasPrefix("export ") else {
                source.body.append(withPaths(line, in: folder))
                continue
            }
            guard let names = exported(line) else { return nil }
            source.exports += names
            if !line.hasPrefix("export {") { source.body.append(withPaths(line.dropFirst(7), in: folder)) }
        }
        return statement == nil ? source : nil
    }

    /// `import { a, b as c } from './x.js';`
    private static func importing(_ statement: Substring, in folder: [String]) -> Import? {
        guard let match = statement.wholeMatch(of: /import (?:(.+) from )?'(\.[^']+)';/) else { return nil }
        let names = match.output.1 ?? ""
        guard names.isEmpty || names.hasPrefix("{") || names.hasPrefix("* as ") else { return nil }
        return resolved(match.output.2, in: folder).map { Import(names: names, path: $0) }
    }

    /// The names that a line exports; nil for a form that can't be joined. A binding that changes, `let`, would not
    /// change for the importers.
    private static func exported(_ line: Substring) -> [Substring]? {
        if let list = line.wholeMatch(of: /export \{ ([\w, $]+) \};/) {
            return list.output.1.split(separator: ", ")
        }
        let declared = line.prefixMatch(of: /export (?:const|class|(?:async )?function) ([\w$]+)/)
        return declared.map { [$0.output.1] }
    }

    /// The line with the paths of its dynamic imports as they are from the joined module.
    private static func withPaths(_ line: Substring, in folder: [String]) -> Substring {
        guard !folder.isEmpty, let found = line.firstMatch(of: /import\(([`'])(\.[^`']*)/) else { return line }
        guard let path = resolved(found.output.2, in: folder) else { return line }
        let (quote, rest) = (found.output.1, line[found.range.upperBound...])
        return line[..<found.range.lowerBound] + "import(\(quote)./\(path)\(rest)"
    }

    /// The path that a relative one names; nil if it leaves the page.
    private static func resolved(_ relative: Substring, in folder: [String]) -> String? {
        var parts = folder
        for part in relative.split(separator: "/") where part != "." {
            guard part == ".." else {
                parts.append(String(part))
                continue
            }
            guard parts.popLast() != nil else { return nil }
        }
        return parts.joined(separator: "/")
    }
}
