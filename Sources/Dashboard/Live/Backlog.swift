import GatewayReports

/// What waits for somebody slower: the newest of every kind of report, and each of what is told once.
///
///     position 1, event a, position 2, event b   ->   event a, position 2, event b
struct Backlog<Element> {
    /// Events and answers that may wait.
    static var limit: Int { 100 }

    private var entries: [(kind: Report.Kind, element: Element)] = []
    private var happenings = 0

    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: false when more happened than may wait; the newest is not taken then.
    mutating func add(_ element: Element, of kind: Report.Kind) -> Bool {
        if kind.isHappening {
            guard happenings < Self.limit else { return false }
            happenings += 1
        } else if let old = entries.firstIndex(where: { $0.kind == kind }) {
            entries.remove(at: old)
        }
        entries.append((kind, element))
        return true
    }

    /// Everything, in order.
    mutating func drain() -> [(kind: Report.Kind, element: Element)] {
        defer { (entries, happenings) = ([], 0) }
        return entries
    }
}

extension Report.Kind {
    /// Each one counts and is told once; of the others the newest says it all.
    var isHappening: Bool { self == .announcement || self == .answer }

    /// `command/response` -> `command_response`
    var eventName: String { String(name.map { $0 == "/" ? "_" : $0 }) }
}
