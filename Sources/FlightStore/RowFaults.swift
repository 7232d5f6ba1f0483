import GRDB
import GatewayReports
import Synchronization

/// The rows that hold a value that the gateway never writes. A worn card changes a value, and SQLite has no checksums.
///
/// Such a row is left out, counted and told once. The rest of the store serves on. Those who only read leave out a page
/// that can't be read, too; the gateway's own store needs its fault, to move the file aside.
final class RowFaults: Sendable {
    /// The most different faults that are told.
    private static let mostTold = 20
    /// The most different faults that are counted.
    private static let limit = 10_000

    private struct Seen {
        var faults: Set<String> = []
        var ofAPage: DatabaseError?
    }

    private let seen = Mutex(Seen())
    private let tell: @Sendable (String) -> Void
    /// Whether pages that can't be read are left out.
    let leavesOutPages: Bool

    /// - Parameter tell: gets a sentence for each new fault.
    init(leavesOutPages: Bool = false, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.leavesOutPages = leavesOutPages
        self.tell = tell
    }

    /// The number of rows that were left out, each once, and of tables with a page that was.
    var count: Int { seen.withLock { $0.faults.count } }

    /// The last fault of a page that was left out; nil if none was.
    var pageFault: StoreError? { seen.withLock(\.ofAPage).map { StoreError($0) } }

    /// Adds what another reading has left out.
    func add(_ other: RowFaults) {
        let more = other.seen.withLock { $0 }
        seen.withLock { seen in
            for fault in more.faults where seen.faults.count < Self.limit { seen.faults.insert(fault) }
            seen.ofAPage = more.ofAPage ?? seen.ofAPage
        }
    }

    /// Forgets all, because another file is read now.
    func forget() { seen.withLock { $0 = Seen() } }

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
        if isNews("\(table) \(values) \(damage.description)") {
            tell("a row of \(table) is left out: \(damage.description)")
        }
    }

    /// A page of the table is left out.
    func note(_ error: DatabaseError, in table: String) {
        seen.withLock { $0.ofAPage = error }
        if isNews(table) { tell("a part of \(table) is left out: \(StoreError(error).detail)") }
    }

    /// Counts a fault.
    /// - Returns: whether it is to be told.
    private func isNews(_ fault: String) -> Bool {
        seen.withLock { seen in
            guard seen.faults.count < Self.limit, seen.faults.insert(fault).inserted else { return false }
            return seen.faults.count <= Self.mostTold
        }
    }
}
