import FlightMath
import GatewayCore

/// The newest records of an answer, however many it holds.
struct NewestRecords: Sendable {
    /// Nil keeps all.
    private let limit: Int?
    private var records: [SondeHubRecord] = []
    /// What is no newer than this has no room.
    private var floor: WallTime?
    /// Usable records for which there was no room.
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
        // Twice as many, so that sorting them is rare.
        if let limit, records.count / 2 >= limit { prune(to: limit) }
    }

    /// At most `limit`, in the answer's order as long as all had room.
    mutating func take() -> [SondeHubRecord] {
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
