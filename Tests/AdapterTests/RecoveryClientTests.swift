import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol
import SondeHubClient
import TestSupport
import Testing

/// Reports of recovery from and to a good and a faulty server.
@Suite(.timeLimit(.minutes(5))) struct RecoveryClientTests {
    private static func client(_ url: String) throws -> SondeHubClient {
        try SondeHubClient(SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test (+x)"))
    }

    @Test func askedAndSent() async throws {
        let server = try await FakeSondeHub()
        try server.serve(
            "recovered",
            "[{\"serial\":\"V3240531\",\"lat\":46.9,\"lon\":7.9,\"alt\":430,\"recovered\":true,\"planned\":false,"
                + "\"recovered_by\":\"HB9XYZ\",\"description\":\"\",\"datetime\":\"2025-12-11T15:09:26Z\"}]")
        let client = try Self.client(server.url())
        let serial = try #require(SondeSerial(name: "V3240531", type: .rs41))
        let reports = try await client.recoveries(.sonde(serial))
        let report = try #require(reports.first)
        #expect(report.by == "HB9XYZ" && report.state == .recovered)
        let place = try #require(report.coordinate)
        _ = try await client.recoveries(.area(place, radiusMetres: 100_000))
        try await client.report(report)
        #expect(server.requests.contains { $0.hasPrefix("GET /good/recovered?serial=V3240531&last=604800 |") })
        #expect(
            server.requests.contains {
                $0.hasPrefix("GET /good/recovered?lat=46.9&lon=7.9&distance=100000&last=604800 |")
            })
        let upload = try #require(server.uploads.first)
        #expect(upload.hasPrefix("PUT /good/recovered |") && upload.contains("\"recovered_by\":\"HB9XYZ\""))
        await client.close()
    }

    /// Behaviour -> the error's code: only a refusal ends a report.
    @Test(arguments: [("unknown", OnlineServiceError.Code.refused), ("fault", .status)])
    func errors(_ behaviour: String, _ code: OnlineServiceError.Code) async throws {
        let server = try await FakeSondeHub()
        let client = try Self.client(server.url(behaviour))
        let serial = try #require(SondeSerial(name: "V3240531", type: .rs41))
        let report = Recovery(
            serial, .recovered, by: "HB9XYZ", at: WallTime(millisecondsSince1970: 1_765_458_566_000),
            coordinate: Coordinate(latitude: 46.9, longitude: 7.9), altitudeMetres: 430)
        await #expect {
            try await client.report(report)
        } throws: { error in
            let error = error as? OnlineServiceError
            return error?.code == code && (code == .status || error?.detail.contains("serial not found in db") == true)
        }
        await client.close()
    }
}
