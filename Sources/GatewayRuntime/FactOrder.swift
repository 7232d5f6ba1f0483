/// The order of the facts in a log line: first the thing, then amounts, the reason last.
enum FactOrder {
    private static let first = [
        "topics", "receiver", "broker", "link", "name", "address", "device", "file", "serial", "command", "repair",
        "reason",
        "changed", "keys", "messages", "records", "points", "of", "count", "by_s", "without_link_s",
    ]
    private static let last = ["text", "hex", "why", "times"]

    /// Other facts stand between them, sorted by name.
    static func sorted<Value>(_ facts: [String: Value]) -> [(key: String, value: Value)] {
        facts.sorted { (rank($0.key), $0.key) < (rank($1.key), $1.key) }
            .map { (key: $0.key, value: $0.value) }
    }

    private static func rank(_ key: String) -> Int {
        if let place = first.firstIndex(of: key) { return place }
        return last.firstIndex(of: key).map { first.count + 1 + $0 } ?? first.count
    }
}
