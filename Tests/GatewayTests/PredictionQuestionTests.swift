import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// The queries to Tawhiri. ``PredictionTests`` tests their times.
@Suite struct PredictionQuestionTests {
    /// Another burst altitude makes another query, at the same place.
    @Test func anotherBurstAltitude() throws {
        var chased = Chased(prediction: .onlineOnly)
        chased.altitude = 2510
        _ = chased.answer(chased.go(3, up: 2, north: 0).questions.first)
        let asked = chased.script.command("{\"options\":{\"burst_altitude_m\":25000}}").questions
        #expect(asked.map(\.query.burstAltitudeMetres) == [25_000])
    }

    /// The rates of a command go before those of earlier flights and of the configuration.
    @Test func otherRates() throws {
        var chased = Chased(prediction: .onlineOnly)
        chased.altitude = 2510
        _ = chased.answer(chased.go(3, up: 2, north: 0).questions.first)
        let falling = chased.script.command("{\"options\":{\"descent_rate_mps\":9}}")
        #expect(falling.questions.map(\.query.descentRate) == [9])
        #expect(falling.entries.contains(.setting(.descentRate, #"{"value":9}"#)))
        var parameters = PredictionParameters(PredictionOptions())
        parameters.chosen = [.ascentRate: 3, .descentRate: 11]
        #expect(parameters.ownWinds.ascentRate == 3 && parameters.ownWinds.descentRate == 11)
        parameters.chosen[.descentRate] = nil
        #expect(parameters.ownWinds.descentRate == 6)
    }

    /// Without a configured, commanded or learned burst altitude the type's usual one counts.
    @Test(
        arguments: [(nil, .rs41, 33_000), (nil, .dfm, 30_000), (nil, nil, 30_000), (28_000, .rs41, 28_000)]
            as [(Double?, SondeType?, Double)])
    func theUsualBurstAltitude(_ configured: Double?, _ type: SondeType?, _ metres: Double) {
        var options = PredictionOptions()
        options.burstAltitudeMetres = configured
        var parameters = PredictionParameters(options)
        parameters.sondeType = type
        #expect(parameters.ownWinds.burstAltitudeMetres == metres)
        parameters.chosen[.burstAltitude] = 25_000
        #expect(parameters.ownWinds.burstAltitudeMetres == 25_000)
    }

    /// No prediction begins at a point that the outlier filter refused.
    @Test func aWrongAltitudeIsNotAskedFrom() throws {
        var chased = Chased(altitude: 9000, prediction: .onlineOnly)
        chased.go(90, up: 5)
        chased.script.wait(1)
        let height = chased.altitude
        chased.altitude = 0
        chased.hear()
        #expect(chased.script.flight?.last?.altitudeMetres == height.rounded(.down))
        let asked = chased.script.command("{\"predict\":true}").questions
        #expect(asked.map(\.query.launchAltitudeMetres) == [height.rounded(.down)])
    }
}
