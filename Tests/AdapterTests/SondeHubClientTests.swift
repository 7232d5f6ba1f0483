import Foundation
import NIOHTTP1
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

@testable import FlightMath
@testable import Gateway
@testable import GatewayReports
@testable import SondeHubClient

/// The client with a real HTTP server, good and faulty.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SondeHubClientTests {
    private static func server() async throws -> FakeSondeHub {
        let server = try await FakeSondeHub()
        try server.serve("site", Fixtures.text("Fixtures/sondehub/site.json"))
        try server.serve("area", "{}")
        try server.serve("track", Fixtures.text("Fixtures/sondehub/track.json"))
        return server
    }

    private static func client(
        _ url: String, timeout: Double = usualDeadline, limit: Int = 64 << 20
    ) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test (+here)")
        configuration.pollTimeout = .seconds(timeout)
        configuration.trackTimeout = .seconds(timeout)
        configuration.sizeLimit = limit
        return try SondeHubClient(configuration)
    }

    private static let serial = SondeSerial(name: "V3240531", type: .rs41)

    /// `Age` -> the answer's age in seconds, and whether its `Date` gives the time.
    @Test(
        arguments: [
            ("42", 42, true), ("3600", 3600, true), ("3601", 0, false), ("99999999999999999999", 0, false),
            ("-5", 0, true), ("nan", 0, true), ("", 0, true),
        ] as [(String, Int, Bool)])
    func theAgeHeaderGivesTheAge(_ age: String, _ seconds: Int, _ isDated: Bool) {
        let facts = ResponseFacts(["Age": age, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(facts.cacheAge == .seconds(seconds))
        #expect((facts.answeredAt != nil) == isDated)
    }

    /// A server that takes no connection, as where packets are swallowed: a stop does not wait for the library's own
    /// limit of 30 s.
    @Test func aCloseDoesNotWaitForAConnection() async throws {
        // The kernel answers no more once the queue of a listener that accepts nothing is full.
        let listener = privateSocket()
        defer { close(listener) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        #expect(isBound)
        let port = Int(UInt16(bigEndian: place.sin_port))
        let waiting = (0..<4).compactMap { _ in SwallowedConnection(port: port) }
        let client = try Self.client("http://127.0.0.1:\(port)")
        let asking = Task { try await client.sondes(.site("06610")) }
        // Nothing shows that the client has begun to connect. If it has not within a second, this proves less.
        try await Task.sleep(for: .seconds(1))
        asking.cancel()
        _ = try? await asking.value
        let began = ContinuousClock.now
        await client.close()
        #expect(ContinuousClock.now - began < .seconds(20))
        withExtendedLifetime(waiting) {}
    }

    @Test(arguments: ["good", "gzip", "twogzip", "moved", "sameport"])
    func answers(_ behaviour: String) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour))
        let answer = try await client.sondes(.site("06610"))
        #expect(answer.records.count == 3)
        #expect(answer.skipped == 4)
        if behaviour == "good" { #expect(answer.cacheAge == .seconds(42)) }
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
            ("slow", .timedOut), ("drip", .timedOut), ("stall", .timedOut), ("text", .refused), ("html", .refused),
            ("refused", .refused), ("busy", .rateLimited), ("broken", .status), ("htmlfault", .status),
            ("errorobject", .status), ("errordescription", .status), ("truncated", .malformed), ("cut", .malformed),
            ("damaged", .malformed), ("cutgzip", .malformed), ("otherencoding", .malformed), ("bomb", .tooLarge),
            ("endless", .tooLarge), ("away", .redirect), ("circle", .redirect), ("otherport", .redirect),
        ] as [(String, OnlineServiceError.Code)])
    func failures(_ behaviour: String, _ code: OnlineServiceError.Code) async throws {
        let server = try await Self.server()
        let isSlow = ["slow", "drip", "stall"].contains(behaviour)
        let client = try Self.client(server.url(behaviour), timeout: isSlow ? 1.5 : usualDeadline, limit: 4 << 20)
        let began = ContinuousClock.now
        let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == code, "\(String(describing: error))")
        if isSlow { #expect(ContinuousClock.now - began < .seconds(25)) }
        let track = await #expect(throws: OnlineServiceError.self) {
            try await client.track(of: #require(Self.serial), last: .day) { _ in }
        }
        #expect(track?.code == code, "\(String(describing: track))")
        await client.close()
    }

    /// The error has the server's text and no library's.
    @Test(arguments: [
        ("errorobject", "the answer is an error: \"Internal server error\""),
        ("broken", "HTTP status 500: Internal Server Error"), ("htmlfault", "HTTP status 500"),
        ("refused", "HTTP status 400: Invalid value"), ("damaged", "the compressed answer is damaged"),
        ("text", "no JSON but: Duration must be either 3d, 1d, 12h, 6h, 3h, 1h, 30m, 1m, 15s, 0"),
        ("html", "no JSON but: <!doctype html> <title>Sorry</title>"), ("bomb", "the answer is larger than 4 MB"),
    ])
    func errorsQuoteTheServer(_ behaviour: String, _ words: String) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour), limit: 4 << 20)
        let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.detail == words)
        await client.close()
    }

    /// Behaviour -> how long to wait.
    @Test(
        arguments: [
            ("busy", .seconds(77) ... .seconds(77)), ("later", .seconds(85) ... .seconds(91)),
            ("past", .zero ... .zero),
            ("odd", nil),
        ] as [(String, ClosedRange<Duration>?)])
    func retryAfter(_ behaviour: String, _ expected: ClosedRange<Duration>?) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour))
        let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
        let pause = error?.retryAfter
        #expect(
            expected.map { range in pause.map { range.contains($0) } ?? false } ?? (pause == nil),
            "\(String(describing: pause))")
        await client.close()
    }

    /// Three records of 5 MB are dropped; the good ones between them are read.
    @Test func longRecordsAreDroppedAlone() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url("longrecord"), timeout: usualDeadline)
        let answer = try await client.sondes(.site("06610"))
        #expect(answer.records.count == 3)
        #expect(answer.skipped == 4 + 3)
        await client.close()
    }

    /// Asks a hanging server for twelve tracks at once.
    /// - Parameter body: runs while they hang; then they are cancelled. Without it they reach their limit.
    /// - Returns: how each ended.
    private func hang(
        _ hanging: SondeHubClient, until body: (() async throws -> Void)? = nil
    ) async throws -> [OnlineServiceError.Code?] {
        let serial = try #require(Self.serial)
        return try await withThrowingTaskGroup(of: OnlineServiceError.Code?.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do throws(OnlineServiceError) {
                        try await hanging.track(of: serial, last: .day) { _ in }
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            if let body {
                try await body()
                group.cancelAll()
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Hanging servers delay only the requests to them: another is answered while all of them hang.
    @Test func aServerThatHangsCostsNothingElse() async throws {
        let server = try await Self.server()
        let hanging = try Self.client(server.url("stall"), timeout: 3600)
        let client = try Self.client(server.url("good"))
        let codes = try await hang(hanging) {
            try await eventually("they hang") { (!server.requests.isEmpty).orNil }
            #expect(try await client.sondes(.site("06610")).records.count == 3)
        }
        #expect(codes == Array(repeating: .cancelled, count: 12))
        await hanging.close()
        await client.close()
    }

    /// Twelve that hang end beside each other: one after the other they would need 24 s.
    @Test func hangingRequestsEndBesideEachOther() async throws {
        let server = try await Self.server()
        let hanging = try Self.client(server.url("stall"), timeout: 2)
        let began = ContinuousClock.now
        #expect(try await hang(hanging) == Array(repeating: .timedOut, count: 12))
        #expect(ContinuousClock.now - began < .seconds(20))
        await hanging.close()
    }

    /// Each piece of a track has the time from the answer's head.
    @Test func trackPiecesHaveTheAnswersTime() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url())
        let pieces = Mutex<[SondeHubAnswer]>([])
        try await client.trackPieces(of: #require(Self.serial), last: .threeHours) { piece in
            pieces.withLock { $0.append(piece) }
        }
        let all = pieces.withLock { $0 }
        #expect(all.allSatisfy { $0.answeredAt != nil && $0.cacheAge == .seconds(42) })
        #expect(all.map(\.records.count).reduce(0, +) == 40)
        await client.close()
    }

    @Test(arguments: ["cut", "stall"]) func aBrokenTrackKeepsItsPoints(_ behaviour: String) async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url(behaviour), timeout: behaviour == "stall" ? 5 : usualDeadline)
        let points = Mutex(0)
        let error = await #expect(throws: OnlineServiceError.self) {
            try await client.track(of: #require(Self.serial), last: .day) { records in
                points.withLock { $0 += records.count }
            }
        }
        #expect(error?.code == (behaviour == "cut" ? .malformed : .timedOut))
        #expect(points.withLock { $0 } > 10)
        await client.close()
    }

    /// A long flight as SondeHub sends it, gzip or not.
    @Test(arguments: ["good", "gzip"])
    func aTrackOfTenThousandPointsIsRead(_ behaviour: String) async throws {
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
    @Test func aHostWithoutARouteIsUnreachable() async throws {
        let client = try Self.client("https://192.0.2.1", timeout: 2)
        let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
        #expect(error?.code == .unreachable || error?.code == .timedOut)
        await client.close()
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let client = try Self.client("http://127.0.0.1:\(Broker.freePort())")
        let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
        #expect(error == OnlineServiceError(.unreachable, "nothing listens there (connection refused)"))
        await client.close()
    }

    @Test func aCancelledTrackEndsSoon() async throws {
        let server = try await Self.server()
        let client = try Self.client(server.url("slow"), timeout: usualDeadline)
        let began = ContinuousClock.now
        let task = Task { () -> OnlineServiceError? in
            guard let serial = Self.serial else { return nil }
            do throws(OnlineServiceError) {
                try await client.track(of: serial, last: .day) { _ in }
                return nil
            } catch {
                return error
            }
        }
        try await eventually("the request arrives") { (!server.requests.isEmpty).orNil }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(ContinuousClock.now - began < .seconds(25))
        await client.close()
    }

    /// URL -> accepted.
    @Test(arguments: [
        ("https://api.v2.sondehub.org", true), ("https://api.v2.sondehub.org/", true), ("http://127.0.0.1:8000", true),
        ("http://localhost:8000/x", true), ("http://api.v2.sondehub.org", false), ("ftp://127.0.0.1", false),
        ("api.v2.sondehub.org", false), ("", false), ("https://", false), ("https://x/?a=b", false),
        ("http://127.0.0.1:99999", false), ("https://x:443443/y", false), ("http://localhost:0", false),
        ("https://x:65535", true), ("https://me:secret@api.v2.sondehub.org", false),
        ("https://x/#y", false), ("http://[::1]:8000", true),
    ])
    func onlyHTTPURLsAreAccepted(_ url: String, _ isAccepted: Bool) {
        #expect(SondeHubClient.accepts(url) == isAccepted)
    }
}

/// A connection that is begun and not waited for.
private final class SwallowedConnection {
    private let descriptor: Int32

    init?(port: Int) {
        descriptor = privateSocket()
        guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        place.sin_port = UInt16(port).bigEndian
        _ = withUnsafePointer(to: &place) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }
}
