import FlightMath
import GatewayReports
import ReceiverProtocol
import TestSupport
import Testing

@testable import Gateway
@testable import SondeHubClient

/// Answers with a wrong head are errors of that service. The HTTP library traps on a status below 100, so
/// ``StatusGuard`` checks it first.
@Suite(.timeLimit(.minutes(10)), .serialized) struct OddHeadTests {
    /// Everything that the gateway asks a server over HTTP.
    enum Question: CaseIterable, Sendable {
        case site, area, track, sonde, tawhiri, prediction, landings, sites, recoveries, recovery, crews, car
        case streamAddress, stream, valhalla, osrm, tile, alert

        /// The statuses at which the question may succeed.
        func accepts(_ status: Int) -> Bool {
            switch self {
            case .site, .area, .track, .sonde, .tawhiri, .prediction, .landings, .sites, .recoveries, .recovery, .crews,
                .car:
                status == 200
            case .alert: 200..<300 ~= status
            case .tile: [200, 204, 404, 410].contains(status)
            // The body of these answers is neither a route nor an address, and the stream is no WebSocket.
            case .streamAddress, .stream, .valhalla, .osrm: false
            }
        }
    }

    /// All clients of one server, which gives the same answer to each question.
    private struct Clients {
        private static let place = Coordinate(latitude: 46.82, longitude: 6.94)
        private static let agent = "sondygo2mqtt/test (+here)"
        private let url: String
        private let sondeHub: SondeHubClient
        private let stream: SondeHubClient
        private let valhalla, osrm: RouteClient

        init(_ url: String) throws {
            self.url = url
            var configuration = SondeHubClient.Configuration(url: url, userAgent: Self.agent)
            (configuration.pollTimeout, configuration.trackTimeout) = (.seconds(5), .seconds(5))
            sondeHub = try SondeHubClient(configuration)
            configuration.stream = .address("ws" + url.dropFirst("http".count))
            stream = try SondeHubClient(configuration)
            valhalla = try RouteClient(url: url, engine: .valhalla, userAgent: Self.agent)
            osrm = try RouteClient(url: url, engine: .osrm, userAgent: Self.agent)
        }

        func close() async {
            await sondeHub.close()
            await stream.close()
            await valhalla.close()
            await osrm.close()
        }

        func ask(_ question: Question) async throws {
            let serial = try #require(SondeSerial(name: "V3240531", type: .rs41))
            switch question {
            case .site: #expect(try await sondeHub.sondes(.site("06610")).records.isEmpty)
            case .area: #expect(try await sondeHub.sondes(.area(Self.place, radiusMetres: 9000)).records.isEmpty)
            case .sonde: #expect(try await sondeHub.sondes(.sonde(serial)).records.isEmpty)
            case .track: try await sondeHub.trackPieces(of: serial, last: .hour) { #expect($0.records.isEmpty) }
            case .tawhiri: _ = try await sondeHub.prediction(for: Self.flight)
            case .prediction: _ = try await sondeHub.sondeHubPrediction(of: serial)
            case .landings: _ = try await sondeHub.landings(around: Self.place, radiusMetres: 9000)
            case .sites: _ = try await sondeHub.sites()
            case .recoveries: _ = try await sondeHub.recoveries(.sonde(serial))
            case .recovery:
                try await sondeHub.report(
                    Recovery(
                        serial, .recovered, by: "HB9XYZ", at: Self.flight.launchAt, coordinate: Self.place,
                        altitudeMetres: 430))
            case .crews: _ = try await sondeHub.crews(near: [Self.place])
            case .car:
                try await sondeHub.share(SharedCar(callSign: "HB9XYZ", coordinate: Self.place, altitudeMetres: 430))
            case .streamAddress: try await sondeHub.tryStream()
            case .stream: try await stream.tryStream()
            case .valhalla: _ = try await valhalla.route(Self.road)
            case .osrm: _ = try await osrm.route(Self.road)
            case .tile: _ = try await TileClient(userAgent: Self.agent).tile(at: url + "/1/0/0.png", limit: 1 << 20)
            case .alert:
                try await AlertClient(userAgent: Self.agent).send(
                    AlertRequest(url: url, method: "PUT", headers: [], body: Array("{}".utf8)))
            }
        }

        private static let flight = TawhiriQuery(
            launch: place, launchAltitudeMetres: 491, launchAt: WallTime(millisecondsSince1970: 1_765_458_566_000),
            ascentRate: 5, burstAltitudeMetres: 30_000, descentRate: 5)
        private static let road = RouteQuery(
            start: place, end: Coordinate(latitude: 46.9, longitude: 7), mode: .car)
    }

    /// Asks all questions and judges the errors.
    /// - Returns: the error of each question that failed.
    private static func errors(_ url: String, _ questions: [Question]) async throws -> [Question: OnlineServiceError] {
        var errors: [Question: OnlineServiceError] = [:]
        for question in questions {
            // The server ends each connection, so another question over the same client could get no answer.
            let clients = try Clients(url)
            do {
                try await clients.ask(question)
            } catch {
                errors[question] = try #require(error as? OnlineServiceError, "\(question): \(error)")
            }
            await clients.close()
        }
        return errors
    }

    /// All statuses of three digits, for the services that may speak plain http in the car's network, and for a site.
    @Test func everyStatusOfThreeDigits() async throws {
        let server = try await FakeSondeHub()
        let questions = [Question.site, .tawhiri, .valhalla]
        for status in 0...999 { try await check(status, questions, at: server) }
        #expect(server.requests.count == 3000)
    }

    /// Statuses of each class, for everything that the gateway asks. All clients share one way to connect.
    @Test(arguments: Question.allCases) func someStatuses(_ question: Question) async throws {
        let server = try await FakeSondeHub()
        let statuses = [0, 1, 9, 10, 42, 98, 99, 100, 101, 103, 199, 200, 204, 206, 299, 304, 307, 400, 429, 503, 999]
        for status in statuses { try await check(status, [question], at: server) }
    }

    private func check(_ status: Int, _ questions: [Question], at server: FakeSondeHub) async throws {
        let errors = try await Self.errors(server.url("status/\(String(1000 + status).dropFirst())"), questions)
        for question in questions {
            let error = errors[question]
            #expect(error != nil || question.accepts(status), "\(question) \(status)")
            guard status < 100 || status == 101, question != .stream else { continue }
            #expect(error == OnlineServiceError(.malformed, "the answer has the HTTP status \(status)"), "\(question)")
        }
    }

    /// The number of heads in sondehub.py.
    @Test(arguments: 0..<24) func malformedHeads(_ index: Int) async throws {
        let server = try await FakeSondeHub()
        let errors = try await Self.errors(server.url("head/\(index)"), Question.allCases)
        for (question, error) in errors {
            let codes: [OnlineServiceError.Code] = [.malformed, .status, .unreachable, .timedOut, .tooLarge, .refused]
            #expect(codes.contains(error.code), "\(question): \(error)")
        }
        // The decoder accepts some of the heads. No WebSocket can begin with any of them.
        #expect(errors[.stream] != nil && errors[.streamAddress] != nil && errors[.osrm] != nil)
    }
}
