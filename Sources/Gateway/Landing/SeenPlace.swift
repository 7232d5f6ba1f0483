import FlightMath
import ReceiverProtocol

/// Where a sonde was last seen, or landed.
struct SeenPlace: Equatable, Sendable {
    var coordinate: Coordinate
    /// Metres above sea level.
    var altitudeMetres: Double
    /// When its flight was first seen; nil if that is unknown.
    var since: WallTime?
    /// When it was seen there, or landed there.
    var at: WallTime
    /// Its landing was seen.
    var isLanding = false

    /// The best of what several sources know of one sonde: where the newest of its flights landed, else its newest place.
    static func best(of places: [SeenPlace]) -> SeenPlace? {
        guard let newest = places.max(by: { $0.at < $1.at }) else { return nil }
        let landings = places.filter { $0.isLanding && $0.span.isOfSameFlight(as: newest.span) }
        return landings.max { $0.at < $1.at } ?? newest
    }

    private var span: FlightSpan { FlightSpan(since: since, until: at) }
}

extension SeenPlace {
    /// - Returns: nil while the flight has no point.
    init?(of flight: Flight) {
        let landing = flight.landingPlace
        guard let point = landing ?? flight.lastSeen else { return nil }
        self.init(
            coordinate: point.coordinate, altitudeMetres: point.altitudeMetres, since: flight.track.points.first?.time,
            at: point.time, isLanding: landing != nil)
    }

    init?(of recorded: RecordedFlight) {
        var flight = Flight()
        _ = flight.insert(contentsOf: recorded.points)
        self.init(of: flight)
    }
}

extension SeenPlace: HoldsTimes {
    mutating func replaceTimes(_ replacement: (WallTime) -> WallTime) {
        (since, at) = (since.map(replacement), replacement(at))
    }
}

/// The places of the last sondes that are no longer followed.
struct SeenPlaces: Equatable, Sendable {
    /// The most sondes. Beyond that the one that was left first is forgotten.
    static let limit = 64

    private struct Entry: Equatable {
        var serial: SondeSerial
        var place: Dated<SeenPlace>
    }

    private var entries: [Entry] = []

    func place(of serial: SondeSerial, by clock: RunClock) -> SeenPlace? {
        entries.first { $0.serial == serial }?.place.value(by: clock)
    }

    mutating func remember(_ place: Dated<SeenPlace>, of serial: SondeSerial) {
        entries.removeAll { $0.serial == serial }
        entries.append(Entry(serial: serial, place: place))
        if entries.count > Self.limit { entries.removeFirst() }
    }
}
