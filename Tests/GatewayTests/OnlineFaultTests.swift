import FlightMath
import GatewayReports
import GatewayTestSupport
import ReceiverProtocol
import Testing

@testable import Gateway

/// Answers of Tawhiri and SondeHub that are no landing predictions.
@Suite struct OnlineFaultTests {
    private static let here = Coordinate(latitude: 47, longitude: 8)
    private static let noon = WallTime(millisecondsSince1970: Script.noon)

    private static func point(_ seconds: Double, _ east: Double, _ altitude: Double) -> OnlinePrediction.Point {
        OnlinePrediction.Point(
            time: noon.advanced(by: .seconds(seconds)), coordinate: here.moved(east: east, north: 0),
            altitudeMetres: altitude)
    }

    /// Points of a course: seconds, metres to the east, altitude -> the fault.
    @Test(
        arguments: [
            ([(0, 0, 9000), (600, 9000, 4000), (1200, 15_000, 500)], nil),
            ([(0, 0, 9000), (1200, 15_000, 1990)], nil),
            ([(0, 0, 9000), (1200, 15_000, 5700)], "its course ends in the air"),
            ([(0, 0, 9000), (12_000, 600_000, 9000)], "its course ends in the air"),
            ([(0, 0, 9000), (60, 90_000, 8000), (1200, 95_000, 500)], "its course leaps"),
            ([(0, 1_200_000, 9000), (1200, 1_210_000, 500)], "it begins elsewhere"),
            ([(600, 80_000, 4000), (1200, 90_000, 500)], nil),
        ] as [([(Double, Double, Double)], String?)])
    func courses(_ points: [(Double, Double, Double)], _ fault: String?) throws {
        let path = points.map { Self.point($0.0, $0.1, $0.2) }
        let prediction = OnlinePrediction(path: path, burst: nil, landing: try #require(path.last), madeAt: nil)
        let newest = TrackPoint(
            time: Self.noon, coordinate: Self.here, altitudeMetres: 9000, source: .sondehub)
        #expect(prediction.fault(groundMetres: 500, from: newest) == fault)
    }

    /// SondeHub's own prediction of a falling sonde -> whether it is used: a young one, one that is 2 hours old, one from
    /// before the burst, and one that begins elsewhere. Polled and streamed.
    @Test(arguments: ["good", "old", "burst", "elsewhere"], [false, true])
    func sondeHubsOwn(_ kind: String, _ isStreamed: Bool) throws {
        var prediction = PredictionOptions.onlineOnly
        prediction.asksTawhiri = false
        var options = SondeHubOptions.payerne
        options.streams = true
        var script = Script(sondeHub: options, prediction: prediction)
        script.connect()
        var (altitude, stream) = (9000.0, CallID?.none)
        func answer(_ script: Script) -> OnlinePrediction {
            let start = kind == "elsewhere" ? Coordinate(latitude: 55, longitude: 20) : Self.here
            let made = script.now.wall.advanced(by: .seconds(kind == "old" ? -7200 : -20))
            return Chased.prediction(from: start, 15_000, at: made, isRising: kind == "burst", madeAt: made)
        }
        for second in 0..<240 {
            altitude += second < 60 ? 5 : -12
            var outcome = script.wait(1)
            var record = Script.record("V1", at: Double(second) + 0.5, altitude: altitude)
            (record.verticalSpeed, record.horizontalSpeed) = (second < 60 ? 5 : -12, 10)
            for poll in outcome.polls { outcome += script.answer(poll.id, [record]) }
            for track in outcome.tracks { outcome += script.answerTrack(track.id, []) }
            if let next = outcome.streams.last {
                stream = next.id
                script.run(.answered(next.id, .stream(.opened)))
            }
            if let stream { script.run(.answered(stream, .stream(.frames(SondeHubAnswer(records: [record]))))) }
            for id in outcome.sondeHubQuestions {
                script.run(.answered(id, .prediction(isStreamed || second < 120 ? nil : answer(script))))
            }
            if isStreamed, second > 120, second % 30 == 0, let stream {
                script.run(.answered(stream, .stream(.prediction(answer(script)))))
            }
        }
        var isUsed = false
        if case .prediction(.some) = script.newest[.prediction] { isUsed = true }
        #expect(isUsed == (kind == "good"))
        #expect(script.state == .aprsFlying)
    }
}
