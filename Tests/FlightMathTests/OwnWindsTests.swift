import Foundation
import ReceiverSimulator
import TestSupport
import Testing

@testable import FlightMath

@Suite struct OwnWindsTests {
    private static let predictor = OwnWindsPredictor()

    private static func prediction(_ points: [TrackPoint], ground: Double? = nil) -> LandingPrediction? {
        var flight = Flight()
        flight.knownGround = ground.map { Ground(metres: $0, origin: .config) }
        _ = flight.add(points)
        return predictor.prediction(for: flight)
    }

    /// Altitude -> sqrt(rho / rho0), by the ICAO tables.
    @Test(arguments: [(0.0, 1.0), (5000.0, 0.7752), (11_000.0, 0.5450), (20_000.0, 0.2681), (32_000.0, 0.1039)])
    func atmosphere(_ metres: Double, _ root: Double) {
        #expect(abs(Atmosphere.densityRoot(at: metres) - root) < 0.0002)
        let slope = Atmosphere.fallMetres(at: metres + 50) - Atmosphere.fallMetres(at: metres - 50)
        #expect(abs(slope / 100 - root) < 0.001)
    }

    /// Altitude -> the wind's strength as a share of the jet stream's.
    @Test(arguments: [
        (-100.0, 0.20), (0, 0.20), (1500, 0.30), (10_000, 1), (13_000, 0.875), (22_000, 0.13), (35_000, 0.13),
    ])
    func theAssumedWindFollowsTheAltitude(_ metres: Double, _ share: Double) {
        #expect(abs(WindShape.share(at: metres) - share) < 1e-9)
    }

    /// The profile returns the measured wind. A long step is divided among the layers that it crosses.
    @Test(arguments: [1, 10, 100] as [Int64])
    func windsByLayer(_ spacing: Int64) {
        var path = FlightPath(altitude: 500, spacing: spacing)
        path.go(400, up: 5, east: 10, north: -5)
        path.go(400, up: 5, east: 30)
        path.go(1, up: 5)
        var profile = WindProfile()
        for (start, end) in zip(path.points, path.points.dropFirst()) {
            profile.add(from: start, to: end, isAscent: true)
        }
        let winds = profile.winds
        #expect(winds.layers.count == 16)
        let low = winds.wind(at: 1500, lowestHeard: 500)
        #expect(abs(low.east - 10) < 0.05 && abs(low.north + 5) < 0.05)
        #expect(abs(winds.wind(at: 4000, lowestHeard: 500).east - 30) < 0.1)
        // Above the highest layer the shape applies, with at most 1.7 times the wind. Near the ground the lowest
        // layer's wind applies.
        #expect(abs(winds.wind(at: 10_000, lowestHeard: 500).east - 30 * 1.7) < 0.2)
        #expect(abs(winds.wind(at: 100, lowestHeard: 500).east - 10) < 0.1)
    }

    /// A first fix that is 330 m off gives no wrong wind, at any spacing at which it can be detected.
    @Test(arguments: [1, 5, 10] as [Int64])
    func aWrongFirstFixIsNoWind(_ spacing: Int64) throws {
        var path = FlightPath(spacing: spacing)
        path.glitch(place: path.place.moved(east: 330, north: 0))
        path.go(600, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        let lowest = try #require(flight.judge.winds.winds.layers.first)
        #expect(abs(lowest.drift.east / lowest.drift.seconds - 10) < 0.1)
    }

    /// A flight through a wind field. After the burst the real landing lies within the radius, and the error shrinks.
    /// In the ascent the landing point after an immediate burst is another one.
    @Test(arguments: [(8.0, 46.0), (179.8, -20.0), (-179.9, 60.0), (10.0, 89.9), (0.0, -89.95)])
    func thePredictionConverges(_ longitude: Double, _ latitude: Double) throws {
        var path = FlightPath(altitude: 500, latitude: latitude, longitude: longitude, spacing: 2)
        let wind = { (metres: Double) in 5 + 25 * exp(-pow((metres - 11_000) / 5000, 2)) }
        while path.altitude < 30_000 { path.go(2, up: 5, east: wind(path.altitude)) }
        let rising = try #require(Self.prediction(path.points.filter { $0.altitudeMetres < 15_000 }))
        #expect(rising.burst?.altitudeMetres == 30_000)
        #expect(rising.path.contains { $0.altitudeMetres == 30_000 })
        #expect(rising.landingIfBurstNow != nil && rising.landingIfBurstNow != rising.landing)
        let top = path.points.count
        while path.altitude > 500 {
            path.go(2, up: -6 / Atmosphere.densityRoot(at: path.altitude), east: wind(path.altitude))
        }
        var errors: [Double] = []
        for height in [20_000.0, 10_000, 3000] {
            let heard = path.points[..<top] + path.points[top...].prefix { $0.altitudeMetres > height }
            let prediction = try #require(Self.prediction(Array(heard)))
            #expect(prediction.burst == nil && prediction.landingIfBurstNow == nil)
            #expect(prediction.path.count <= 200)
            #expect(prediction.path.first?.coordinate == heard.last?.coordinate)
            #expect(prediction.path.last == prediction.landing)
            #expect(prediction.inputs.descentRateOrigin == "measured")
            errors.append(prediction.landing.coordinate.distanceMetres(to: path.place))
            // Near a pole "east" changes with each step, so the radius means nothing there.
            if abs(latitude) < 80 { #expect(errors.last ?? .infinity < prediction.radius.metres90) }
        }
        if abs(latitude) < 80 { #expect(errors[2] < 500) }
        #expect(errors.allSatisfy { $0.isFinite })
    }

    /// Seconds of fall -> the origin of the descent rate: the prior if no point is usable, a blend, or the measured
    /// rate.
    @Test(arguments: [(20, "prior"), (60, "blended"), (400, "measured")] as [(Int64, String)])
    func originOfTheDescentRate(_ seconds: Int64, _ origin: String) throws {
        var path = FlightPath()
        path.go(5000, up: 5.5, east: 10)
        let end = path.second + seconds
        while path.second < end { path.go(1, up: -4 / Atmosphere.densityRoot(at: path.altitude), east: 10) }
        let prediction = try #require(Self.prediction(path.points))
        #expect(prediction.inputs.descentRateOrigin == origin)
        if origin == "measured" { #expect(abs(prediction.inputs.descentRate - 4) < 0.05) }
        if origin == "prior" { #expect(prediction.inputs.descentRate == 6) }
    }

    /// The measured rate counts alone after a fall through as much air as 1200 m have at sea level. That takes as long
    /// after a low burst as after a high one. Under a big parachute it takes 2000 m, because the prior is better there.
    /// Burst altitude in metres, seconds of a fall of 4 m/s, growth -> the origin.
    @Test(
        arguments: [
            (9000.0, 290, 0.2, "blended"), (9000, 310, 0.2, "measured"), (30_000, 290, 0.2, "blended"),
            (30_000, 310, 0.2, "measured"), (30_000, 490, 0, "blended"), (30_000, 510, 0, "measured"),
        ] as [(Double, Int64, Double, String)])
    func theBlendFollowsTheWayThroughTheAir(
        _ burst: Double, _ seconds: Int64, _ growth: Double, _ origin: String
    ) throws {
        var path = FlightPath()
        path.go(Int64((burst - path.altitude) / 5), up: 5, east: 10)
        let end = path.second + seconds
        while path.second < end { path.go(1, up: -4 / Atmosphere.densityRoot(at: path.altitude), east: 10) }
        var options = OwnWindsOptions()
        options.descentGrowth = growth
        var flight = Flight()
        _ = flight.add(path.points)
        let prediction = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        #expect(prediction.inputs.descentRateOrigin == origin)
        #expect(abs(prediction.inputs.descentRate - 4) < 0.2)
    }

    /// After a gap the rate from before the gap stays, also after a second gap, until a new rate is measured.
    @Test func theMeasuredRateOutlivesAGap() throws {
        var path = FlightPath()
        path.go(5000, up: 5.5, east: 10)
        var flight = Flight()
        var heard = 0
        func fall(_ seconds: Int64, rate: Double) {
            let end = path.second + seconds
            while path.second < end { path.go(1, up: -rate / Atmosphere.densityRoot(at: path.altitude), east: 10) }
        }
        func hear(last count: Int) throws -> LandingPrediction.Inputs {
            _ = flight.add(Array(path.points[heard...].suffix(count)))
            heard = path.points.count
            return try #require(Self.predictor.prediction(for: flight)).inputs
        }
        fall(400, rate: 4)
        #expect(try abs(hear(last: .max).descentRate - 4) < 0.05)
        for seconds in [200, 5, 300] as [Int64] {
            fall(seconds, rate: 7)
            let inputs = try hear(last: seconds == 5 ? 5 : 1)
            #expect(abs(inputs.descentRate - 4) < 0.05 && inputs.descentRateOrigin == "measured")
        }
        fall(20, rate: 7)
        #expect(try abs(hear(last: 20).descentRate - 7) < 0.1)
    }

    /// Minutes and kilometres to go, minutes of unknown wind, share of the measured rate -> the radii in kilometres.
    @Test(
        arguments: [
            (false, [10.0, 20, 0, 1], 3.2, 5.5), (false, [10, 20, 0, 0], 3.2, 9.0), (false, [0, 0, 5, 1], 1.35, 2.9),
            (true, [10, 20, 0, 1], 2.04, 5.0), (true, [10, 20, 0, 0], 2.04, 5.0), (true, [0, 0, 5, 1], 1.5, 3.4),
        ] as [(Bool, [Double], Double, Double)])
    func radiiOfTheDescent(_ isBig: Bool, _ values: [Double], _ half: Double, _ most: Double) {
        let radius = RadiusFormula(isBigParachute: isBig).radius(
            by: .descent(
                minutes: values[0], kilometres: values[1], blindMinutes: values[2], measuredShare: values[3]))
        #expect(abs(radius.metres50 - half * 1000) < 1e-6 && abs(radius.metres90 - most * 1000) < 1e-6)
    }

    /// How far off the landing time is: far in the ascent, whatever is known of the winds, and ever less in the fall.
    @Test(arguments: [true, false]) func timesOff(_ isBig: Bool) {
        let formula = RadiusFormula(isBigParachute: isBig)
        func fall(_ minutes: Double) -> Double {
            formula.radius(by: .descent(minutes: minutes, kilometres: 0, blindMinutes: 0, measuredShare: 1)).seconds50
        }
        func climb(_ certainty: Double) -> Double {
            formula.radius(by: .ascent(minutesAbove: 40, kilometres: 30, certainty: certainty)).seconds50
        }
        #expect(fall(0) >= 30 && fall(2) < 60 && fall(40) > fall(10) && fall(40) < climb(0))
        #expect(climb(0) == climb(1))
    }

    /// The inputs for a forecast server: in the ascent, above the configured burst, and in the descent.
    @Test func onlineInputs() throws {
        var path = FlightPath()
        var flight = Flight()
        #expect(Self.predictor.onlineInputs(for: flight) == nil)
        path.go(2000, up: 5.5, east: 10)
        _ = flight.add(path.points)
        #expect(
            Self.predictor.onlineInputs(for: flight)
                == OnlineInputs(
                    ascentRate: 5.5, burstAltitudeMetres: 30_000, descentRate: 6, descentRateOrigin: "prior"))
        path.go(3500, up: 5.5, east: 10)
        _ = flight.add(Array(path.points.suffix(3500)))
        let high = try #require(Self.predictor.onlineInputs(for: flight))
        #expect(high.burstAltitudeMetres == path.points[5499].altitudeMetres + 1500)
        path.fall(to: 10_500, rate: 4, east: 10)
        _ = flight.add(Array(path.points.dropFirst(5500)))
        let falling = try #require(Self.predictor.onlineInputs(for: flight))
        let height = try #require(flight.newest).altitudeMetres
        #expect(falling.burstAltitudeMetres == height + 10)
        #expect(abs(falling.descentRate - 4 * exp(0.2 * (height - 500) / 20_000)) < 0.05)
    }

    /// A fault -> whether there is a prediction. If there is, the real landing lies within its radius.
    @Test(arguments: [
        ("nothing", false), ("one point", false), ("launch pad", false), ("landed", false), ("frozen altitude", false),
        ("altitude 0", false), ("three points", true), ("holes", true), ("first fix wrong", true),
        ("zeros between", true), ("only the descent", true), ("level", true),
    ])
    func badTracks(_ name: String, _ hasAnswer: Bool) throws {
        var path = FlightPath()
        var truth: Coordinate?
        switch name {
        case "nothing": break
        case "one point": path.go(1)
        case "launch pad": path.go(600)
        case "landed":
            path.go(500, up: 5, east: 10)
            path.fall(to: 500, rate: 6)
            path.go(100)
        case "frozen altitude":
            path.go(500, up: 5, east: 10)
            path.go(60, east: 10)
        case "altitude 0":
            path.altitude = 0
            path.go(600, east: 10)
        case "three points":
            path.spacing = 30
            path.go(90, up: 5, east: 10)
        case "level":
            path.altitude = 12_000
            for _ in 0..<300 {
                path.go(1, up: 0.4, east: 10)
                path.go(1, up: -0.4, east: 10)
            }
        case "only the descent":
            path.altitude = 9000
            path.fall(to: 4000, rate: 6, east: 10)
            let heard = path.points
            path.fall(to: 0, rate: 6, east: 10)
            truth = path.place
            path.points = heard
        default:
            if name == "first fix wrong" { path.glitch(place: path.place.moved(east: 330, north: 0)) }
            path.go(5000, up: 5, east: 10)
            path.fall(to: 8000, rate: 6, east: 10)
            var heard = path.points
            if name == "holes" { heard.removeAll { (700..<900).contains($0.second % 1000) } }
            if name == "zeros between" {
                for index in heard.indices where index % 7 == 3 { heard[index].altitudeMetres = 0 }
            }
            path.fall(to: 500, rate: 6, east: 10)
            truth = path.place
            path.points = heard
        }
        let prediction = Self.prediction(path.points)
        #expect((prediction != nil) == hasAnswer)
        guard let prediction else { return }
        #expect(prediction.radius.metres90.isFinite && prediction.radius.metres90 >= prediction.radius.metres50)
        if let truth { #expect(prediction.landing.coordinate.distanceMetres(to: truth) <= prediction.radius.metres90) }
        if truth == nil { #expect(prediction.radius.metres90 > 20_000) }
    }

    /// For any points and options there is a prediction with finite numbers and at most 200 points, or none.
    @Test(arguments: 0..<300)
    func randomTracks(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var options = OwnWindsOptions()
        let odd = [0, -5, 1e300, .infinity, .nan, 6, 30_000]
        options.ascentRate = odd.randomElement(using: &random) ?? 5
        options.descentRate = odd.randomElement(using: &random) ?? 6
        options.burstAltitudeMetres = odd.randomElement(using: &random) ?? 30_000
        options.descentGrowth = [0, 0.2, 50, -50, .nan, .infinity].randomElement(using: &random) ?? 0
        var flight = Flight()
        let ground = [nil, -1e300, 400, 1e300, .nan].randomElement(using: &random) ?? nil
        flight.knownGround = ground.map { Ground(metres: $0, origin: .config) }
        var path = FlightPath(
            altitude: Double.random(in: -500...40_000, using: &random),
            latitude: Double.random(in: -90...90, using: &random),
            longitude: Double.random(in: -180...180, using: &random), spacing: Int64.random(in: 1...90, using: &random))
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            path.go(
                Int64.random(in: 1...900, using: &random), up: Double.random(in: -40...20, using: &random),
                east: Double.random(in: -100...100, using: &random),
                north: Double.random(in: -100...100, using: &random))
        }
        for point in path.points {
            _ = flight.insert(point)
            guard Int.random(in: 0..<20, using: &random) == 0,
                let prediction = OwnWindsPredictor(options: options).prediction(for: flight)
            else { continue }
            #expect(prediction.path.count <= 200)
            #expect(prediction.path.allSatisfy { $0.coordinate.isOnEarth && $0.altitudeMetres.isFinite })
            #expect(prediction.radius.metres50.isFinite && prediction.radius.metres90.isFinite)
            #expect(prediction.minutesToGo.isFinite && prediction.minutesToGo >= 0)
            #expect(prediction.inputs.descentRate.isFinite && prediction.inputs.groundMetres.isFinite)
        }
    }

    /// In simulated flights the prediction's error shrinks towards the landing.
    @Test func simulatedFlightsConverge() throws {
        var errors: [Double: [Double]] = [:]
        var inside = 0
        var all = 0
        for seed in UInt64(1)...20 {
            var model = FlightModel(seed: seed, launchDelay: .seconds(60))
            var flight = Flight()
            var predictions: [(height: Double, prediction: LandingPrediction)] = []
            var heights = [15_000.0, 3000, 1000][...]
            var hasBurst = false
            while model.phase != .landed {
                model.advance(by: .seconds(1))
                let here = Coordinate(latitude: model.latitude, longitude: model.longitude)
                _ = flight.insert(
                    TrackPoint(
                        time: FlightPath.time(model.elapsed.components.seconds), coordinate: here,
                        altitudeMetres: model.altitudeMetres, source: .ble))
                if model.phase == .descending, !hasBurst { hasBurst = true }
                guard hasBurst, let height = heights.first, model.altitudeMetres < height else { continue }
                heights = heights.dropFirst()
                predictions.append((height, try #require(Self.predictor.prediction(for: flight))))
            }
            let truth = Coordinate(latitude: model.latitude, longitude: model.longitude)
            for (height, prediction) in predictions {
                let error = prediction.landing.coordinate.distanceMetres(to: truth)
                errors[height, default: []].append(error)
                all += 1
                if error <= prediction.radius.metres90 { inside += 1 }
            }
        }
        let medians = [15_000.0, 3000, 1000].compactMap { errors[$0]?.median }
        #expect(medians == medians.sorted(by: >))
        #expect(medians[0] < 5000 && medians[2] < 300, "\(medians)")
        #expect(Double(inside) >= 0.85 * Double(all), "\(inside) of \(all)")
    }
}
