import FlightMath
import ReceiverProtocol

/// The winds of other flights and of forecasts. They show an ascending flight the winds above itself (specification
/// 3.7, "Wind memory").
struct WindMemory: Equatable, Sendable {
    /// Flights launched within this distance are near, metres.
    static let nearMetres = 120_000.0
    private static let longestAge = Duration.seconds(31 * 86_400)
    /// Winds that reach less far above the flight are useless, metres.
    private static let leastAboveMetres = 1000.0
    /// The most winds that are kept. The oldest are dropped.
    private static let limit = 200

    /// The newest last.
    private var stored: [StoredWinds] = []

    /// Adds the winds that earlier runs have stored.
    mutating func join(_ earlier: [StoredWinds]) {
        for winds in earlier where !stored.contains(where: winds.isOfSameFlight(as:)) { stored.append(winds) }
        sort()
    }

    /// Remembers winds in place of earlier ones of the same flight.
    mutating func remember(_ winds: StoredWinds) {
        stored.removeAll { $0.isOfSameFlight(as: winds) }
        stored.append(winds)
        sort()
    }

    private mutating func sort() {
        stored.sort { $0.at < $1.at }
        if stored.count > Self.limit { stored.removeFirst(stored.count - Self.limit) }
    }

    /// Corrects the times after the wall clock was set.
    /// - Parameter start: older times are from an earlier run. Its clock was another one, so they stay.
    mutating func clockSet(byMilliseconds change: Int64, since start: WallTime) {
        for index in stored.indices where stored[index].origin != .borrowed {
            stored[index].at = stored[index].at.clockSet(byMilliseconds: change, since: start)
            stored[index].begunAt = stored[index].begunAt?.clockSet(byMilliseconds: change, since: start)
        }
        sort()
    }

    /// Remembers and stores winds.
    mutating func keep(_ winds: StoredWinds, _ turn: inout Turn) {
        remember(winds)
        turn.record(.winds(winds))
    }

    /// The newest winds near an ascending flight that reach above it; nil if there are none.
    func winds(above flight: Flight, of serial: SondeSerial) -> StoredWinds? {
        guard !flight.hasDescentBegun, let first = flight.track.points.first, let newest = flight.newestTrusted else {
            return nil
        }
        return stored.last { winds in
            let age = newest.time.duration(since: winds.at)
            guard winds.topMetres >= newest.altitudeMetres + Self.leastAboveMetres,
                (Duration.zero - Self.longestAge..<Self.longestAge).contains(age)
            else { return false }
            // The flight itself knows its own winds better. Winds of an earlier flight of the same sonde are used.
            guard winds.origin == .forecast || winds.serial != serial || winds.at < first.time else { return false }
            let (east, north) = winds.place.offsetMetres(to: first.coordinate)
            return east * east + north * north <= Self.nearMetres * Self.nearMetres
        }
    }
}

extension StoredWinds {
    fileprivate func isOfSameFlight(as other: StoredWinds) -> Bool {
        serial == other.serial && origin == other.origin
            && FlightSpan(since: begunAt, until: at).isOfSameFlight(
                as: FlightSpan(since: other.begunAt, until: other.at))
    }
}
