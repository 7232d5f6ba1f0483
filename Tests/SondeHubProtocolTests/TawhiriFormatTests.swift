import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import SondeHubProtocol

/// Requests to Tawhiri, and its answers.
@Suite struct TawhiriFormatTests {
    private static let query = TawhiriQuery(
        launch: Coordinate(latitude: 46.82, longitude: 6.94), launchAltitudeMetres: 491,
        launchAt: WallTime(millisecondsSince1970: 1_765_458_566_001), ascentRate: 5, burstAltitudeMetres: 30_000,
        descentRate: 5.5)

    private static func point(_ minute: Int, _ latitude: String = "46.8", _ longitude: String = "6.9") -> String {
        let time = WallTime(millisecondsSince1970: 1_765_458_566_001 + Int64(minute) * 60_000).iso8601
        return "{\"altitude\":500.5,\"datetime\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":\(longitude)}"
    }

    private static func answer(ascent: [String], descent: [String], more: String = "") -> [UInt8] {
        let stages = [("ascent", ascent), ("descent", descent)].map { stage, points in
            "{\"stage\":\"\(stage)\",\"trajectory\":[\(points.joined(separator: ","))]}"
        }
        return Array("{\"metadata\":{\"x\":[1]},\"prediction\":[\(stages.joined(separator: ","))]\(more)}".utf8)
    }

    @Test func parameters() throws {
        let text = try #require(TawhiriFormat.parameters(of: Self.query))
        let pairs = text.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
        #expect(
            Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) }) == [
                "launch_latitude": "46.82", "launch_longitude": "6.94", "launch_altitude": "491.0",
                "launch_datetime": "2025-12-11T13:09:26.001Z", "ascent_rate": "5.0", "burst_altitude": "30000.0",
                "descent_rate": "5.5", "profile": "standard_profile",
            ])
    }

    /// Our longitude -> Tawhiri's, in 0 ..< 360.
    @Test(
        arguments: [
            (6.94, "6.94"), (-6.94, "353.06"), (0, "0.0"), (180, "180.0"), (-180, "180.0"), (-1e-9, "0.0"),
            (-0.000_001, "359.999999"), (181, nil), (.nan, nil), (.infinity, nil),
        ] as [(Double, String?)])
    func longitudesOut(_ ours: Double, _ theirs: String?) {
        var query = Self.query
        query.launch.longitude = ours
        let parameter = TawhiriFormat.parameters(of: query)?.split(separator: "&").first { $0.hasPrefix("launch_lon") }
        #expect(parameter?.split(separator: "=").last.map(String.init) == theirs)
    }

    /// Tawhiri's longitude -> ours; nil if it is refused.
    @Test(
        arguments: [
            ("6.94", 6.94), ("353.06", -6.94), ("180", 180), ("180.5", -179.5), ("360", 0), ("-6.9", -6.9),
            ("361", nil), ("-181", nil), ("NaN", nil), ("null", nil), ("1e999", nil), ("\"6.94\"", 6.94),
        ] as [(String, Double?)])
    func longitudesBack(_ theirs: String, _ ours: Double?) {
        let text = Self.answer(ascent: [Self.point(0)], descent: [Self.point(1, "46.8", theirs)])
        let landing = try? TawhiriFormat.decode(text).landing.coordinate.longitude
        #expect((landing == nil) == (ours == nil))
        if let landing, let ours { #expect(abs(landing - ours) < 1e-9) }
    }

    @Test(arguments: [
        "", ",\"warnings\":{}", ",\"warnings\":[\"x\",{\"y\":null}]", ",\"warnings\":3", ",\"warnings\":null",
    ])
    func wholeAnswer(_ warnings: String) throws {
        let top = Self.point(60)
        let text = Self.answer(
            ascent: [Self.point(0), top], descent: [top, Self.point(61), Self.point(62, "47", "359")], more: warnings)
        let prediction = try TawhiriFormat.decode(text)
        #expect(prediction.path.count == 4)
        #expect(prediction.burst == prediction.path[1])
        #expect(prediction.landing == prediction.path.last)
        #expect(prediction.landing.coordinate == Coordinate(latitude: 47, longitude: -1))
        #expect(prediction.landing.time.iso8601 == "2025-12-11T14:11:26.001Z")
        #expect(prediction.madeAt == nil)
    }

    /// Unusable answers -> the error.
    @Test(
        arguments: [
            (answer(ascent: [], descent: [point(1)]), .malformed, "the predicted ascent is missing or empty"),
            (answer(ascent: [point(0)], descent: []), .malformed, "the predicted descent is missing or empty"),
            (Array("{\"prediction\":[]}".utf8), .malformed, "the answer has no prediction"),
            (Array("{\"prediction\":7}".utf8), .malformed, "the answer has no prediction"),
            (Array("{\"prediction\":[7,{\"stage\":\"float\"}]}".utf8), .malformed, "the answer has no prediction"),
            (Array("{}".utf8), .malformed, "the answer has no prediction"),
            (Array("{\"message\":\"Too busy\"}".utf8), .status, "the answer is an error: Too busy"),
            (
                Array("{\"error\":{\"type\":\"PredictionException\",\"description\":\"hour=1\"}}".utf8), .status,
                "the answer is an error: hour=1"
            ),
            (Array("<html>".utf8), .refused, "no JSON but: <html>"), ([], .refused, "no JSON but: "),
            (Array(answer(ascent: [point(0)], descent: [point(1)]).dropLast(3)), .malformed, "the answer is cut short"),
            (
                answer(ascent: [point(1)], descent: [point(0)]), .malformed, "the predicted course goes back in time"
            ),
            (
                answer(ascent: [point(1), point(0)], descent: [point(2)]), .malformed,
                "the predicted course goes back in time"
            ),
            (
                answer(ascent: [point(0)], descent: [point(1, "91")]), .malformed,
                "a point of the predicted course is out of range"
            ),
            (
                answer(ascent: [point(0)], descent: [point(1, "NaN")]), .malformed,
                "a point of the predicted course lacks a number"
            ),
            (
                answer(ascent: [point(0)], descent: ["7"]), .malformed,
                "a point of the predicted course is not an object"
            ),
        ] as [([UInt8], OnlineServiceError.Code, String)])
    func errors(_ text: [UInt8], _ code: OnlineServiceError.Code, _ words: String) {
        let error = #expect(throws: OnlineServiceError.self) { try TawhiriFormat.decode(text) }
        #expect(error == OnlineServiceError(code, words))
    }

    /// Not in the table above, because the test log would print all of it.
    @Test func tooLong() {
        let text = Self.answer(ascent: Array(repeating: Self.point(0), count: 10_001), descent: [Self.point(1)])
        #expect(throws: OnlineServiceError(.malformed, "the predicted course has more than 10000 points")) {
            try TawhiriFormat.decode(text)
        }
    }

    /// A body -> the type and text of its error; nil if it holds none.
    @Test(
        arguments: [
            ("{\"message\":\"Internal Server Error\"}", nil, "Internal Server Error"),
            ("{\"error\":{\"type\":\"T\",\"description\":\"D\"},\"metadata\":{}}", "T", "D"),
            ("{\"metadata\":{\"error\":\"no\"},\"error\":\"plain\"}", nil, "plain"),
            ("{\"error\":{\"description\":\"cut off\"", nil, "cut off"), ("{\"error\":{\"type\":\"T\"}}", nil, nil),
            ("<html>", nil, nil), ("", nil, nil), ("[]", nil, nil), ("{\"message\":{}}", nil, nil),
        ] as [(String, String?, String?)])
    func errorObjects(_ body: String, _ type: String?, _ text: String?) {
        let error = ErrorObject(Array(body.utf8))
        #expect(error?.text == text)
        #expect(error?.type == type)
    }

    /// An answer about another flight is refused.
    @Test(
        arguments: [
            (46.82, 6.94, 47.0, 9.0, true), (46.9, 6.94, 47.0, 9.0, false), (46.82, 6.94, -46.0, -173.0, false),
        ])
    func plausible(_ latitude: Double, _ longitude: Double, _ landed: Double, _ eastwards: Double, _ isAnswer: Bool) {
        func point(_ latitude: Double, _ longitude: Double) -> OnlinePrediction.Point {
            OnlinePrediction.Point(
                time: Self.query.launchAt, coordinate: Coordinate(latitude: latitude, longitude: longitude),
                altitudeMetres: 500)
        }
        let path = [point(latitude, longitude), point(landed, eastwards)]
        #expect(OnlinePrediction(path: path, burst: nil, landing: path[1]).answers(Self.query) == isAnswer)
    }
}
