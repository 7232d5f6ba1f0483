import FlightMath
import ReceiverProtocol

/// The winds of other flights and of forecasts. They show an ascending flight the winds above itself; a forecast is also
/// joined with the own winds of the fall.
struct WindMemory: Equatable, Sendable {
    /// Flights launched within this distance are near, metres.
    static let reachMetres = 120_000.0
    private static let longestAge = Duration.seconds(31 * 86_400)
    /// The most winds that are kept. The oldest are dropped.
    private static let limit = 200
    /// A forecast that is older than the newest winds by more than this is dropped: a flight's own winds last longer, and
    /// each day brings many forecasts of launches.
    private static let forecastAge = Duration.seconds(2 * 86_400)

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
        if let newest = stored.last?.time(\.at, by: clock) {
            stored.removeAll {
                $0.original.origin == .forecast
                    && newest.duration(since: $0.time(\.at, by: clock)) > Self.forecastAge
            }
        }
        if stored.count > Self.limit { stored.removeFirst(stored.count - Self.limit) }
    }

    /// Remembers and stores winds.
    mutating func keep(_ winds: StoredWinds, _ turn: inout Turn) {
        var winds = winds
        if winds.origin == .forecast, let older = all(by: turn.clock).last(where: winds.isOfSameFlight(as:)) {
            winds = winds.continued(above: older)
        }
        remember(winds, by: turn.clock)
        turn.record(.winds(winds))
    }

    /// The winds for a flight's own prediction: of those near its launch, the ones that are nearest in time. In the ascent
    /// they must reach above the sonde; in the fall only forecasts count. Nil if there are none.
    func winds(for flight: Flight, of serial: SondeSerial, by clock: RunClock) -> StoredWinds? {
        guard let first = flight.track.points.first, let newest = flight.newestTrusted else { return nil }
        let isFalling = flight.hasDescentBegun
        func age(_ dated: Dated<StoredWinds>) -> Double {
            abs(newest.time.seconds(since: dated.time(\.at, by: clock)))
        }
        let usable = stored.lazy.filter { dated in
            let winds = dated.original
            guard age(dated) < Self.longestAge.inSeconds, winds.reaches(newest, isFalling: isFalling),
                !isFalling || winds.origin == .forecast && age(dated) <= StoredWinds.freshSeconds
            else { return false }
            if isFalling, winds.serial == serial { return true }
            // The flight itself knows its own winds better. Winds of an earlier flight of the same sonde are used.
            guard winds.origin == .forecast || winds.serial != serial || dated.time(\.at, by: clock) < first.time
            else { return false }
            let (east, north) = winds.place.offsetMetres(to: first.coordinate)
            return east * east + north * north <= Self.reachMetres * Self.reachMetres
        }
        return usable.min { age($0) < age($1) }?.value(by: clock)
    }
}

extension StoredWinds {
    /// Winds that reach less far above an ascending flight are useless, metres.
    private static let leastAboveMetres = 1000.0

    fileprivate func reaches(_ sonde: TrackPoint, isFalling: Bool) -> Bool {
        guard isFalling else { return topMetres >= sonde.altitudeMetres + Self.leastAboveMetres }
        return layers.first.map { $0.altitudeMetres < sonde.altitudeMetres } ?? false
    }

    fileprivate func isOfSameFlight(as other: StoredWinds) -> Bool {
        serial == other.serial && origin == other.origin
            && FlightSpan(since: begunAt, until: at).isOfSameFlight(
                as: FlightSpan(since: other.begunAt, until: other.at))
    }
}
