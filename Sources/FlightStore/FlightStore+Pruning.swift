import FlightMath
import GRDB
import Gateway

// At its bounds the store deletes the oldest flights.

/// The clock that decides which records are too old, in milliseconds since 1970.
///
/// | the clock | deletes by age |
/// | --- | --- |
/// | may be wrong (nil) | nothing |
/// | has jumped more than ``longestPause`` ahead of the newest record | nothing, until 30 days after the jump |
/// | is right | messages; one flight in ``purgeInterval`` |
///
/// A clock that is a year ahead would otherwise delete the flights of a year. A box that was off for some months only
/// keeps old flights a month longer.
struct AgeClock {
    /// 30 days.
    static let longestPause: Int64 = 30 * 86_400_000
    /// An hour.
    static let purgeInterval: Int64 = 3_600_000
    /// The settings with the time of the last jump, and of the last flight deleted by age.
    private static let (jump, purge) = ("clock_jump", "flight_purged")

    /// Nil if nothing may be deleted by age.
    var now: Int64?
    /// The size of the jump that this call has found, in days; nil if it has found none.
    var jumpDays: Int64?

    /// - Parameter newest: the time of the newest record; nil if there is none.
    init(_ now: WallTime?, newest: Int64?, _ database: Database, faults: RowFaults) throws {
        guard let now = now?.millisecondsSince1970, Plausible.times.contains(now) else { return }
        if let newest, newest < now - Self.longestPause {
            try database.set(Self.jump, to: String(now))
            jumpDays = (now - max(newest, 0)) / 86_400_000
            return
        }
        if let jumped = try Self.time(Self.jump, database, faults: faults) {
            if (jumped..<jumped + Self.longestPause).contains(now) { return }
            try database.set(Self.jump, to: nil)
        }
        self.now = now
    }

    /// The time of the newest record in the store.
    static func newestRecord(_ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database,
            sql: """
                SELECT max(at) FROM (SELECT max(last_at) AS at FROM flight WHERE last_at <= ?
                UNION SELECT max(at) FROM spool WHERE at <= ?)
                """, arguments: [Plausible.times.upperBound, Plausible.times.upperBound])
    }

    private static func time(_ setting: String, _ database: Database, faults: RowFaults) throws -> Int64? {
        try database.setting(setting, faults: faults).flatMap { Int64($0) }.flatMap {
            Plausible.times.contains($0) ? $0 : nil
        }
    }

    /// Whether a flight may be deleted by age.
    fileprivate func mayPurge(_ database: Database, faults: RowFaults) throws -> Bool {
        guard let now else { return false }
        guard let last = try Self.time(Self.purge, database, faults: faults) else { return true }
        return !(last - Self.purgeInterval..<last + Self.purgeInterval).contains(now)
    }

    fileprivate func purged(_ database: Database) throws {
        try database.set(Self.purge, to: now.map { String($0) })
    }
}

extension FlightStore {
    private static let newest = "(SELECT id FROM flight ORDER BY last_at DESC LIMIT 1)"

    /// Deletes the oldest flight if it is too old. The newest flight stays.
    static func pruneByAge(
        _ database: Database, to bounds: StoreBounds, _ clock: AgeClock, faults: RowFaults
    ) throws {
        guard let now = clock.now, try clock.mayPurge(database, faults: faults) else { return }
        try database.execute(
            sql: """
                DELETE FROM flight WHERE id != \(newest)
                AND id = (SELECT id FROM flight WHERE last_at < ? ORDER BY last_at LIMIT 1)
                """, arguments: [now - bounds.flightAgeMilliseconds])
        if database.changesCount > 0 { try clock.purged(database) }
    }

    /// Deletes the oldest flights until the file is small enough. The newest flight stays.
    static func pruneBySize(_ database: Database, to bounds: StoreBounds) throws {
        func used() throws -> Int {
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            return (pages - free) * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        }
        while try used() > bounds.bytes {
            try database.execute(
                sql:
                    "DELETE FROM flight WHERE id = (SELECT id FROM flight ORDER BY last_at LIMIT 1) AND id != \(newest)"
            )
            if database.changesCount == 0 { break }
        }
    }
}
