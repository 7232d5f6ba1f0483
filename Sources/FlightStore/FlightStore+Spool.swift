import FoundationEssentials
import GRDB
public import GatewayCore

extension FlightStore: SpoolStore {
    /// The spool's highest key ever: rows come and go.
    private static let highest = "spool_key"

    public func lastKey() async throws(StoreError) -> UInt64 {
        try await database.read { database in
            let text = try database.setting(Self.highest)
            let newest = try Int64.fetchOne(database, sql: "SELECT max(key) FROM spool") ?? 0
            return max(text.flatMap(UInt64.init) ?? 0, UInt64(clamping: newest))
        }
    }

    public func count() async throws(StoreError) -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM spool") ?? 0 }
    }

    public func append(_ messages: [SpooledMessage], now: WallTime?) async throws(StoreError) -> Int {
        let bounds = bounds
        return try await database.write { database in
            for message in messages {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO spool (key, topic, payload, at) VALUES (?, ?, ?, ?)",
                    arguments: [
                        Int64(clamping: message.key), message.topic, Data(message.payload),
                        message.at?.millisecondsSince1970,
                    ])
            }
            if let highest = messages.map(\.key).max() { try database.set(Self.highest, to: String(highest)) }
            return try Self.prune(database, bounds, now)
        }
    }

    /// Drops the oldest beyond the bounds.
    private static func prune(_ database: Database, _ bounds: StoreBounds, _ now: WallTime?) throws -> Int {
        var dropped = 0
        if let now {
            let limit = now.millisecondsSince1970 - bounds.messageAgeMilliseconds
            try database.execute(sql: "DELETE FROM spool WHERE at < ?", arguments: [limit])
            dropped += database.changesCount
        }
        // Counting reads every page; the span of the keys, which is never smaller, reads two.
        let span = try Int.fetchOne(database, sql: "SELECT max(key) - min(key) + 1 FROM spool") ?? 0
        guard span > bounds.messages else { return dropped }
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM spool") ?? 0
        if count > bounds.messages {
            try database.execute(
                sql: "DELETE FROM spool WHERE key IN (SELECT key FROM spool ORDER BY key LIMIT ?)",
                arguments: [count - bounds.messages])
            dropped += database.changesCount
        }
        return dropped
    }

    public func remove(_ keys: [UInt64]) async throws(StoreError) {
        try await database.write { database in
            for key in keys {
                try database.execute(sql: "DELETE FROM spool WHERE key = ?", arguments: [Int64(clamping: key)])
            }
        }
    }

    public func messages(after key: UInt64, limit: Int) async throws(StoreError) -> [SpooledMessage] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT key, topic, payload, at FROM spool WHERE key > ? ORDER BY key LIMIT ?",
                arguments: [Int64(clamping: key), limit]
            ).map { row in
                SpooledMessage(
                    key: UInt64(clamping: row["key"] as Int64), topic: row["topic"],
                    payload: Array(row["payload"] as Data),
                    at: (row["at"] as Int64?).map(WallTime.init(millisecondsSince1970:)))
            }
        }
    }
}
