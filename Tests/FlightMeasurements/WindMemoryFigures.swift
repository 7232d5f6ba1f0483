import FlightMath
import Foundation

/// Compares the ascent's predictions with and without the winds of other flights, by the age of these winds.
///
/// The last two columns show how much better winds could help at most: the winds that the flight itself met later, and
/// these winds with the real burst and descent rate. The difference between the two columns does not come from winds.
struct WindMemoryFigures {
    private enum Age: String, CaseIterable {
        case day = "up to 26 h old"
        case older = "up to 31 days old"
        case none = "no other flight"
    }

    private struct Outcome {
        var moment: Int
        var isRadiosonde: Bool
        var age: Age
        /// Kilometres.
        var alone, joined, ownWinds, allKnown: Double
        var isInside50, isInside90: Bool
        var otherAgeHours, topKilometres: Double
        var flight: String
    }

    private static let freshHours = 26.0
    private static let heights = [5, 10, 15, 20, 25]

    private var outcomes: [Outcome] = []
    private var flights: OtherFlights

    init(_ flights: OtherFlights) {
        self.flights = flights
        for track in flights.tracks { measure(track) }
    }

    private mutating func measure(_ track: RecordedTrack) {
        guard let truth = flights.landing(track) else { return }
        for height in Self.heights {
            guard let moment = track.points.first(where: { $0.altitudeMetres >= Double(height) * 1000 }),
                track.isAscent(moment)
            else { continue }
            let flight = flights.flight(track, until: moment.time)
            var options = flights.options(track)
            let predict = { (options: OwnWindsOptions) -> LandingPrediction? in
                OwnWindsPredictor(options: options).prediction(for: flight)
            }
            let error = { (prediction: LandingPrediction) in
                prediction.landing.coordinate.distanceMetres(to: truth)
            }
            guard let alone = predict(options) else { continue }
            let other = flights.other(for: track, at: moment)
            options.otherWinds = other
            guard let joined = predict(options) else { continue }
            options.otherWinds = flights.allWinds(track, at: moment.time)
            let ownWinds = predict(options) ?? alone
            options.burstAltitudeMetres = track.topMetres
            options.descentRate = track.meanDescentRate ?? options.descentRate
            let allKnown = predict(options) ?? alone
            let hours = other.map {
                Double(moment.time.millisecondsSince1970 - $0.at.millisecondsSince1970) / 3_600_000
            }
            outcomes.append(
                Outcome(
                    moment: height, isRadiosonde: track.isRadiosonde,
                    age: hours.map { $0 <= Self.freshHours ? .day : .older } ?? .none, alone: error(alone) / 1000,
                    joined: error(joined) / 1000, ownWinds: error(ownWinds) / 1000, allKnown: error(allKnown) / 1000,
                    isInside50: error(joined) <= joined.radius.metres50,
                    isInside90: error(joined) <= joined.radius.metres90, otherAgeHours: hours ?? .nan,
                    topKilometres: (other?.topMetres ?? .nan) / 1000, flight: track.name))
        }
    }

    func report(isVerbose: Bool) {
        print("\nThe winds of other flights (error km p50/p90)")
        for isRadiosonde in [true, false] {
            for age in Age.allCases {
                for height in Self.heights {
                    let here = outcomes.filter {
                        $0.isRadiosonde == isRadiosonde && $0.age == age && $0.moment == height
                    }
                    guard !here.isEmpty else { continue }
                    print(
                        padded((isRadiosonde ? "RS  " : "HAB ") + "up\(height), \(age.rawValue)", 30)
                            + padded("\(here.count)", 4) + padded("alone " + Self.figures(here.map(\.alone)), 21)
                            + padded("joined " + Self.figures(here.map(\.joined)), 22)
                            + padded(
                                "inside R50/R90 \(Self.share(here, \.isInside50))/\(Self.share(here, \.isInside90)) %",
                                26)
                            + padded("own winds " + Self.figures(here.map(\.ownWinds)), 24)
                            + "and burst, v0 " + Self.figures(here.map(\.allKnown)))
                }
            }
        }
        guard isVerbose else { return }
        for outcome in outcomes where outcome.age != .none {
            print(
                "    \(outcome.flight) up\(outcome.moment): other \(decimal(outcome.otherAgeHours, 1)) h old, to "
                    + "\(decimal(outcome.topKilometres, 1)) km: "
                    + "\(decimal(outcome.alone, 1)) -> \(decimal(outcome.joined, 1))")
        }
    }

    private static func figures(_ values: [Double]) -> String {
        "\(decimal(values.percentile(50), 1)) / \(decimal(values.percentile(90), 1))"
    }

    private static func share(_ outcomes: [Outcome], _ isInside: (Outcome) -> Bool) -> String {
        decimal(100 * Double(outcomes.count(where: isInside)) / Double(outcomes.count), 0)
    }
}
