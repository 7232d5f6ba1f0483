import GatewayReports
import ReceiverProtocol

/// What Home Assistant's entities show: a retained message of their own, so that no recorder is flooded.
///
/// Frames come every second, and Home Assistant keeps every change of every entity for days: a row for each, and another
/// one for each change of a tracker's attributes.
///
///     measured values          together, every 30 s while they change: at most 3000 rows an hour with all entities
///     the values of controls   at once
///     others                   at once, then held for 5 s
///
/// Measured values also come when entities become available or a value has become too old, but never twice in 5 s.
///
/// What is too old becomes null: the message itself never expires, as the last known position must outlive Home
/// Assistant's restart.
struct HomeAssistantValues: Sendable {
    /// At most one state change per entity in this time (specification 5.4).
    static let spacing = Duration.seconds(5)
    /// Between two changes of the measured values. 24 rows each time are 2880 an hour.
    static let measuringInterval = Duration.seconds(30)
    /// What is due then goes with the next frame, which comes every second, if a moment early for once: it waits this
    /// much longer for one, shows what that one tells, and needs no wake of its own.
    static let frameWait = Duration.milliseconds(1100)

    private struct Entry {
        let key: HomeAssistantKey
        let name: String
        let pace: HomeAssistantKey.Pace
        var shown = HomeAssistantValue.unknown
        /// Of one that is told at once and then held.
        var changedAt: MonotonicTime?

        init(_ key: HomeAssistantKey) {
            (self.key, name, pace) = (key, key.rawValue, key.pace)
        }
    }

    private var entries: [Entry]
    private(set) var sources = HomeAssistantSources()
    /// When measured values were shown last.
    private var measuredAt: MonotonicTime?
    /// Since when there is something newer than the measured values that are shown.
    private var behindSince: MonotonicTime?
    /// The measured values are due after ``spacing`` already.
    private var isAwaited = false
    /// When the first of the values that are held may be shown.
    private var heldUntil: MonotonicTime?
    private var expiresAt: MonotonicTime?

    init(_ options: HomeAssistantOptions) {
        entries = HomeAssistantKey.allCases.filter { $0.isAnnounced(with: options) }.map(Entry.init)
    }

    /// When ``refresh(at:)`` may have something to show.
    var deadline: MonotonicTime? {
        let measuringAt = behindSince.map { since in
            max(since, measuredAt?.advanced(by: interval + Self.frameWait) ?? since)
        }
        return .earliest(heldUntil, expiresAt, measuringAt)
    }

    private var interval: Duration { isAwaited ? Self.spacing : Self.measuringInterval }

    /// Entities become available now: they get their values with it.
    mutating func expectReaders() {
        isAwaited = true
    }

    mutating func note(_ report: Report, at now: MonotonicTime) {
        let old = (sources.isSondeThere, sources.isReceiverOnline)
        if sources.update(with: report) { behindSince = behindSince ?? now }
        if sources.isSondeThere && !old.0 || sources.isReceiverOnline && !old.1 { expectReaders() }
    }

    mutating func note(_ chase: HomeAssistantChase?) {
        sources.chase = chase
        behindSince = behindSince ?? chase?.at ?? measuredAt
    }

    /// - Parameter measures: false while more of the same frame is to come.
    /// - Returns: whether the message is another now.
    mutating func refresh(at now: MonotonicTime, measures: Bool = true) -> Bool {
        if let expiresAt, now >= expiresAt {
            behindSince = behindSince ?? now
            isAwaited = true
        }
        expiresAt = sources.nextExpiry(after: now)
        heldUntil = nil
        let isMeasuring = measures && measuredAt.map { now.duration(since: $0) >= interval } ?? true
        var isChanged = false
        for index in entries.indices {
            if entries[index].pace == .measured, !isMeasuring { continue }
            let value = sources.value(of: entries[index].key, at: now)
            guard value != entries[index].shown else { continue }
            switch entries[index].pace {
            case .control: break  // Nothing holds it.
            case .measured: measuredAt = now
            case .atOnce:
                if let end = entries[index].changedAt?.advanced(by: Self.spacing), now < end {
                    heldUntil = min(heldUntil ?? end, end)
                    continue
                }
                entries[index].changedAt = now
            }
            entries[index].shown = value
            isChanged = true
        }
        if isMeasuring { (behindSince, isAwaited) = (nil, false) }
        return isChanged
    }

    var payload: [UInt8] {
        var json = JSONText()
        for entry in entries { entry.shown.write(entry.name, to: &json) }
        return json.object
    }
}
