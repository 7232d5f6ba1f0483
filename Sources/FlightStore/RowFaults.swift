import GRDB
import Synchronization

/// The rows that hold a value that the gateway never writes. A worn card changes a value, and SQLite has no checksums.
///
/// Such a row is left out, counted and told once. The rest of the store serves on.
final class RowFaults: Sendable {
    /// The most different faults that are told.
    private static let mostTold = 20
    /// The most different faults that are counted.
    private static let limit = 10_000

    private let seen = Mutex<Set<String>>([])
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: gets a sentence for each new fault.
    init(tell: @escaping @Sendable (String) -> Void = { _ in }) { self.tell = tell }

    /// The number of rows that were left out, each once.
    var count: Int { seen.withLock { $0.count } }

    /// - Parameters:
    ///   - table: names the row, for people.
    ///   - decode: throws ``Damage`` for a row that can't be right.
    /// - Returns: nil for such a row.
    func read<Value>(_ table: String, _ row: Row, _ decode: (Row) throws -> Value) throws -> Value? {
        do {
            return try decode(row)
        } catch let damage as Damage {
            note(damage, in: table, of: row)
            return nil
        }
    }

    /// - Parameter row: its own values tell it from others; nil if the fault is of no row.
    func note(_ damage: Damage, in table: String, of row: Row? = nil) {
        let values = row.map { row in row.map { "\($0.1)".prefix(40) }.joined(separator: " ") } ?? ""
        let isNews = seen.withLock { seen in
            guard seen.count < Self.limit, seen.insert("\(table) \(values) \(damage.description)").inserted else {
                return false
            }
            return seen.count <= Self.mostTold
        }
        if isNews { tell("a row of \(table) is left out: \(damage.description)") }
    }
}
