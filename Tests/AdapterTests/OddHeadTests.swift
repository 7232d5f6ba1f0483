import GatewayReports
import TestSupport
import Testing

@testable import Gateway
@testable import SondeHubClient

/// Answers with a wrong head are errors of that service. The HTTP library traps on a status below 100, so
/// ``StatusGuard`` checks it first.
@Suite(.timeLimit(.minutes(5)), .serialized) struct OddHeadTests {
    private static func client(_ url: String) throws -> SondeHubClient {
        var configuration = SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test (+here)")
        configuration.pollTimeout = .seconds(5)
        return try SondeHubClient(configuration)
    }

    @Test func everyStatusOfThreeDigits() async throws {
        let server = try await FakeSondeHub()
        for status in 0...999 where status != 200 {
            let digits = String(1000 + status).dropFirst()
            let client = try Self.client(server.url("status/\(digits)"))
            let error = await #expect(throws: OnlineServiceError.self) { try await client.sondes(.site("06610")) }
            if status < 100 {
                #expect(error == OnlineServiceError(.malformed, "the answer has the HTTP status \(status)"))
            }
            await client.close()
        }
        #expect(server.requests.count == 999)
    }

    /// The number of heads in sondehub.py.
    @Test(arguments: 0..<24) func malformedHeads(_ index: Int) async throws {
        let server = try await FakeSondeHub()
        let client = try Self.client(server.url("head/\(index)"))
        do throws(OnlineServiceError) {
            // The decoder accepts some of them; the answer is then empty.
            #expect(try await client.sondes(.site("06610")).records.isEmpty)
        } catch {
            #expect([.malformed, .status, .unreachable, .timedOut, .tooLarge].contains(error.code), "\(error)")
        }
        await client.close()
    }
}
