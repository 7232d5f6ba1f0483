import Foundation
import GatewayCore
import ReceiverProtocol
import SondeHubClient
import Synchronization
import TestSupport
import Testing

/// The client against a real HTTP server that behaves well and badly.
@Suite(.timeLimit(.minutes(3))) struct SondeHubClientTests {
    private static func server() async throws -> FakeSondeHub {
        let server = try await FakeSondeHub()
        try server.serve("site", Fixtures.text("Fixtures/sondehub/site.json"))
        try server.serve("area", "{}")
        try server.serve("track", Fixtures.text("Fixtures/sondehub/track.json"))
        return server
    }

    private static func client(_ url: String, timeout: Double = 5, limit: Int = 64 << 20) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test (+here)")
        configuration.pollTimeout = timeout
        configuration.trackTimeout = timeout
        configuration.sizeLimit = limit
        return try SondeHubClient(configuration)
    }

    private static let serial = SondeSerial(name: "V3240531", type: .rs41)

    @Test(arguments: ["good", "gzip", "moved"])
    func answers(_ behaviour: String) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour))
        let answer = try await client.sondes(.site("06610"))
        #expect(answer.records.count == 3)
        #expect(answer.skipped == 4)
        if behaviour == "good" { #expect(answer.cacheAge == 42) }
        #expect(answer.answeredAt != nil)
        let points = Mutex(0)
        try await client.track(of: #require(Self.serial), last: .threeHours) { records in
            points.withLock { $0 += records.count }
        }
        #expect(points.withLock { $0 } == 40)
        #expect(
            try await client.sondes(.area(Coordinate(latitude: 47, longitude: -8), radiusMetres: 5000)).records.isEmpty)
        await client.close()
        #expect(server.requests.contains("GET /\(behaviour)/sondes/site/06610 | sondygo2mqtt/test (+here)"))
        #expect(server.requests.contains { $0.contains("/sondes/telemetry?serial=V3240531&duration=3h |") })
        #expect(server.requests.contains { $0.contains("/sondes?lat=47.0&lon=-8.0&distance=5000&last=10800 |") })
    }

    /// Behaviour -> the error's code.
    @Test(
        arguments: [
            ("slow", .timedOut), ("drip", .timedOut), ("text", .refused), ("busy", .rateLimited), ("broken", .status),
            ("truncated", .malformed), ("cut", .malformed), ("bomb", .tooLarge), ("endless", .tooLarge),
            ("away", .redirect), ("circle", .redirect),
        ] as [(String, SondeHubError.Code)])
    func failures(_ behaviour: String, _ code: SondeHubError.Code) async throws {
        let server = try await Self.server()
        let isSlow = behaviour == "slow" || behaviour == "drip"
        let client = try Self.client(server.url(behaviour), timeout: isSlow ? 1.5 : 20, limit: 4 << 20)
        let began = ContinuousClock.now
        let error = await #expect(throws: SondeHubError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == code, "\(String(describing: error))")
        if behaviour == "busy" { #expect(error?.retryAfter == 77) }
        if isSlow { #expect(ContinuousClock.now - began < .seconds(15)) }
        await client.close()
    }

    @Test func aTrackThatBreaksOffKeepsWhatCame() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url("cut"))
        let points = Mutex(0)
        let error = await #expect(throws: SondeHubError.self) {
            try await client.track(of: #require(Self.serial), last: .day) { records in
                points.withLock { $0 += records.count }
            }
        }
        #expect(error?.code == .malformed)
        #expect(points.withLock { $0 } > 10)
        await client.close()
    }

    /// A long flight as SondeHub sends it, gzip or not.
    @Test(arguments: ["good", "gzip"])
    func tenThousandPoints(_ behaviour: String) async throws {
        let server = try await Self.server()
        let padding = String(repeating: "x", count: 780)
        let records = (0..<10_000).map { index in
            let time = WallTime(millisecondsSince1970: 1_765_450_000_000 + Int64(index) * 1000).iso8601
            return "\"\(time)\":{\"type\":\"RS41\",\"datetime\":\"\(time)\",\"lat\":46.8,\"lon\":7.9,\"alt\":\(index),"
                + "\"software_name\":\"\(padding)\",\"uploaders\":[{\"snr\":1.5}]}"
        }
        let body = "{\"V3240531\":{" + records.joined(separator: ",") + "}}"
        #expect(body.utf8.count > 9_300_000)
        try server.serve("track", body)
        let client = try Self.client(server.url(behaviour), timeout: 60)
        let altitudes = Mutex<[Double]>([])
        try await client.track(of: #require(Self.serial), last: .threeHours) { records in
            #expect(records.count <= 600)
            altitudes.withLock { $0 += records.map(\.altitudeMetres) }
        }
        #expect(altitudes.withLock { $0 } == (0..<10_000).map(Double.init))
        await client.close()
    }

    /// An address that no packet can reach.
    @Test func noRoute() async throws {
        let client = try Self.client("https://192.0.2.1", timeout: 2)
        let error = await #expect(throws: SondeHubError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == .unreachable || error?.code == .timedOut)
        await client.close()
    }

    @Test func nobodyThere() async throws {
        let client = try Self.client("http://127.0.0.1:\(Broker.freePort())")
        let error = await #expect(throws: SondeHubError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == .unreachable)
        await client.close()
    }

    /// A certificate that nobody vouches for, as of an impostor, is refused.
    @Test func wrongCertificate() async throws {
        let folder = try temporaryDirectory()
        let (certificate, key) = (
            folder.appendingPathComponent("c.pem").path, folder.appendingPathComponent("k.pem").path
        )
        let openssl = try Child(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                "-subj", "/CN=elsewhere.example",
            ])
        #expect(try await openssl.exitCode() == 0)
        let server = try await FakeSondeHub(certificate: certificate, key: key)
        let client = try Self.client("https://127.0.0.1:\(server.port)/good")
        let error = await #expect(throws: SondeHubError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == .tls, "\(String(describing: error))")
        await client.close()
    }

    @Test func aCancelledTrackEndsSoon() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url("slow"), timeout: 30)
        let began = ContinuousClock.now
        let task = Task { () -> SondeHubError? in
            guard let serial = Self.serial else { return nil }
            do throws(SondeHubError) {
                try await client.track(of: serial, last: .day) { _ in }
                return nil
            } catch {
                return error
            }
        }
        try await eventually("the request arrives") { (!server.requests.isEmpty).orNil }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(ContinuousClock.now - began < .seconds(10))
        await client.close()
    }

    /// URL -> accepted.
    @Test(arguments: [
        ("https://api.v2.sondehub.org", true), ("https://api.v2.sondehub.org/", true), ("http://127.0.0.1:8000", true),
        ("http://localhost:8000/x", true), ("http://api.v2.sondehub.org", false), ("ftp://127.0.0.1", false),
        ("api.v2.sondehub.org", false), ("", false), ("https://", false), ("https://x/?a=b", false),
    ])
    func urls(_ url: String, _ isAccepted: Bool) {
        #expect(SondeHubClient.accepts(url) == isAccepted)
    }
}
