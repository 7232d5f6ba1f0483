import ReceiverProtocol
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import SondeHubProtocol

/// Decodes SondeHub's own predictions.
@Suite struct SondeHubPredictionFormatTests {
    private static let course =
        "[{\\\"time\\\":1765458560,\\\"lat\\\":46.82376,\\\"lon\\\":7.95904,\\\"alt\\\":13203.2},"
        + "{\\\"time\\\":1765458620.5,\\\"lat\\\":46.83,\\\"lon\\\":8.0,\\\"alt\\\":14000},"
        + "{\\\"time\\\":\\\"1765460000\\\",\\\"lat\\\":46.9,\\\"lon\\\":351.5,\\\"alt\\\":430}]"

    private static func answer(_ vehicle: String = "V3240531", flags: String, data: String = course) -> String {
        "[{\"vehicle\":\"\(vehicle)\",\"time\":\"2025-12-11T13:09:20Z\",\"latitude\":46.8,\"burst_altitude\":13203.25,"
            + "\(flags),\"data\":\"\(data)\",\"x\":[{}]}]"
    }

    private static func decode(_ text: String) throws -> OnlinePrediction? {
        let serial = try #require(SondeSerial(name: "V3240531", type: .rs41))
        return try SondeHubPredictionFormat.decode(Array(text.utf8), for: serial)
    }

    @Test func wholeAnswer() throws {
        let prediction = try #require(try Self.decode(Self.answer(flags: "\"descending\":0,\"landed\":0")))
        #expect(prediction.path.count == 3)
        #expect(prediction.path[0].time.iso8601 == "2025-12-11T13:09:20.000Z")
        #expect(prediction.burst?.altitudeMetres == 14000)
        #expect(prediction.burst?.time.iso8601 == "2025-12-11T13:10:20.500Z")
        #expect(prediction.landing.coordinate == Coordinate(latitude: 46.9, longitude: -8.5))
        #expect(prediction.landing.altitudeMetres == 430)
        #expect(prediction.madeAt?.iso8601 == "2025-12-11T13:09:20.000Z")
    }

    /// All sondes of an answer by area. A sonde that has landed, or has no usable course, is left out alone.
    @Test func landingsOfAnArea() throws {
        let flying = "\"descending\":1,\"landed\":0"
        let parts = [
            Self.answer("V1", flags: flying), Self.answer("V2", flags: flying, data: "[]"),
            Self.answer("V3", flags: "\"landed\":1"), Self.answer("V4", flags: flying, data: "[{\\\"lat\\\":91}]"),
            Self.answer("", flags: flying), Self.answer("V5", flags: flying), "[null,7,\"x\",{}]",
        ]
        let text = "[" + parts.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]"
        let landings = try SondeHubPredictionFormat.landings(Array(text.utf8))
        #expect(landings.map(\.serial.canonical) == ["V1", "V5"])
        #expect(landings[0].coordinate == Coordinate(latitude: 46.9, longitude: -8.5))
        #expect(landings[0].at.iso8601 == "2025-12-11T13:33:20.000Z")
        #expect(try SondeHubPredictionFormat.landings(Array("[]".utf8)) == [])
    }

    @Test(arguments: [
        ("{\"message\":\"Internal Server Error\"}", OnlineServiceError.Code.status), ("<html>", .refused),
        ("[{\"vehicle\":", .malformed),
    ])
    func noLandings(_ text: String, _ code: OnlineServiceError.Code) {
        #expect { try SondeHubPredictionFormat.landings(Array(text.utf8)) } throws: {
            ($0 as? OnlineServiceError)?.code == code
        }
    }

    @Test func landingsAreLimited() throws {
        let part = Self.answer("V1", flags: "\"descending\":1").dropFirst().dropLast()
        let text = "[" + Array(repeating: String(part), count: 300).joined(separator: ",") + "]"
        #expect(try SondeHubPredictionFormat.landings(Array(text.utf8)).count == SondeLanding.limit)
    }

    /// The flags in all their forms -> whether there is a prediction, and whether it has a burst.
    @Test(arguments: [
        ("\"descending\":1,\"landed\":0", true, false), ("\"descending\":\"1\",\"landed\":false", true, false),
        ("\"descending\":true", true, false), ("\"landed\":1", false, false), ("\"landed\":null", true, true),
    ])
    func flags(_ flags: String, _ isThere: Bool, _ hasBurst: Bool) throws {
        let prediction = try Self.decode(Self.answer(flags: flags))
        #expect((prediction != nil) == isThere)
        #expect((prediction?.burst != nil) == hasBurst)
    }

    @Test func none() throws {
        #expect(try Self.decode("[]") == nil)
        #expect(try Self.decode("[7,null]") == nil)
        #expect(try Self.decode(Self.answer("V1111111", flags: "\"landed\":0")) == nil)
        #expect(try Self.decode(Self.answer("v3240531", flags: "\"landed\":0")) != nil)
    }

    /// A course as it stands in the string -> the text of the error.
    @Test(
        arguments: [
            ("[]", "the predicted course is empty"), ("", "the predicted course is not a list"),
            ("{}", "the predicted course is not a list"), ("[", "the answer is cut short"),
            ("[7]", "a point of the predicted course is not an object"),
            ("[{}]", "a point of the predicted course lacks a number"),
            (
                "[{\\\"time\\\":1e300,\\\"lat\\\":1,\\\"lon\\\":1,\\\"alt\\\":1}]",
                "a point of the predicted course lacks a number"
            ),
            (
                "[{\\\"time\\\":-5,\\\"lat\\\":1,\\\"lon\\\":1,\\\"alt\\\":1}]",
                "a point of the predicted course lacks a number"
            ),
            (
                "[{\\\"time\\\":5,\\\"lat\\\":1,\\\"lon\\\":1,\\\"alt\\\":1e9}]",
                "a point of the predicted course is out of range"
            ),
        ])
    func courses(_ data: String, _ words: String) throws {
        let error = #expect(throws: OnlineServiceError.self) {
            try Self.decode(Self.answer(flags: "\"landed\":0", data: data))
        }
        #expect(error == OnlineServiceError(.malformed, words))
    }

    /// Unusable answers -> the error.
    @Test(
        arguments: [
            ("{\"message\":\"Service Unavailable\"}", .status, "the answer is an error: Service Unavailable"),
            ("Duration too long", .refused, "no list but: Duration too long"), ("{}", .refused, "no list but: {}"),
            ("[{\"vehicle\":\"V3240531\"}]", .malformed, "the prediction has no course"),
            ("[{\"vehicle\":\"V3240531\",\"data\":\"[", .malformed, "the answer is cut short"),
            ("[", .malformed, "the answer is cut short"),
        ] as [(String, OnlineServiceError.Code, String)])
    func errors(_ text: String, _ code: OnlineServiceError.Code, _ words: String) {
        let error = #expect(throws: OnlineServiceError.self) { try Self.decode(text) }
        #expect(error == OnlineServiceError(code, words))
    }

    /// A string with escapes -> its decoded bytes.
    @Test(arguments: [
        ("a\\\"b", "a\"b"), ("\\\\n", "\\n"), ("\\n", " "), ("\\u0041x", "Ax"), ("\\u00e9", "?"), ("\\u00", "?"),
        ("\\", "\\"), ("\\/", "/"), ("", ""), ("\\uzzzz", "?"),
    ])
    func unescaped(_ content: String, _ text: String) {
        let bytes = Array(content.utf8)
        #expect(String(decoding: JSONCursor.unescaped(bytes.span, 0..<bytes.count), as: UTF8.self) == text)
    }
}
