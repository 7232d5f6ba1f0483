import FlightMath
import Foundation

/// Compares rules for the constant descent rate that is sent to a forecast server, under the winds that the flight really
/// met: a radiosonde falls faster and faster, and the server knows only one rate at sea level.
struct DescentRateFigures {
    private static let kilometres = [14, 12, 10, 8, 5, 3, 2]

    /// The growth of the rate per 10 km that a rule assumes.
    private static let rules = [("as sent", 0.2), ("half the growth", 0.1), ("plain", 0)]

    let flights: OtherFlights

    func report() {
        print(
            "\nThe rate for a forecast server, radiosondes (time error min p50/max, place error km p50/max, true winds)"
        )
        for kilometres in Self.kilometres {
            var line = padded("dn\(kilometres)", 6)
            for (name, growth) in Self.rules {
                let errors = flights.tracks.filter(\.isRadiosonde).compactMap {
                    Self.errors($0, kilometres, growth, flights)
                }
                guard !errors.isEmpty else { continue }
                let (minutes, places) = (errors.map { abs($0.minutes) }, errors.map(\.kilometres))
                line += padded(
                    "\(name): \(decimal(minutes.percentile(50), 1)) / \(decimal(minutes.max() ?? .nan, 1)), "
                        + "\(decimal(places.percentile(50))) / \(decimal(places.max() ?? .nan))", 46)
            }
            print(line)
        }
    }

    private static func errors(
        _ track: RecordedTrack, _ kilometres: Int, _ growth: Double, _ flights: OtherFlights
    ) -> (minutes: Double, kilometres: Double)? {
        let fall = track.points.filter { !track.isAscent($0) }
        guard let ground = fall.map(\.altitudeMetres).min() else { return nil }
        let height = Double(kilometres) * 1000
        guard let start = fall.firstIndex(where: { $0.altitudeMetres <= ground + height }) else { return nil }
        var options = flights.options(track)
        options.descentGrowth = 0
        guard
            let measured = OwnWindsPredictor(options: options)
                .onlineInputs(for: flights.flight(track, until: fall[start].time))?.descentRate
        else { return nil }
        let rate = measured * exp(growth * (fall[start].altitudeMetres - ground) / 20_000)
        var (seconds, east, north) = (0.0, 0.0, 0.0)
        for (point, next) in zip(fall[start...], fall[(start + 1)...]) where next.altitudeMetres > ground + 30 {
            let time = Double(next.time.millisecondsSince1970 - point.time.millisecondsSince1970) / 1000
            guard time > 0 else { continue }
            let middle = (point.altitudeMetres + next.altitudeMetres) / 2
            let predicted = (point.altitudeMetres - next.altitudeMetres) * Atmosphere.densityRoot(at: middle) / rate
            let (drift, up) = point.coordinate.offsetMetres(to: next.coordinate)
            seconds += predicted - time
            east += drift * (predicted / time - 1)
            north += up * (predicted / time - 1)
        }
        return (seconds / 60, (east * east + north * north).squareRoot() / 1000)
    }
}
