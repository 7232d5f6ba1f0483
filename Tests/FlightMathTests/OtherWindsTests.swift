import Foundation
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath

/// The winds of other flights and forecasts, which count above the highest own wind.
@Suite struct OtherWindsTests {
    /// 20 m/s to the east and 5 to the south, from the ground to 25 km.
    private static func other(hoursOld hours: Double, origin: StoredWinds.Origin = .flight) throws -> StoredWinds {
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let layers = stride(from: 125.0, to: 25_000, by: 250).map {
            StoredWinds.Layer(altitudeMetres: $0, east: 20, north: -5, seconds: 50)
        }
        return StoredWinds(
            origin: origin, serial: serial, place: Coordinate(latitude: 47, longitude: 8),
            at: FlightPath.time(1000).advanced(by: .seconds(-hours * 3600)), layers: layers)
    }

    /// The age of winds in hours -> how far to trust them.
    @Test(arguments: [
        (0.0, 1.0), (-1, 1), (12, 1), (24, 0.904837), (240, 0.367879), (500, 0.25), (700, 0.25),
    ]) func theWeightFallsWithAge(_ hours: Double, _ weight: Double) throws {
        #expect(abs(try Self.other(hoursOld: hours).weight(at: FlightPath.time(1000)) - weight) < 1e-6)
    }

    /// Above the highest own wind the other winds count. They are shifted by their difference from the own wind there,
    /// which fades by a factor of e over 3 km. Below, the own winds stay.
    @Test(arguments: [1.0, 240, 600]) func theWindsAreJoined(_ hours: Double) throws {
        var path = FlightPath(altitude: 0)
        path.go(1001, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        let own = flight.judge.winds.winds
        let other = try Self.other(hoursOld: hours)
        let air = Air(own, lowestHeard: 0, other: other, isFalling: false, at: FlightPath.time(1000))
        let alone = Air(own, lowestHeard: 0, other: nil, isFalling: false, at: FlightPath.time(1000))
        let top = try #require(own.highestMetres)
        for metres in [100.0, 2000, 4900] { #expect(air.wind(at: metres) == alone.wind(at: metres)) }
        let weight = other.weight(at: FlightPath.time(1000))
        for above in [300.0, 3000, 15_000] {
            let (joined, shape) = (air.wind(at: top + above), alone.wind(at: top + above))
            let fading = exp(-above / 3000)
            let (east, north) = (20 - 10 * fading, -5 + 5 * fading)
            #expect(abs(joined.east - ((1 - weight) * shape.east + weight * east)) < 0.01)
            #expect(abs(joined.north - ((1 - weight) * shape.north + weight * north)) < 0.01)
        }
    }

    /// In the fall a forecast counts half where own winds are known, and alone below them. Above its top, or when it is
    /// older than half a day, the own winds count. So they do beside another flight's winds.
    @Test(arguments: [
        (0.5, StoredWinds.Origin.forecast, true), (12, .forecast, true), (12.1, .forecast, false),
        (0.5, .flight, false),
        (0.5, .borrowed, false),
    ]) func theWindsOfTheFall(_ hours: Double, _ origin: StoredWinds.Origin, _ isUsed: Bool) throws {
        var path = FlightPath(altitude: 3000)
        path.go(1001, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        let own = flight.judge.winds.winds
        var other = try Self.other(hoursOld: hours, origin: origin)
        other.layers.removeAll { $0.altitudeMetres > 7000 }
        func air(_ other: StoredWinds?) -> Air {
            Air(own, lowestHeard: 3000, other: other, isFalling: true, at: FlightPath.time(1000))
        }
        let (joined, alone) = (air(other), air(nil))
        #expect(joined.sources.other == (isUsed ? origin : nil))
        for metres in [3500.0, 5000, 6900] {
            let wind = joined.wind(at: metres)
            #expect(abs(wind.east - (isUsed ? 15 : 10)) < 0.01 && abs(wind.north - (isUsed ? -2.5 : 0)) < 0.01)
        }
        #expect(joined.wind(at: 7500) == alone.wind(at: 7500))
        if isUsed {
            #expect(abs(joined.wind(at: 1000).east - 20) < 0.01 && joined.lowestKnownMetres == 125)
        } else {
            #expect(joined.wind(at: 1000) == alone.wind(at: 1000) && joined.lowestKnownMetres == own.lowestMetres)
        }
    }

    /// In the ascent other winds move the landing point, and the prediction names them. In the fall another flight's
    /// winds change nothing, and a forecast moves the point to the middle between both.
    @Test func thePredictionUsesThem() throws {
        var options = OwnWindsOptions()
        let alone = OwnWindsPredictor(options: options)
        options.otherWinds = try Self.other(hoursOld: 6)
        let joined = OwnWindsPredictor(options: options)
        var path = FlightPath()
        path.go(2000, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        let rising = try #require(joined.prediction(for: flight))
        #expect(rising.inputs.winds.ownTopMetres == 10_500)
        #expect(rising.inputs.winds.other == .flight && rising.inputs.winds.otherSerial?.canonical == "V4210150")
        #expect(abs((rising.inputs.winds.otherAge ?? 0) - 6 * 3600) < 1100)
        let guess = try #require(alone.prediction(for: flight))
        #expect(guess.inputs.winds.other == nil && guess.inputs.winds.ownTopMetres == 10_500)
        #expect(guess.landing.coordinate.distanceMetres(to: rising.landing.coordinate) > 10_000)
        #expect(guess.landingIfBurstNow == rising.landingIfBurstNow)
        path.fall(to: 5000, rate: 6, east: 10)
        _ = flight.add(Array(path.points.dropFirst(2000)))
        #expect(joined.prediction(for: flight) == alone.prediction(for: flight))
        options.otherWinds = try Self.other(hoursOld: 6, origin: .forecast)
        let both = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        let own = try #require(alone.prediction(for: flight))
        #expect(both.inputs.winds.other == .forecast && both.inputs.winds.otherSerial == nil)
        let (ownEast, _) = path.place.offsetMetres(to: own.landing.coordinate)
        let (east, north) = path.place.offsetMetres(to: both.landing.coordinate)
        #expect(abs(east / ownEast - 1.5) < 0.02 && abs(north / ownEast + 0.25) < 0.02)
    }

    /// Where the air is thin, a big parachute falls a little faster than by the air's density. With a forecast this is taken
    /// out of its rate; a radiosonde's, and one that was measured lower, stay.
    @Test(arguments: [(25_000.0, 0.0, 1.06), (18_000, 0, 1.03), (12_000, 0, 1), (25_000, 0.2, 1)])
    func theRateOfThinAir(_ metres: Double, _ growth: Double, _ excess: Double) throws {
        var path = FlightPath(altitude: 30_000)
        path.fall(to: metres, rate: 6, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        var options = OwnWindsOptions()
        options.descentGrowth = growth
        let alone = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        #expect(abs(alone.inputs.descentRate - 6) < 0.03)
        options.otherWinds = try Self.other(hoursOld: 0.5, origin: .forecast)
        let joined = try #require(OwnWindsPredictor(options: options).prediction(for: flight))
        #expect(abs(joined.inputs.descentRate - alone.inputs.descentRate / excess) < 0.03)
    }

    /// Other winds that end below the burst, or are old, make the landing less sure.
    @Test(arguments: [
        (1.0, 25_000.0, 1.0), (1, 45_000, 0.7071), (240, 25_000, 0.1353), (600, 25_000, 0.0625), (1, 4000, 0),
    ]) func certainty(_ hours: Double, _ burst: Double, _ share: Double) throws {
        var path = FlightPath(altitude: 0)
        path.go(1001, up: 5, east: 10)
        var flight = Flight()
        _ = flight.add(path.points)
        let own = flight.judge.winds.winds
        let other = try Self.other(hoursOld: hours)
        let shares = [other, nil].map { known in
            Air(own, lowestHeard: 0, other: known, isFalling: false, at: FlightPath.time(1000)).certainty(upTo: burst)
        }
        #expect(abs(shares[0] - share) < 0.01 && shares[1] == 0)
    }

    /// Minutes above, kilometres to go, certainty by other winds -> the radii of an ascent in kilometres.
    @Test(
        arguments: [
            (false, [100.0, 50, 0], 47.0, 76.0), (false, [100, 50, 1], 25, 52), (false, [100, 50, 0.5], 36, 64),
            (true, [100, 100, 0], 39, 77), (true, [100, 100, 1], 7, 24), (true, [0, 0, 1], 7, 16),
        ] as [(Bool, [Double], Double, Double)])
    func radiiOfTheAscent(_ isBig: Bool, _ values: [Double], _ half: Double, _ most: Double) {
        let radius = RadiusFormula(isBigParachute: isBig).radius(
            by: .ascent(minutesAbove: values[0], kilometres: values[1], certainty: values[2]))
        #expect(abs(radius.metres50 - half * 1000) < 1e-6 && abs(radius.metres90 - most * 1000) < 1e-6)
    }

    /// The winds along a forecast's path are those from which it was computed, also on the way down.
    @Test func alongAForecast() throws {
        var path = FlightPath(altitude: 8000, spacing: 60)
        path.go(2400, up: 5, east: 30, north: 4)
        let top = path.now
        while path.altitude > 1000 { path.go(60, up: -10, east: 12) }
        let serial = try #require(SondeSerial(name: "V4210150", type: .rs41))
        let winds = try #require(StoredWinds(forecast: path.points, burstAt: top, of: serial, at: FlightPath.time(0)))
        #expect(winds.origin == .forecast && winds.place == path.points.first?.coordinate)
        #expect(winds.topMetres > 19_500)
        for layer in winds.layers where layer.altitudeMetres > 8500 && layer.altitudeMetres < 19_500 {
            #expect(abs(layer.east - 30) < 0.1 && abs(layer.north - 4) < 0.1)
        }
        for layer in winds.layers where layer.altitudeMetres < 7500 { #expect(abs(layer.east - 12) < 0.1) }
        #expect(StoredWinds(forecast: [path.points[0]], burstAt: nil, of: serial, at: top) == nil)
    }
}
