import FlightMath
import Foundation
import ReceiverProtocol

/// The recorded flights, and for each moment of one flight the winds of the others that were known by then.
///
/// The other flight is the newest one that was launched within 120 km in the 31 days before and had been heard higher
/// than the own flight by then.
struct OtherFlights {
    private static let nearMetres = 120_000.0
    private static let oldest = 31 * 86_400.0
    private static let higherMetres = 1000.0

    let tracks: [RecordedTrack]
    private var rows: [String: CSV.Row] = [:]
    private var whole: [String: StoredWinds] = [:]

    init(tracks: [RecordedTrack], expected: CSV) {
        self.tracks = tracks
        for row in expected.rows { if let name = row.text("flight") { rows[name] = row } }
    }

    func options(_ track: RecordedTrack) -> OwnWindsOptions {
        let row = rows[track.name]
        var options = OwnWindsOptions()
        options.descentRate = row?.number("cfg_v0") ?? (track.isRadiosonde ? 6 : 4.8)
        options.descentGrowth = row?.number("cfg_growth") ?? (track.isRadiosonde ? 0.2 : 0)
        options.burstAltitudeMetres = track.isRadiosonde ? 33_000 : 29_000
        return options
    }

    /// The flight as far as it had been heard by `time`.
    func flight(_ track: RecordedTrack, until time: WallTime) -> Flight {
        var flight = Flight()
        flight.knownGround = rows[track.name]?.number("cfg_ground").map { Ground(metres: $0, origin: .config) }
        for point in track.points where point.time <= time { _ = flight.insert(point) }
        return flight
    }

    /// Where the flight really landed; nil if nobody knows.
    func observedLanding(_ track: RecordedTrack) -> Coordinate? {
        guard let latitude = rows[track.name]?.number("true_lat"),
            let longitude = rows[track.name]?.number("true_lon")
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Where the flight landed. A track that ends in the air counts as landed where the prediction from its last point
    /// ends.
    func landing(_ track: RecordedTrack) -> Coordinate? {
        guard let last = track.points.last else { return nil }
        return observedLanding(track)
            ?? OwnWindsPredictor(options: options(track)).prediction(for: flight(track, until: last.time))?.landing
            .coordinate ?? last.coordinate
    }

    mutating func other(for track: RecordedTrack, at moment: TrackPoint) -> StoredWinds? {
        guard let first = track.points.first else { return nil }
        var newest: StoredWinds?
        for candidate in tracks where candidate.name != track.name {
            guard let start = candidate.points.first, start.time < moment.time,
                moment.time.millisecondsSince1970 - start.time.millisecondsSince1970 < Int64(Self.oldest * 1000),
                start.coordinate.distanceMetres(to: first.coordinate) <= Self.nearMetres,
                let winds = winds(of: candidate, until: moment.time),
                winds.topMetres >= moment.altitudeMetres + Self.higherMetres
            else { continue }
            if newest.map({ $0.at < winds.at }) ?? true { newest = winds }
        }
        return newest
    }

    /// The winds of the whole flight, dated as if they had just been measured.
    mutating func allWinds(_ track: RecordedTrack, at time: WallTime) -> StoredWinds? {
        guard let last = track.points.last, var winds = winds(of: track, until: last.time) else { return nil }
        winds.at = time
        return winds
    }

    private mutating func winds(of track: RecordedTrack, until time: WallTime) -> StoredWinds? {
        let isOver = track.points.last.map { $0.time <= time } ?? false
        if isOver, let known = whole[track.name] { return known }
        guard let serial = SondeSerial(name: track.name, type: .other("x")) else { return nil }
        let winds = flight(track, until: time).winds(of: serial)
        if isOver { whole[track.name] = winds }
        return winds
    }
}
