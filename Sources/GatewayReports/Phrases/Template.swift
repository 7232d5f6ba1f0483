/// One text of a language's file, taken apart: `Receiver {name} online[, firmware {firmware}].`
struct Template: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case text(String)
        /// `{name}` or `{name.form}`
        case value(name: String, form: String?)
        /// `[…]`: left out while a value in it is unknown.
        case optional([Part])
    }

    struct Fault: Error, Equatable {}

    var parts: [Part]

    /// - Throws: if a bracket or brace has no partner, or a bracket stands in another.
    init(_ text: some StringProtocol) throws(Fault) {
        var outer: [Part] = []
        var inner: [Part]?
        var plain = ""
        var rest = Substring(text)
        while let sign = rest.popFirst() {
            guard "{}[]".contains(sign) else {
                plain.append(sign == "~" ? "\u{A0}" : sign)
                continue
            }
            Self.keep(&plain, in: &inner, or: &outer)
            switch sign {
            case "{": Self.keep(try Self.value(&rest), in: &inner, or: &outer)
            case "[" where inner == nil: inner = []
            case "]":
                guard let parts = inner else { throw Fault() }
                outer.append(.optional(parts))
                inner = nil
            default: throw Fault()
            }
        }
        Self.keep(&plain, in: &inner, or: &outer)
        guard inner == nil else { throw Fault() }
        parts = outer
    }

    /// Takes a value's name and the brace behind it.
    private static func value(_ rest: inout Substring) throws(Fault) -> Part {
        guard let end = rest.firstIndex(of: "}") else { throw Fault() }
        let words = rest[..<end].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        rest = rest[rest.index(after: end)...]
        guard let name = words.first, !name.isEmpty, !words.joined().contains(where: { "{[]".contains($0) }) else {
            throw Fault()
        }
        return .value(name: String(name), form: words.count > 1 ? String(words[1]) : nil)
    }

    private static func keep(_ part: Part, in inner: inout [Part]?, or outer: inout [Part]) {
        if inner == nil { outer.append(part) } else { inner?.append(part) }
    }

    private static func keep(_ plain: inout String, in inner: inout [Part]?, or outer: inout [Part]) {
        guard !plain.isEmpty else { return }
        keep(.text(plain), in: &inner, or: &outer)
        plain = ""
    }
}
