import FlightMath

/// A part of the flight that the track lacks.
struct TrackGap: Equatable, Sendable {
    /// The last known time before the gap; nil for the beginning of the flight.
    var since: WallTime?
    /// The first known time after the gap; nil if that is the time at which the gap is asked for.
    var until: WallTime?

    /// The shortest gap that contains both.
    func joined(_ other: TrackGap) -> TrackGap {
        var joined = TrackGap()
        if let since, let start = other.since { joined.since = min(since, start) }
        if let until, let end = other.until { joined.until = max(until, end) }
        return joined
    }

    /// Whether the gap begins no later than `other`.
    func reachesBack(to other: TrackGap) -> Bool {
        guard let since else { return true }
        return other.since.map { since <= $0 } ?? false
    }

    /// Whether a gap that begins at `time` continues this one.
    func contains(_ time: WallTime) -> Bool {
        (since.map { $0 <= time } ?? true) && (until.map { time < $0 } ?? true)
    }

    /// Whether no whole second is missing. Sondes send once a second.
    var isEmpty: Bool {
        guard let since, let until else { return false }
        return until.wholeSeconds - since.wholeSeconds <= 1
    }

    /// The open part after SondeHub's newest record; nil if no whole second is left.
    func rest(after newest: WallTime) -> TrackGap? {
        let rest = TrackGap(since: max(since ?? newest, newest), until: until)
        return rest.isEmpty ? nil : rest
    }
}
