import GatewayReports

/// Reports that wait for a slower reader: the newest of each kind of state, and all events and answers.
///
///     position 1, event a, position 2, event b   ->   event a, position 2, event b
struct Backlog<Element> {
    /// The most events and answers that may wait.
    static var limit: Int { 100 }

    private var entries: [(kind: Report.Kind, element: Element)] = []
    private var happenings = 0

    var isEmpty: Bool { entries.isEmpty }

    /// - Returns: false if there are too many events; the new one is then not added.
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

    /// Removes all elements and returns them in order.
    mutating func drain() -> [(kind: Report.Kind, element: Element)] {
        defer { (entries, happenings) = ([], 0) }
        return entries
    }
}

extension Report.Kind {
    /// Each report of this kind must be delivered. Of the other kinds only the newest report matters.
    var isHappening: Bool { self == .announcement || self == .answer }

    /// `command/response` -> `command_response`
    var eventName: String { String(rawValue.map { $0 == "/" ? "_" : $0 }) }
}
