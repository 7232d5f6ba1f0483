import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import FlightMath

/// The ground below a sonde that has come below the ground that was believed.
@Suite struct GroundBelowTests {
    /// The believed ground and how it is known, the sonde's altitude -> the ground, and how it is known.
    @Test(
        arguments: [
            (1383, .lowest, 1500, 1383, .lowest), (1383, .lowest, 1200, 883, .lowest), (1383, .lowest, 884, 0, .lowest),
            (1383, .lowest, 900, 883, .lowest), (1383, .lowest, 0.5, -0.5, .lowest), (300, .launch, 250, 0, .lowest),
            (491, .site, 400, 0, .lowest), (700, .car, 600, 200, .lowest), (900, .forecast, 850, 400, .lowest),
            (900, .landing, 901.5, 900, .landing), (900, .terrain, 850, 849, .terrain),
            (900, .config, 850, 849, .config),
            (-400, .launch, -410, -411, .lowest),
        ] as [(Double, Ground.Origin, Double, Double, Ground.Origin)])
    func aSondeRefutesABelief(
        _ believed: Double, _ origin: Ground.Origin, _ sonde: Double, _ metres: Double, _ now: Ground.Origin
    ) {
        #expect(Ground(metres: believed, origin: origin).below(sonde) == Ground(metres: metres, origin: now))
    }

    /// First heard at 1383 m, the sonde falls on to 300 m. The countdown reaches 0 for no more than a few seconds at a
    /// time, and the large radius keeps the drift of 500 m.
    @Test func theCountdownGoesOnBelowTheLowestAltitude() throws {
        var path = FlightPath(altitude: 1383, spacing: 1)
        path.go(3000, up: 5, east: 10)
        path.fall(to: 300, rate: 6, east: 10)
        var flight = Flight()
        var zeroSeconds = 0
        var smallest = Double.infinity
        for point in path.points {
            _ = flight.add([point])
            guard flight.hasDescentBegun, let prediction = OwnWindsPredictor().prediction(for: flight) else { continue }
            if prediction.minutesToGo * 60 < 2 { zeroSeconds += 1 }
            smallest = min(smallest, prediction.radius.metres90 - prediction.radius.metres50)
        }
        #expect(flight.ground == Ground(metres: 0, origin: .lowest))
        #expect(zeroSeconds <= 6)
        // 500 m at 6 m/s and a wind of 10 m/s.
        #expect(smallest > 700)
    }
}
