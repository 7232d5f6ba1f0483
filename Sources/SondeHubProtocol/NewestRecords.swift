import FlightMath
import Gateway

/// Keeps the newest records of an answer of any length.
struct NewestRecords: Sendable {
    /// The most records to keep; nil keeps all.
    private let limit: Int?
    private var records: [SondeHubRecord] = []
    /// Older records and those of this time no longer fit; nil before the first pruning.
    private var floor: WallTime?
    /// The number of usable records that did not fit.
    private(set) var dropped = 0

    init(limit: Int?) {
        self.limit = limit
    }

    var count: Int { records.count }

    mutating func add(_ record: SondeHubRecord) {
        if let floor, record.time <= floor {
            dropped += 1
            return
        }
        records.append(record)
        // Sort only when there are twice as many as allowed, because sorting is slow.
        if let limit, records.count / 2 >= limit { prune(to: limit) }
    }

    /// Hands out the records and forgets them: at most `limit`. They are in the answer's order if all fitted, otherwise
    /// newest first.
    mutating func removeAll() -> [SondeHubRecord] {
        if let limit, records.count > limit { prune(to: limit) }
        defer {
            records = []
            floor = nil
        }
        return records
    }

    private mutating func prune(to limit: Int) {
        records.sort { $0.time > $1.time }
        dropped += records.count - limit
        records.removeLast(records.count - limit)
        floor = records.last?.time
    }
}
