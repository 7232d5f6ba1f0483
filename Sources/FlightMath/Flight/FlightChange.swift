extension Flight {
    /// An effect of new points or of silence.
    public enum Change: Equatable, Sendable {
        /// The balloon burst at this point, its highest.
        case burst(TrackPoint)
        /// The burst at this point was wrong, because the balloon climbs above it.
        case burstRevoked(TrackPoint)
        /// The sonde came to rest at this place and time.
        case landed(TrackPoint)
        /// The sonde lies at this place, and nobody heard it before. The time is that of the first point.
        case heardOnGround(TrackPoint)
        /// The sonde is here, and falls: it had not landed where it seemed to.
        case landingRevoked(TrackPoint, landing: TrackPoint)
        /// The sonde is silent and must be down by now. This is the last point heard.
        case landedInSilence(TrackPoint)
        /// The sonde counted as landed because it was silent, and is heard again.
        case heardAgain
        /// Somebody carries the landed sonde; it is now here.
        case moved(TrackPoint)
        /// The sonde climbs again after a landing. This is the first point of the climb.
        case newFlight(TrackPoint)
        case trackTruncated(TrackTruncation)
    }
}

/// Points left out of the live track. The store keeps them.
public struct TrackTruncation: Equatable, Sendable {
    public enum Reason: String, CaseIterable, Sendable {
        /// The points came after the landing.
        case landed
        /// The points belong to the previous flight.
        case newFlight = "new_flight"
        /// The sonde came down unheard, and the points came after somebody had picked it up.
        case blackout
        /// The points lay where the sonde can't have been. Later points continue the old path.
        case excursion
    }

    public var count: Int
    public var reason: Reason
    /// For `landed`, `blackout` and `excursion`, the points after this time; for `newFlight`, those before it.
    public var boundary: WallTime
}
