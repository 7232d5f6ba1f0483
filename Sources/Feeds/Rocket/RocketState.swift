import FlightMath

/// The rocket app's names for the phases of a flight. The raw value is the one in its recordings.
package enum RocketState: UInt8, Sendable {
    case idle = 0
    case armed, boost, coast, apogee, descent, landed, complete

    /// The state is "apogee" for this time after the burst.
    private static let apogeeLimit = Duration.seconds(60)

    package var name: String {
        switch self {
        case .idle: "IDLE"
        case .armed: "ARMED"
        case .boost: "BOOST"
        case .coast: "COAST"
        case .apogee: "APOGEE"
        case .descent: "DESCENT"
        case .landed: "LANDED"
        case .complete: "COMPLETE"
        }
    }

    package init(_ sonde: FeedSonde) {
        switch sonde.phase {
        case .unknown: self = .idle
        case .ascending: self = .boost
        case .descendingAbove10k, .descendingBelow10k:
            let sinceBurst = sonde.burstAt.map { sonde.time.duration(since: $0) }
            self = sinceBurst.map { $0 <= Self.apogeeLimit } ?? false ? .apogee : .descent
        case .landed: self = .landed
        }
    }
}
