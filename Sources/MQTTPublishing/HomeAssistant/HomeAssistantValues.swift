import GatewayReports
import ReceiverProtocol

/// What Home Assistant's entities show: a retained message of their own, so that no recorder is flooded.
///
/// Frames come every second, and Home Assistant keeps every change of every entity for days. No value is shown to
/// change twice within ``spacing``:
///
///     measured values    together, every 5 s while they change
///     others             at once, then held for 5 s
///
/// What is too old becomes null: the message itself never expires, as the last known position must outlive Home
/// Assistant's restart.
struct HomeAssistantValues: Sendable {
    /// At most one state change per entity in this time (specification 5.4).
    static let spacing = Duration.seconds(5)
    /// What is due then goes with the next frame, which comes every second, if a moment early for once: it waits this
    /// much longer for one, shows what that one tells, and needs no wake of its own.
    static let frameWait = Duration.milliseconds(1100)

    private struct Entry {
        let key: HomeAssistantKey
        let name: String
        let pace: HomeAssistantKey.Pace
        var shown = HomeAssistantValue.unknown
        /// Of one that is told at once.
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
    /// When the first of the values that are held may be shown.
    private var heldUntil: MonotonicTime?
    private var expiresAt: MonotonicTime?

    init(_ options: HomeAssistantOptions) {
        entries = HomeAssistantKey.allCases.filter { $0.isAnnounced(with: options) }.map(Entry.init)
    }

    /// When ``refresh(at:)`` may have something to show.
    var deadline: MonotonicTime? {
        let measuringAt = behindSince.map { since in
            max(since, measuredAt?.advanced(by: Self.spacing + Self.frameWait) ?? since)
        }
        return .earliest(heldUntil, expiresAt, measuringAt)
    }

    mutating func note(_ report: Report, at now: MonotonicTime) {
        if sources.update(with: report) { behindSince = behindSince ?? now }
    }

    mutating func note(_ chase: HomeAssistantChase?) {
        sources.chase = chase
        behindSince = behindSince ?? chase?.at ?? measuredAt
    }

    /// - Parameter measures: false while more of the same frame is to come.
    /// - Returns: whether the message is another now.
    mutating func refresh(at now: MonotonicTime, measures: Bool = true) -> Bool {
        if let expiresAt, now >= expiresAt { behindSince = behindSince ?? now }
        expiresAt = sources.nextExpiry(after: now)
        heldUntil = nil
        let isMeasuring = measures && measuredAt.map { now.duration(since: $0) >= Self.spacing } ?? true
        var isChanged = false
        for index in entries.indices {
            if entries[index].pace == .measured, !isMeasuring { continue }
            let value = sources.value(of: entries[index].key, at: now)
            guard value != entries[index].shown else { continue }
            switch entries[index].pace {
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
        if isMeasuring { behindSince = nil }
        return isChanged
    }

    var payload: [UInt8] {
        var json = JSONText()
        for entry in entries { entry.shown.write(entry.name, to: &json) }
        return json.object
    }
}
