import FlightMath
import Foundation
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing

/// Predictions from a good and a faulty server.
@Suite(.timeLimit(.minutes(10)), .serialized) struct PredictionClientTests {
    private static let query = TawhiriQuery(
        launch: Coordinate(latitude: 46.82, longitude: -6.94), launchAltitudeMetres: 491,
        launchAt: WallTime(millisecondsSince1970: 1_765_458_566_000), ascentRate: 5, burstAltitudeMetres: 30_000,
        descentRate: 5)
    private static let serial = SondeSerial(name: "V3240531", type: .rs41)

    private static func point(_ minute: Int, _ latitude: String, _ longitude: String = "353.1") -> String {
        let time = query.launchAt.advanced(byMilliseconds: Int64(minute) * 60_000).iso8601
        return "{\"altitude\":500,\"datetime\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":\(longitude)}"
    }

    private static func answer(_ ascent: [String], _ descent: [String]) -> String {
        "{\"prediction\":[{\"stage\":\"ascent\",\"trajectory\":[\(ascent.joined(separator: ","))]},"
            + "{\"stage\":\"descent\",\"trajectory\":[\(descent.joined(separator: ","))]}],\"warnings\":[1]}"
    }

    private static let good = answer([point(0, "46.82", "353.06"), point(90, "46.9")], [point(120, "47")])

    private static func server() async throws -> FakeSondeHub {
        let server = try await FakeSondeHub()
        try server.serve("tawhiri", good)
        let course = "[{\\\"time\\\":1765458560,\\\"lat\\\":46.8,\\\"lon\\\":7.9,\\\"alt\\\":603.2}]"
        try server.serve(
            "prediction", "[{\"vehicle\":\"V3240531\",\"descending\":1,\"landed\":0,\"data\":\"\(course)\"}]")
        return server
    }

    private static func client(_ url: String, timeout: Double = usualDeadline) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test")
        configuration.pollTimeout = .seconds(timeout)
        configuration.trackTimeout = .seconds(timeout)
        return try SondeHubClient(configuration)
    }

    @Test(arguments: ["good", "gzip"]) func answers(_ behaviour: String) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour))
        let prediction = try await client.prediction(for: Self.query)
        #expect(prediction.landing.coordinate.latitude == 47)
        #expect(abs(prediction.landing.coordinate.longitude + 6.9) < 1e-9)
        let serial = try #require(Self.serial)
        let own = try #require(try await client.sondeHubPrediction(of: serial))
        #expect(own.burst == nil)
        #expect(own.landing.coordinate == Coordinate(latitude: 46.8, longitude: 7.9))
        let landings = try await client.landings(around: Self.query.launch, radiusMetres: 100_000)
        #expect(landings.map(\.serial) == [serial] && landings.map(\.coordinate) == [own.landing.coordinate])
        #expect(
            server.requests.contains {
                $0.hasPrefix("GET /\(behaviour)/predictions?lat=46.82&lon=-6.94&distance=100000 |")
            })
        #expect(server.requests.contains { $0.hasPrefix("GET /\(behaviour)/predictions?vehicles=V3240531 |") })
        #expect(
            server.requests.contains {
                $0.hasPrefix("GET /\(behaviour)/tawhiri?launch_latitude=46.82&launch_longitude=353.06&")
            })
        await client.close()
    }

    /// Behaviour -> the code of both calls.
    @Test(
        arguments: [
            ("slow", .timedOut), ("stall", .timedOut), ("drip", .timedOut), ("htmlfault", .status),
            ("broken", .status), ("errorobject", .status), ("errordescription", .status), ("refused", .refused),
            ("nodataset", .status), ("notimplemented", .refused),
            ("html", .refused), ("busy", .rateLimited), ("truncated", .malformed), ("cut", .malformed),
            ("bomb", .tooLarge), ("endless", .tooLarge), ("otherport", .redirect),
        ] as [(String, OnlineServiceError.Code)])
    func failures(_ behaviour: String, _ code: OnlineServiceError.Code) async throws {
        let server = try await Self.server()
        let isSlow = ["slow", "stall", "drip"].contains(behaviour)
        let client = try Self.client(server.url(behaviour), timeout: isSlow ? 1 : usualDeadline)
        let tawhiri = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: Self.query) }
        #expect(tawhiri?.code == code, "\(String(describing: tawhiri))")
        let own = await #expect(throws: OnlineServiceError.self) {
            try await client.sondeHubPrediction(of: #require(Self.serial))
        }
        #expect(own?.code == code, "\(String(describing: own))")
        await client.close()
    }

    /// Answers of Tawhiri -> the error's text.
    @Test(
        arguments: [
            ("{}", "the answer has no prediction"),
            (answer([], [point(1, "47")]), "the predicted ascent is missing or empty"),
            (answer([point(0, "46.82")], [point(1, "NaN")]), "a point of the predicted course lacks a number"),
            (
                answer([point(0, "46.82", "353.06")], [point(1, "-46.8", "173")]),
                "the predicted course is not of the flight that was asked for"
            ),
            (
                answer([point(9, "46.82", "353.06")], [point(10, "46.9")]),
                "the predicted course is not of the flight that was asked for"
            ),
        ])
    func uselessAnswersAreErrors(_ text: String, _ words: String) async throws {
        let server = try await Self.server()
        try server.serve("tawhiri", text)
        let client = try Self.client(server.url())
        let error = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: Self.query) }
        #expect(error == OnlineServiceError(.malformed, words))
        await client.close()
    }

    /// Queries that Tawhiri could not answer.
    @Test func impossibleQueriesAreNotSent() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url())
        var query = Self.query
        query.descentRate = .nan
        let error = await #expect(throws: OnlineServiceError.self) { try await client.prediction(for: query) }
        #expect(error?.code == .refused)
        #expect(server.requests.isEmpty)
        await client.close()
    }
}
