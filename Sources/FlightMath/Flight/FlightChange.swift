extension Flight {
    /// What points, or their absence, brought about.
    public enum Change: Equatable, Sendable {
        /// It burst at that point, the highest.
        case burst(TrackPoint)
        /// What was taken for the burst at that point was none: the balloon climbs above it.
        case burstRevoked(TrackPoint)
        /// It lies there, by rest, since that time.
        case landed(TrackPoint)
        /// Nobody hears it any more, and it must be down by now: heard there last.
        case landedInSilence(TrackPoint)
        /// It was taken for landed because nobody heard it, and is heard again.
        case heardAgain
        /// It has landed and is being carried; now there.
        case moved(TrackPoint)
        /// After a landing it climbs again, from there.
        case newFlight(TrackPoint)
        case trackTruncated(TrackTruncation)
    }
}

/// Points left out of the live track. The store keeps them.
public struct TrackTruncation: Equatable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        /// They came after the landing.
        case landed
        /// They belong to the flight before.
        case newFlight = "new_flight"
    }

    public var count: Int
    public var reason: Reason
    /// `landed`: the points after this; `newFlight`: those before.
    public var boundary: WallTime
}
