import FlightMath
import Foundation

/// Compares the own-winds predictor with a reference's predictions and with the real landing places.
struct PredictionFigures {
    private struct Outcome {
        var flight: String
        var moment: String
        var isRadiosonde: Bool
        /// The distance in kilometres and seconds from the reference's prediction; nil if there is no prediction.
        var offKilometres, offSeconds: Double?
        var allowedKilometres: Double
        /// The distance in kilometres and minutes from the real landing.
        var errorKilometres, errorMinutes: Double
        var referenceErrorKilometres: Double
        var isInside50, isInside90: Bool
        /// The ratio of the predicted radius to the reference's.
        var radiusRatio: Double
    }

    private static let moments = ["up5", "up10", "up15", "up20", "up25", "burst", "dn20", "dn10", "dn5", "dn2", "dn1"]

    /// The part of a flight that nobody heard.
    enum Deafness {
        case none, lowAscent, wholeAscent

        func hears(_ point: TrackPoint, of track: RecordedTrack) -> Bool {
            switch self {
            case .none: true
            case .lowAscent: point.altitudeMetres >= 8000 || !track.isAscent(point)
            case .wholeAscent: !track.isAscent(point)
            }
        }
    }

    /// The altitude of the ground in Colorado, metres. It is used if nobody heard the launch.
    private static let highGround = 1500.0

    private let deafness: Deafness
    /// The altitude of the landing is known, as from a height model.
    private let knowsGround: Bool
    private var outcomes: [Outcome] = []
    private var withoutPrediction = 0
    private var microseconds: [Double] = []

    init(tracks: [RecordedTrack], expected: CSV, deafness: Deafness = .none, knowsGround: Bool = false) {
        (self.deafness, self.knowsGround) = (deafness, knowsGround)
        let byName = Dictionary(tracks.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for row in expected.rows {
            guard let name = row.text("flight"), let track = byName[name] else { continue }
            measure(row, track)
        }
    }

    private mutating func measure(_ row: CSV.Row, _ track: RecordedTrack) {
        guard let moment = row.text("moment"), let time = row.number("t_unix"),
            let trueLatitude = row.number("true_lat"), let trueLongitude = row.number("true_lon"),
            let trueAt = row.number("true_t")
        else { return }
        // Flights that were made have no reference.
        let latitude = row.number("pred_lat") ?? .nan
        let longitude = row.number("pred_lon") ?? .nan
        let landsAt = row.number("pred_t") ?? .nan
        var options = OwnWindsOptions()
        options.descentRate = row.number("cfg_v0") ?? options.descentRate
        options.descentGrowth = row.number("cfg_growth") ?? options.descentGrowth
        options.burstAltitudeMetres = row.number("cfg_burst") ?? options.burstAltitudeMetres
        var flight = Flight()
        let ground =
            knowsGround
            ? track.points.last?.altitudeMetres
            : row.number("cfg_ground") ?? (deafness == .none ? nil : Self.highGround)
        flight.knownGround = ground.map { Ground(metres: $0, origin: .config) }
        for point in track.points
        where Double(point.time.millisecondsSince1970) <= time * 1000 && deafness.hears(point, of: track) {
            _ = flight.insert(point)
        }
        let predictor = OwnWindsPredictor(options: options)
        let began = cpuMicroseconds()
        let prediction = predictor.prediction(for: flight)
        microseconds.append(cpuMicroseconds() - began)
        guard let prediction, let start = flight.newest else {
            withoutPrediction += 1
            return
        }
        let landing = (prediction.landing.coordinate.latitude, prediction.landing.coordinate.longitude)
        let seconds = Double(prediction.landing.time.millisecondsSince1970) / 1000
        let error = sphereMetres(landing, (trueLatitude, trueLongitude)) / 1000
        let drift =
            sphereMetres((start.coordinate.latitude, start.coordinate.longitude), (latitude, longitude)) / 1000
        outcomes.append(
            Outcome(
                flight: track.name, moment: moment, isRadiosonde: track.isRadiosonde,
                offKilometres: sphereMetres(landing, (latitude, longitude)) / 1000, offSeconds: abs(seconds - landsAt),
                allowedKilometres: max(0.3, 0.02 * drift), errorKilometres: error,
                errorMinutes: abs(seconds - trueAt) / 60,
                referenceErrorKilometres: sphereMetres((latitude, longitude), (trueLatitude, trueLongitude)) / 1000,
                isInside50: error * 1000 <= prediction.radius.metres50,
                isInside90: error * 1000 <= prediction.radius.metres90,
                radiusRatio: prediction.radius.metres90 / 1000 / (row.number("r90_km") ?? .nan)))
    }

    func report(isVerbose: Bool) {
        let within = outcomes.filter(Self.isWithin)
        let total = outcomes.count + withoutPrediction
        print("Rows of expected.csv: \(total), without a prediction \(withoutPrediction)")
        print(
            "  within max(0.3 km, 2 % of the drift) and 30 s: \(within.count) = "
                + decimal(100 * Double(within.count) / Double(max(1, total)), 1) + " % (limit 95 %)")
        print(
            "  furthest: " + decimal(outcomes.map { $0.offKilometres ?? .infinity }.max() ?? .nan) + " km (limit 3 km)")
        let ratios = outcomes.map(\.radiusRatio)
        print("  R90 against the reference's, median: \(decimal(ratios.percentile(50), 3))")
        if isVerbose {
            for outcome in outcomes where !Self.isWithin(outcome) {
                print(
                    "    \(outcome.flight) \(outcome.moment): \(decimal(outcome.offKilometres ?? .nan)) km of "
                        + "\(decimal(outcome.allowedKilometres)), \(decimal(outcome.offSeconds ?? .nan, 0)) s")
            }
        }
        table("HAB", outcomes.filter { !$0.isRadiosonde }, limit: 1.05)
        table("RS", outcomes.filter(\.isRadiosonde), limit: 1.10)
        print(
            "One prediction: median \(decimal(microseconds.percentile(50), 0)) µs, "
                + "longest \(decimal(microseconds.max() ?? .nan, 0)) µs (limit 5000 µs)\n")
    }

    private static func isWithin(_ outcome: Outcome) -> Bool {
        guard let kilometres = outcome.offKilometres, let seconds = outcome.offSeconds else { return false }
        return kilometres <= outcome.allowedKilometres && seconds <= 30
    }

    /// Prints the errors during the descent beside the medians and 90th percentiles of a reference over more flights.
    func reportDescent(_ what: String, reference: [(moment: String, isRadiosonde: Bool, figures: String)]) {
        print(what)
        for (moment, isRadiosonde, figures) in reference {
            let here = outcomes.filter { $0.moment == moment && $0.isRadiosonde == isRadiosonde }
            let errors = here.map(\.errorKilometres)
            let inside = 100 * Double(here.count { $0.isInside90 }) / Double(max(1, here.count))
            print(
                "  " + padded((isRadiosonde ? "RS " : "HAB ") + moment, 10) + padded("\(here.count)", 4)
                    + padded("\(decimal(errors.percentile(50))) / \(decimal(errors.percentile(90))) km", 18)
                    + "inside R90 \(decimal(inside, 0)) %   (reference, other flights too: \(figures))")
        }
        print("")
    }

    /// Prints the errors against the real landing places, and the number of flights that landed inside the radii.
    private func table(_ name: String, _ outcomes: [Outcome], limit: Double) {
        print("\n\(padded(name, 7)) n   error km p50/p90   reference p50/p90  inside R50/R90  minutes")
        for moment in Self.moments {
            let here = outcomes.filter { $0.moment == moment }
            guard !here.isEmpty else { continue }
            let errors = here.map(\.errorKilometres)
            let reference = here.map(\.referenceErrorKilometres)
            let isWorse = [50.0, 90].contains { errors.percentile($0) > limit * reference.percentile($0) }
            let share = { (count: Int) in decimal(100 * Double(count) / Double(here.count), 0) }
            print(
                padded(moment, 8) + padded("\(here.count)", 4)
                    + padded("\(decimal(errors.percentile(50))) / \(decimal(errors.percentile(90)))", 19)
                    + padded("\(decimal(reference.percentile(50))) / \(decimal(reference.percentile(90)))", 19)
                    + padded("\(share(here.count { $0.isInside50 })) / \(share(here.count { $0.isInside90 })) %", 16)
                    + decimal(here.map(\.errorMinutes).percentile(50), 1) + (isWorse ? "   WORSE than the limit" : ""))
        }
    }
}
