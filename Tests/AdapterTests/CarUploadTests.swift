import FlightMath
import Foundation
import Gateway
import GatewayReports
import SondeHubClient
import TestSupport
import Testing

/// The upload of the chase car to a real HTTP server.
@Suite(.timeLimit(.minutes(10))) struct CarUploadTests {
    private func client(_ server: FakeSondeHub, _ behaviour: String) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(
            url: server.url(behaviour), userAgent: "sondygo2mqtt/1.2 (+here)")
        if behaviour == "slow" { configuration.pollTimeout = .milliseconds(500) }
        return try SondeHubClient(configuration)
    }

    @Test func theCarIsUploadedAndRemoved() async throws {
        let server = try await FakeSondeHub()
        let client = try client(server, "good")
        let place = Coordinate(latitude: 46.8, longitude: 7.1)
        try await client.share(SharedCar(callSign: "HB9XYZ", coordinate: place, altitudeMetres: 450.4))
        try await client.share(SharedCar(callSign: "HB9XYZ", coordinate: place, altitudeMetres: nil))
        try await client.share(SharedCar(callSign: "HB9XYZ", coordinate: nil, altitudeMetres: nil))
        let uploads = try await eventually("three uploads") { server.uploads.count == 3 ? server.uploads : nil }
        let bodies = try uploads.map { line in
            let parts = line.components(separatedBy: " | ")
            #expect(parts[0] == "PUT /good/listeners")
            #expect(parts[1] == "sondygo2mqtt/1.2 (+here)")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(parts[2].utf8)) as? [String: Any])
        }
        #expect(bodies.map { $0["uploader_position"] as? [Double] } == [[46.8, 7.1, 450.4], [46.8, 7.1, 0], nil])
        #expect(bodies.last?["uploader_position"] is NSNull)
        for body in bodies {
            #expect(body["software_name"] as? String == "sondygo2mqtt")
            #expect(body["software_version"] as? String == "1.2")
            #expect(body["uploader_callsign"] as? String == "HB9XYZ")
            #expect(body["mobile"] as? Bool == true)
        }
        await client.close()
    }

    @Test(arguments: ["fault", "slow"])
    func faults(_ behaviour: String) async throws {
        let server = try await FakeSondeHub()
        let client = try client(server, behaviour)
        await #expect(throws: OnlineServiceError.self) {
            try await client.share(SharedCar(callSign: "HB9XYZ", coordinate: nil, altitudeMetres: nil))
        }
        await client.close()
    }
}
