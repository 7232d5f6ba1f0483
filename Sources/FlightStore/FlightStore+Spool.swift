public import FlightMath
import FoundationEssentials
import GRDB
public import Gateway
public import GatewayReports

// Messages that the broker has not acknowledged.

extension FlightStore {
    /// The setting with the highest key that the spool ever had. The row with that key may be deleted.
    private static let highest = "spool_key"

    static func lastKey(_ database: Database, faults: RowFaults) throws -> UInt64 {
        let newest = try Row.fetchOne(
            database, sql: "SELECT key FROM spool WHERE key <= ? ORDER BY key DESC LIMIT 1",
            arguments: [Plausible.keys.upperBound]
        ).flatMap { try faults.read("messages", $0) { try $0.integer(0, "key", in: Plausible.keys) } }
        guard let text = try database.setting(highest, faults: faults) else { return UInt64(newest ?? 0) }
        guard let highest = Int64(text), Plausible.keys.contains(highest) else {
            faults.note(Damage(description: "the highest key can't be \(text)"), in: "settings")
            return UInt64(newest ?? 0)
        }
        return UInt64(max(highest, newest ?? 0))
    }

    static func spooledCount(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM spool") ?? 0
    }

    /// - Returns: the number of new messages.
    static func append(_ messages: [SpooledMessage], _ database: Database) throws -> Int {
        let added = try messages.reduce(0) { try $0 + $1.insert(into: "spool", database) }
        if let highest = messages.map(\.key).max() { try database.set(Self.highest, to: String(highest)) }
        return added
    }

    /// - Returns: the number of deleted messages.
    static func remove(_ keys: [UInt64], _ database: Database) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        let statement = try database.cachedStatement(sql: "DELETE FROM spool WHERE key = ?")
        return try keys.reduce(0) { count, key in
            try statement.execute(arguments: [Int64(clamping: key)])
            return count + database.changesCount
        }
    }

    /// Deletes the oldest messages beyond the bounds.
    /// - Returns: their number.
    static func prune(
        _ database: Database, to bounds: StoreBounds, count: Int, _ clock: AgeClock
    ) throws -> Int {
        var dropped = 0
        if let now = clock.now {
            try database.cachedStatement(sql: "DELETE FROM spool WHERE at < ?")
                .execute(arguments: [now - bounds.messageAgeMilliseconds])
            dropped += database.changesCount
        }
        let excess = count - dropped - bounds.messages
        guard excess > 0 else { return dropped }
        try database.cachedStatement(
            sql: "DELETE FROM spool WHERE key IN (SELECT key FROM spool ORDER BY key LIMIT ?)"
        ).execute(arguments: [excess])
        return dropped + database.changesCount
    }

    /// Deletes the oldest answers beyond ``SpooledMessage/mostAnswers``.
    /// - Returns: their number.
    static func pruneAnswers(_ database: Database) throws -> Int {
        try database.cachedStatement(
            sql: """
                DELETE FROM spool WHERE key IN
                (SELECT key FROM spool WHERE topic LIKE ? ORDER BY key DESC LIMIT -1 OFFSET ?)
                """
        ).execute(arguments: ["%" + SpooledMessage.answerTopic, SpooledMessage.mostAnswers])
        return database.changesCount
    }

    /// The next messages. One that is not what was written, or is too old, leaves the spool.
    public func messages(after key: UInt64, limit: Int, now: WallTime?) async throws(StoreError) -> SpoolPage {
        let oldest = now?.advanced(byMilliseconds: -bounds.messageAgeMilliseconds)
        let (messages, damaged, hasOld) = try await read { [faults] database in
            let oldest = oldest?.millisecondsSince1970 ?? .min
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT key, topic, payload, at, checksum FROM spool WHERE key > ? AND (at IS NULL OR at >= ?)
                    ORDER BY key
                    """, arguments: [Int64(clamping: key), oldest])
            var messages: [SpooledMessage] = []
            var damaged: [Int64] = []
            while messages.count < limit, let row = try rows.next() {
                if let message = try faults.read("messages", row, { try SpooledMessage(checked: $0) }) {
                    messages.append(message)
                } else if let key = Int64.fromDatabaseValue(row[0]) {
                    damaged.append(key)
                }
            }
            let old = try Row.fetchOne(database, sql: "SELECT 1 FROM spool WHERE at < ? LIMIT 1", arguments: [oldest])
            return (messages, damaged, old != nil)
        }
        try await drop(damaged)
        // Each save deletes what is too old. If this one fails, these messages stay, and are not sent either.
        let saved = hasOld ? try? await save(StoreBatch(), now: now) : nil
        return SpoolPage(messages: messages, dropped: saved?.dropped ?? 0, oldest: oldest)
    }
}

extension FlightStore {
    /// Deletes messages that can't be read, and counts them as gone.
    private func drop(_ keys: [Int64]) async throws(StoreError) {
        guard !keys.isEmpty else { return }
        let removed = try await write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM spool WHERE key = ?")
            return try keys.reduce(0) { count, key in
                try statement.execute(arguments: [key])
                return count + database.changesCount
            }
        }
        forgetSpooled(removed)
    }
}

extension SpooledMessage {
    /// - Parameter row: key, topic, payload, time, checksum.
    fileprivate init(checked row: Row) throws {
        try self.init(row)
        guard try row.integer(4, "checksum", in: 0...Int64(UInt32.max)) == checksum else {
            throw Damage(description: "message \(key) is not what was written")
        }
    }

    /// - Parameter row: key, topic, payload, time.
    init(_ row: Row) throws {
        self.init(
            key: UInt64(try row.integer(0, "key", in: Plausible.keys)), topic: try row.text(1, "topic"),
            payload: try row.bytes(2, "payload"), at: row.isNull(3) ? nil : try row.time(3, "time"))
    }

    /// - Returns: 1, or 0 if the table already has the key.
    func insert(into table: String, _ database: Database) throws -> Int {
        let time = at?.millisecondsSince1970
        var message = self
        if let time, !Plausible.times.contains(time) { message.at = nil }
        let statement = try database.cachedStatement(
            sql: "INSERT OR IGNORE INTO \(table) (key, topic, payload, at, checksum) VALUES (?, ?, ?, ?, ?)")
        try statement.execute(arguments: [
            Int64(clamping: key), topic, Data(payload), message.at?.millisecondsSince1970, message.checksum,
        ])
        return database.changesCount
    }

    fileprivate var checksum: Int64 {
        var checksum = Checksum()
        checksum.add(Int64(clamping: key))
        checksum.add(at?.millisecondsSince1970 ?? -1)
        checksum.add(topic.utf8)
        // No topic holds a zero byte, so it separates topic and payload.
        checksum.add(CollectionOfOne(0))
        checksum.add(payload)
        return Int64(checksum.value)
    }
}
