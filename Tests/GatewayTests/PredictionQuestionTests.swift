import FlightMath
import Gateway
import GatewayReports
import GatewayTestSupport
import Testing

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

    /// No prediction begins at a point that the outlier filter refused.
    @Test func aWrongAltitudeIsNotAskedFrom() throws {
        var chased = Chased(altitude: 9000, prediction: .onlineOnly)
        chased.go(90, up: 5)
        chased.script.wait(1)
        let height = chased.altitude
        chased.altitude = 0
        chased.hear()
        #expect(chased.script.flight?.last?.altitudeMetres == 0)
        let asked = chased.script.command("{\"predict\":true}").questions
        #expect(asked.map(\.query.launchAltitudeMetres) == [height.rounded(.down)])
    }
}
