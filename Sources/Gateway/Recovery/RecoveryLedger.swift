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

    /// - Parameters:
    ///   - stored: what an earlier run has stored.
    ///   - now: when this run learns of it.
    init(_ stored: StoredRecoveries, at now: Moment) {
        queue = stored.queue.elements.suffix(Self.limit).map { report in
            Waiting(
                recovery: report.recovery, isTried: report.isTried, isUnsent: !report.isTried,
                undatedSince: report.isDated ? nil : now)
        }
        told = stored.told.elements.suffix(Self.toldLimit)
    }

    /// For the store; nil for an empty ledger.
    var stored: StoredRecoveries? {
        guard !queue.isEmpty || !told.isEmpty else { return nil }
        let reports = queue.map {
            StoredRecoveries.Report(
                recovery: $0.recovery, isTried: $0.isTried, isDated: $0.undatedSince == nil)
        }
        return StoredRecoveries(queue: ReadableList(reports), told: ReadableList(told))
    }

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

    /// A report of another person was announced.
    mutating func tell(_ recovery: Recovery) {
        told.append(Told(recovery).text)
        if told.count > Self.toldLimit { told.removeFirst() }
    }

    /// Whether this report of another person was not announced before, and no newer one of the sonde was.
    func isNews(_ recovery: Recovery) -> Bool {
        let report = Told(recovery)
        return !told.contains(report.text) && lastTold(of: recovery).map { $0.time <= report.time } ?? true
    }

    /// Whether the last announced report of the sonde says the same: the same person, the same state.
    func repeats(_ recovery: Recovery) -> Bool {
        lastTold(of: recovery).map { ($0.state, $0.by) == (recovery.state.rawValue, recovery.by) } ?? false
    }

    private func lastTold(of recovery: Recovery) -> Told? {
        told.lazy.reversed().compactMap { Told($0, of: recovery.serial) }.first
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

/// An announced report, as the ledger keeps it: `V4210150 recovered 1767268800000 HB9ABC`.
private struct Told {
    var serial, state: String
    /// Milliseconds since 1970.
    var time: Int64
    var by: String

    init(_ recovery: Recovery) {
        (serial, state) = (recovery.serial.canonical, recovery.state.rawValue)
        (time, by) = (recovery.time.millisecondsSince1970, recovery.by)
    }

    /// - Returns: nil for a text of another sonde, or one that can't be read.
    init?(_ text: String, of serial: SondeSerial) {
        guard text.hasPrefix(serial.canonical + " ") else { return nil }
        let rest = text.dropFirst(serial.canonical.count + 1)
            .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard rest.count == 3, let time = Int64(rest[1]) else { return nil }
        self.serial = serial.canonical
        (state, self.time, by) = (String(rest[0]), time, String(rest[2]))
    }

    var text: String { "\(serial) \(state) \(time) \(by)" }
}
