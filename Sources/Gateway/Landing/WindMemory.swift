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
    private var stored: [Dated<StoredWinds>] = []

    /// Adds the winds that earlier runs have stored.
    mutating func join(_ earlier: [StoredWinds], by clock: RunClock) {
        for winds in earlier where !all(by: clock).contains(where: winds.isOfSameFlight(as:)) {
            stored.append(Dated(fromElsewhere: winds))
        }
        sort(by: clock)
    }

    /// Remembers winds in place of earlier ones of the same flight.
    mutating func remember(_ winds: StoredWinds, by clock: RunClock) {
        stored.removeAll { $0.value(by: clock).isOfSameFlight(as: winds) }
        // The times of borrowed winds are SondeHub's.
        stored.append(winds.origin == .borrowed ? Dated(fromElsewhere: winds) : Dated(winds, by: clock))
        sort(by: clock)
    }

    /// All winds, the newest last.
    func all(by clock: RunClock) -> [StoredWinds] { stored.map { $0.value(by: clock) } }

    private mutating func sort(by clock: RunClock) {
        stored.sort { $0.time(\.at, by: clock) < $1.time(\.at, by: clock) }
        if stored.count > Self.limit { stored.removeFirst(stored.count - Self.limit) }
    }

    /// Remembers and stores winds.
    mutating func keep(_ winds: StoredWinds, _ turn: inout Turn) {
        remember(winds, by: turn.clock)
        turn.record(.winds(winds))
    }

    /// The newest winds near an ascending flight that reach above it; nil if there are none.
    func winds(above flight: Flight, of serial: SondeSerial, by clock: RunClock) -> StoredWinds? {
        guard !flight.hasDescentBegun, let first = flight.track.points.first, let newest = flight.newestTrusted else {
            return nil
        }
        let found = stored.last { dated in
            let (winds, at) = (dated.original, dated.time(\.at, by: clock))
            let age = newest.time.duration(since: at)
            guard winds.topMetres >= newest.altitudeMetres + Self.leastAboveMetres,
                (Duration.zero - Self.longestAge..<Self.longestAge).contains(age)
            else { return false }
            // The flight itself knows its own winds better. Winds of an earlier flight of the same sonde are used.
            guard winds.origin == .forecast || winds.serial != serial || at < first.time else { return false }
            let (east, north) = winds.place.offsetMetres(to: first.coordinate)
            return east * east + north * north <= Self.nearMetres * Self.nearMetres
        }
        return found?.value(by: clock)
    }
}

extension StoredWinds {
    fileprivate func isOfSameFlight(as other: StoredWinds) -> Bool {
        serial == other.serial && origin == other.origin
            && FlightSpan(since: begunAt, until: at).isOfSameFlight(
                as: FlightSpan(since: other.begunAt, until: other.at))
    }
}
