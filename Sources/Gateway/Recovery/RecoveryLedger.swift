import FlightMath
import GatewayReports
import ReceiverProtocol

/// The reports of recovery that wait for the network, and other people's reports that were announced. The store keeps
/// the ledger.
struct RecoveryLedger: Equatable, Sendable {
    /// The most reports that wait.
    static let limit = 32
    /// The most announced reports that are remembered. The oldest are forgotten.
    private static let toldLimit = 64

    struct Waiting: Equatable, Sendable {
        var recovery: Recovery
        /// The report was sent, and perhaps it has arrived.
        var isTried = false
        /// This run knows that SondeHub has not received the report.
        var isUnsent = true
        /// When this run learnt of the report, if the clock was wrong then and has not been set since. The report's time
        /// is as wrong as that clock. Nil if the time is right.
        var undatedSince: Moment?
    }

    /// The oldest first.
    private(set) var queue: [Waiting] = []
    private var told: [String] = []

    init() {}

    /// Adds a report. It replaces one of the same sonde that was not sent yet.
    /// - Returns: false if too many wait.
    mutating func add(_ recovery: Recovery, undatedSince: Moment? = nil) -> Bool {
        queue.removeAll { $0.recovery.serial == recovery.serial && $0.isUnsent }
        guard queue.count < Self.limit else { return false }
        queue.append(Waiting(recovery: recovery, undatedSince: undatedSince))
        return true
    }

    /// A report is about to be sent.
    mutating func markTried(_ recovery: Recovery) {
        for index in queue.indices where queue[index].recovery.isSame(as: recovery) {
            (queue[index].isTried, queue[index].isUnsent) = (true, false)
        }
    }

    /// No connection was made, so the report can't have reached SondeHub.
    mutating func markUnsent(_ recovery: Recovery) {
        for index in queue.indices where queue[index].recovery.isSame(as: recovery) { queue[index].isUnsent = true }
    }

    mutating func remove(_ recovery: Recovery) {
        queue.removeAll { $0.recovery.isSame(as: recovery) }
    }

    /// Removes all reports that were not sent yet.
    /// - Returns: their number.
    mutating func removeUnsent() -> Int {
        let count = queue.count
        queue.removeAll(where: \.isUnsent)
        return count - queue.count
    }

    /// - Returns: false if this report of another person was announced before.
    mutating func tell(_ recovery: Recovery) -> Bool {
        let key =
            "\(recovery.serial.canonical) \(recovery.state.rawValue) \(recovery.time.millisecondsSince1970) "
            + recovery.by
        guard !told.contains(key) else { return false }
        told.append(key)
        if told.count > Self.toldLimit { told.removeFirst() }
        return true
    }

    /// Gives the reports that were made by a wrong clock their times by the present one. A report that may have arrived
    /// keeps its time, because SondeHub knows it by that time. An earlier run without the right time had the same clock,
    /// so its reports come out late by the time that the computer was off.
    /// - Parameter isRight: the present clock is right, so these times are final.
    /// - Returns: whether a report has changed.
    mutating func date(by clock: RunClock, isRight: Bool) -> Bool {
        let before = queue
        for index in queue.indices {
            guard let then = queue[index].undatedSince else { continue }
            let moment = clock.rendered(then)
            if queue[index].isUnsent {
                let time = queue[index].recovery.time
                queue[index].recovery.time = time.advanced(by: moment.wall.duration(since: then.wall))
            }
            queue[index].undatedSince = isRight ? nil : moment
        }
        return queue != before
    }

    /// Puts an earlier run's entries before those of this run.
    mutating func join(_ earlier: RecoveryLedger) {
        let new = queue.filter { mine in !earlier.queue.contains { $0.recovery.isSame(as: mine.recovery) } }
        queue = Array((earlier.queue + new).suffix(Self.limit))
        told = Array((earlier.told + told.filter { !earlier.told.contains($0) }).suffix(Self.toldLimit))
    }
}

// The stored form: `{"queue":[{"serial":"V4210150","state":"planned",…}],"told":["…"]}`.
extension RecoveryLedger {
    /// Nil for an empty ledger.
    var text: String? {
        guard !queue.isEmpty || !told.isEmpty else { return nil }
        var json = JSONText()
        json.array("queue", queue[...]) { list, waiting in
            list.object { item in
                let recovery = waiting.recovery
                item.field("serial", recovery.serial.canonical)
                item.field("state", recovery.state.rawValue)
                item.field("by", recovery.by)
                item.field("note", recovery.note)
                item.field("at", .integer(recovery.time.millisecondsSince1970))
                item.field("latitude", recovery.coordinate.map { .number($0.latitude) } ?? .null)
                item.field("longitude", recovery.coordinate.map { .number($0.longitude) } ?? .null)
                item.field("altitude_m", .number(recovery.altitudeMetres))
                item.field("tried", waiting.isTried)
                if waiting.undatedSince != nil { item.field("dated", false) }
            }
        }
        json.field("told", .array(told.map(JSONValue.string)))
        return String(decoding: json.object, as: UTF8.self)
    }

    /// Reads the stored form, and leaves out unreadable parts.
    init(_ text: String, at now: Moment) {
        guard case .object(let members)? = JSONValue(json: Array(text.utf8)) else { return }
        if case .array(let items)? = members["queue"] {
            queue = Array(items.compactMap { Waiting($0, at: now) }.suffix(Self.limit))
        }
        if case .array(let keys)? = members["told"] {
            told = keys.compactMap { if case .string(let key) = $0 { key } else { nil } }.suffix(Self.toldLimit)
        }
    }
}

extension RecoveryLedger.Waiting {
    fileprivate init?(_ value: JSONValue, at now: Moment) {
        guard case .object(let item) = value, case .string(let name)? = item["serial"],
            let serial = SondeSerial(name: name, type: .other("")), case .string(let word)? = item["state"],
            let state = RecoveryState(rawValue: word), case .string(let by)? = item["by"],
            case .string(let note)? = item["note"], case .integer(let time)? = item["at"],
            let latitude = item["latitude"]?.asDouble, let longitude = item["longitude"]?.asDouble,
            let altitude = item["altitude_m"]?.asDouble, abs(latitude) <= 90, abs(longitude) <= 180
        else { return nil }
        recovery = Recovery(
            serial, state, by: by, note: note, at: WallTime(millisecondsSince1970: time),
            coordinate: Coordinate(latitude: latitude, longitude: longitude), altitudeMetres: altitude)
        isTried = item["tried"] == .bool(true)
        isUnsent = !isTried
        undatedSince = item["dated"] == .bool(false) ? now : nil
    }
}
