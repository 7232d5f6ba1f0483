import FlightMath
import Foundation

/// Prints a line for each kilometre of each flight: the prediction's error, its radii, and the quantities behind them.
/// `fit-radii.py` reads it.
struct RadiusRows {
    private static let columns =
        "class,flight,moment,error_km,r50_km,r90_km,alone50_km,alone90_km,minutes,certainty,weight"
    private static let heights = [1, 2] + Array(3...30)

    private var flights: OtherFlights

    init(_ flights: OtherFlights) { self.flights = flights }

    mutating func report() {
        print(Self.columns)
        for track in flights.tracks {
            if let truth = flights.landing(track) { ascent(track, truth) }
            // In the descent a landing guessed from the track's end would agree with the prediction itself.
            if let truth = flights.observedLanding(track) { descent(track, truth) }
        }
    }

    private mutating func ascent(_ track: RecordedTrack, _ truth: Coordinate) {
        for height in Self.heights where height > 3 {
            guard let moment = track.points.first(where: { $0.altitudeMetres >= Double(height) * 1000 }),
                track.isAscent(moment)
            else { return }
            var options = flights.options(track)
            options.otherWinds = flights.other(for: track, at: moment)
            row(
                track, "up\(height)", flights.flight(track, until: moment.time), options, truth,
                weight: options.otherWinds?.weight(at: moment.time) ?? 0)
        }
    }

    private func descent(_ track: RecordedTrack, _ truth: Coordinate) {
        guard let end = track.points.last?.altitudeMetres else { return }
        let fall = track.points.filter { !track.isAscent($0) }
        for height in Self.heights {
            guard let moment = fall.first(where: { $0.altitudeMetres <= end + Double(height) * 1000 }) else { continue }
            row(
                track, "dn\(height)", flights.flight(track, until: moment.time), flights.options(track), truth,
                weight: 0)
        }
    }

    private func row(
        _ track: RecordedTrack, _ moment: String, _ flight: Flight, _ options: OwnWindsOptions, _ truth: Coordinate,
        weight: Double
    ) {
        guard let prediction = OwnWindsPredictor(options: options).prediction(for: flight),
            let basis = prediction.radiusBasis
        else { return }
        let formula = RadiusFormula(isBigParachute: !track.isRadiosonde)
        var (alone, minutes, known) = (prediction.radius, prediction.minutesToGo, 0.0)
        if case .ascent(let above, let kilometres, let certainty) = basis {
            alone = formula.radius(by: .ascent(minutesAbove: above, kilometres: kilometres, certainty: 0))
            (minutes, known) = (above, certainty)
        }
        let kilometres = [
            prediction.landing.coordinate.distanceMetres(to: truth), prediction.radius.metres50,
            prediction.radius.metres90, alone.metres50, alone.metres90,
        ].map { decimal($0 / 1000, 3) }
        let numbers = [minutes, known, weight].map { decimal($0, 3) }
        print(([track.isRadiosonde ? "RS" : "HAB", track.name, moment] + kilometres + numbers).joined(separator: ","))
    }
}
