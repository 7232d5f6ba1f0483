import FlightMath
import GatewayReports
import ReceiverProtocol

/// The values of Home Assistant's entities. They have a retained message of their own, which does not flood Home
/// Assistant's recorder.
///
/// Frames come every second. The recorder stores a row for each change of an entity, and another one for each change of
/// a tracker's attributes, and keeps them for days.
///
///     measured values          together, every 30 s while they change: at most 3000 rows an hour with all entities
///     values of controls       at once
///     the status' sentence     every 5 minutes, and when the phase or the source changes
///     landing, arrival         in whole minutes, when they move by two, or by a tenth of the time until then
///     last seen                when nobody hears the sonde any more, and every 10 minutes before
///     other values             at once, then held for 5 s
///
/// Measured values also come when entities become available or a value has become too old, but never twice in 5 s.
///
/// A value that is too old becomes null. The message itself never expires, because the last known position must outlive
/// a restart of Home Assistant.
struct HomeAssistantValues: Sendable {
    /// At most one state change per entity in this time.
    static let spacing = Duration.seconds(5)
    /// The time between two changes of the measured values. 24 rows each time are 2880 an hour.
    static let measuringInterval = Duration.seconds(30)
    /// The time between two sentences while the phase stays.
    static let telling = Duration.seconds(120)
    /// Times of landing and arrival that move by less stay, and so do those that move by less than a tenth of the time
    /// until then: two hours before the landing each prediction moves it by minutes, and each change is a row in Home
    /// Assistant's activity.
    private static let steadyTime = Duration.seconds(120)
    private static let steadyShare = 10
    /// The time last seen stays for this long while a source hears the sonde.
    private static let steadyLastSeen = Duration.seconds(120)

    private struct Entry {
        let key: HomeAssistantKey
        let name: String
        let pace: HomeAssistantKey.Pace
        var shown = HomeAssistantValue.unknown
        /// When a value of the pace `atOnce` was last published.
        var changedAt: MonotonicTime?

        init(_ key: HomeAssistantKey) {
            (self.key, name, pace) = (key, key.rawValue, key.pace)
        }
    }

    private var entries: [Entry]
    private(set) var sources = HomeAssistantSources()
    /// When the measured values were last published.
    private var measuredAt: MonotonicTime?
    /// When the first report came that is newer than the published measured values; nil if there is none.
    private var behindSince: MonotonicTime?
    /// The measured values are due after ``spacing`` instead of ``measuringInterval``.
    private var isAwaited = false
    /// When the first held value may be published.
    private var heldUntil: MonotonicTime?
    private var expiresAt: MonotonicTime?
    /// The phase and source of the last sentence.
    private var told: (phase: FlightPhase?, source: TelemetrySource?) = (nil, nil)

    init(_ options: HomeAssistantOptions) {
        entries = HomeAssistantKey.allCases.filter { $0.isAnnounced(with: options) }.map(Entry.init)
    }

    /// When ``refresh(at:)`` may have a change to publish.
    var deadline: MonotonicTime? {
        let measuringAt = behindSince.map { since in
            max(since, measuredAt?.advanced(by: interval) ?? since)
        }
        return .earliest(heldUntil, expiresAt, measuringAt)
    }

    private var interval: Duration { isAwaited ? Self.spacing : Self.measuringInterval }

    /// Call when entities become available: they get their values soon.
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

    /// - Parameter measures: false while more reports of the same frame are about to come.
    /// - Returns: whether the message has changed.
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
            if entries[index].pace == .told, !isTelling(entries[index].changedAt, isMeasuring, at: now) { continue }
            let value = sources.value(of: entries[index].key, at: now)
            guard value != entries[index].shown, !isSteady(entries[index], value, at: now) else { continue }
            switch entries[index].pace {
            case .told:
                entries[index].changedAt = now
                told = (sources.state?.phase.phase, sources.state?.source)
            case .control: break  // Controls are never held.
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

    /// Whether another sentence is due.
    private func isTelling(_ last: MonotonicTime?, _ isMeasuring: Bool, at now: MonotonicTime) -> Bool {
        guard let last, told.phase == sources.state?.phase.phase, told.source == sources.state?.source else {
            return true
        }
        return isMeasuring && now.duration(since: last) >= Self.telling
    }

    /// Whether a time has moved so little that the shown one stays.
    private func isSteady(_ entry: Entry, _ value: HomeAssistantValue, at now: MonotonicTime) -> Bool {
        guard case .time(let shown) = entry.shown, case .time(let new) = value else { return false }
        let limit: Duration
        if entry.key == .landingAt || entry.key == .arrivalAt {
            let left = sources.position.map { new.duration(since: $0.time) } ?? .zero
            limit = max(Self.steadyTime, left / Self.steadyShare)
        } else if entry.key == .lastSeen, sources.livePosition(at: now) != nil {
            limit = Self.steadyLastSeen
        } else {
            return false
        }
        return (.zero - limit + .milliseconds(1)..<limit).contains(new.duration(since: shown))
    }

    var payload: [UInt8] {
        var json = JSONText()
        for entry in entries { entry.shown.write(entry.name, to: &json) }
        return json.object
    }
}
