import FlightMath
import Foundation
import ReceiverProtocol

/// Compares the fall's predictions by the own winds alone with those joined with a forecast. The forecast is made up: the
/// winds that the flight really met in its fall, with an error that is the same over some kilometres of height. It also
/// knows the ground.
struct JoinedWindFigures {
    /// The height over which the forecast's error fades, metres.
    private static let correlation = 2000.0
    /// The forecast's error: the root of the mean square of its length, m/s.
    private static let errors = [0.0, 2.5, 4]
    /// The forecasts of each flight and error.
    private static let forecasts: UInt64 = 5
    private static let kilometres = [20, 10, 5, 2, 1]

    private struct Outcome {
        var isRadiosonde: Bool
        var kilometres: Int
        /// Kilometres; the joined ones by the forecast's error.
        var alone: Double
        var joined: [Double: [Double]] = [:]
        var inside50 = 0.0
        var inside90 = 0.0
    }

    private var outcomes: [Outcome] = []

    init(_ flights: OtherFlights) {
        for (index, track) in flights.tracks.enumerated() {
            guard let truth = flights.observedLanding(track), let end = track.points.last else { continue }
            let fall = track.points.filter { !track.isAscent($0) }
            guard let met = Self.winds(of: fall) else { continue }
            for kilometres in Self.kilometres {
                let height = end.altitudeMetres + Double(kilometres) * 1000
                guard let moment = fall.first(where: { $0.altitudeMetres <= height }) else { continue }
                let flight = flights.flight(track, until: moment.time)
                var options = flights.options(track)
                guard let alone = OwnWindsPredictor(options: options).prediction(for: flight) else { continue }
                var outcome = Outcome(
                    isRadiosonde: track.isRadiosonde, kilometres: kilometres,
                    alone: alone.landing.coordinate.distanceMetres(to: truth) / 1000)
                // An online answer ends on the server's ground.
                var online = flight
                online.knownGround = Ground(metres: end.altitudeMetres, origin: .forecast)
                for error in Self.errors {
                    for seed in 0..<(error > 0 ? Self.forecasts : 1) {
                        var random = Noise(state: UInt64(index) &* 1000 &+ seed &+ UInt64(error * 100_000))
                        options.otherWinds = Self.forecast(met, error: error, at: moment.time, &random)
                        guard let joined = OwnWindsPredictor(options: options).prediction(for: online) else { continue }
                        let metres = joined.landing.coordinate.distanceMetres(to: truth)
                        outcome.joined[error, default: []].append(metres / 1000)
                        guard error == 2.5 else { continue }
                        outcome.inside50 += (metres <= joined.radius.metres50 ? 1 : 0) / Double(Self.forecasts)
                        outcome.inside90 += (metres <= joined.radius.metres90 ? 1 : 0) / Double(Self.forecasts)
                    }
                }
                outcomes.append(outcome)
            }
        }
    }

    private static func winds(of fall: [TrackPoint]) -> StoredWinds? {
        guard let serial = SondeSerial(name: "V1", type: .rs41), let last = fall.last else { return nil }
        return StoredWinds(forecast: fall, burstAt: nil, of: serial, at: last.time)
    }

    private static func forecast(
        _ met: StoredWinds, error: Double, at time: WallTime, _ random: inout Noise
    ) -> StoredWinds {
        var winds = met
        winds.at = time
        let keep = exp(-250 / correlation)
        let fresh = (1 - keep * keep).squareRoot()
        let size = error / 2.0.squareRoot()
        var (east, north) = (random.normal, random.normal)
        for index in winds.layers.indices {
            winds.layers[index].east += size * east
            winds.layers[index].north += size * north
            (east, north) = (keep * east + fresh * random.normal, keep * north + fresh * random.normal)
        }
        return winds
    }

    func report() {
        print("\nThe fall with own winds alone, and joined with a forecast that errs by so many m/s (error km p50/p90)")
        for isRadiosonde in [true, false] {
            for kilometres in Self.kilometres {
                let here = outcomes.filter { $0.isRadiosonde == isRadiosonde && $0.kilometres == kilometres }
                guard !here.isEmpty else { continue }
                let columns = Self.errors.map { error in
                    padded(
                        "\(decimal(error, 1)): " + Self.figures(here.flatMap { $0.joined[error] ?? [] }), 20)
                }
                // As often as there are forecasts: percentiles of few flights depend on their number.
                let alone = here.flatMap { [Double](repeating: $0.alone, count: Int(Self.forecasts)) }
                let inside = [here.map(\.inside50), here.map(\.inside90)].map { shares in
                    decimal(100 * shares.reduce(0, +) / Double(here.count), 0)
                }
                print(
                    padded((isRadiosonde ? "RS  " : "HAB ") + "dn\(kilometres)", 10) + padded("\(here.count)", 4)
                        + padded("alone " + Self.figures(alone), 21) + columns.joined()
                        + "inside R50/R90 at 2.5: \(inside[0])/\(inside[1]) %")
            }
        }
    }

    private static func figures(_ values: [Double]) -> String {
        "\(decimal(values.percentile(50))) / \(decimal(values.percentile(90)))"
    }
}
