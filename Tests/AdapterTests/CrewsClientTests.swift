import FlightMath
import Gateway
import GatewayReports
import SondeHubClient
import TestSupport
import Testing

/// The other crews' positions over HTTP.
@Suite(.timeLimit(.minutes(10))) struct CrewsClientTests {
    @Test(arguments: ["good", "gzip"])
    func crewsAreRead(_ behaviour: String) async throws {
        let server = try await FakeSondeHub()
        let time = "2026-01-01T12:00:00.000Z"
        let cars = [("HB9ABC", "\"47.1,8.0\"", "true"), ("HB9FIX", "[47.1,8,0]", "false")].map {
            name, place, isMobile in
            "\"\(name)\":{\"\(time)\":{\"uploader_callsign\":\"\(name)\",\"uploader_position\":\(place),"
                + "\"mobile\":\(isMobile),\"ts\":\"\(time)\"}}"
        }
        try server.serve("crews", "{\(cars.joined(separator: ","))}")
        let client = try SondeHubClient(.init(url: server.url(behaviour), userAgent: "sondygo2mqtt/test"))
        let crews = try await client.crews(near: [Coordinate(latitude: 47, longitude: 8)])
        await client.close()
        #expect(crews.map(\.callSign) == ["HB9ABC"])
        #expect(server.requests.count { $0.contains("/listeners/telemetry?duration=15m ") } == 1)
    }

    @Test(arguments: [("text", OnlineServiceError.Code.refused), ("busy", .rateLimited), ("stall", .timedOut)])
    func errors(_ behaviour: String, _ code: OnlineServiceError.Code) async throws {
        let server = try await FakeSondeHub()
        try server.serve("crews", "{\"A\":{}}")
        var configuration = SondeHubClient.Configuration(url: server.url(behaviour), userAgent: "sondygo2mqtt/test")
        if behaviour == "stall" { configuration.trackTimeout = .seconds(2) }
        let client = try SondeHubClient(configuration)
        await #expect {
            _ = try await client.crews(near: [Coordinate(latitude: 47, longitude: 8)])
        } throws: { ($0 as? OnlineServiceError)?.code == code }
        await client.close()
    }
}
