import Foundation
import Gateway
import GatewayReports
import SondeHubClient
import TestSupport
import Testing

/// The messages for an unsafe connection to SondeHub.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SondeHubTLSTests {
    private static func fault(_ url: String, authorities: String?) async throws -> OnlineServiceError? {
        var configuration = SondeHubClient.Configuration(url: url, userAgent: "sondygo2mqtt/test")
        configuration.authorities = authorities
        configuration.pollTimeout = .seconds(20)
        let client = try SondeHubClient(configuration)
        var fault: OnlineServiceError?
        do throws(OnlineServiceError) {
            _ = try await client.sondes(.site("06610"))
        } catch {
            fault = error
        }
        await client.close()
        return fault
    }

    /// Name, days of validity, trusted authority -> the end of the message; nil for a good answer.
    @Test(
        arguments: [
            ("localhost", 2, "ca.crt", nil),
            ("localhost", 2, "other.crt", "is not trusted: its authority is not known here"),
            ("localhost", 2, nil, "is not trusted: its authority is not known here"),
            ("elsewhere.example", 2, "ca.crt", "is for another name"),
            ("localhost", -1, "ca.crt", "is not trusted: "),
        ] as [(String, Int, String?, String?)])
    func badCertificatesAreExplained(_ name: String, _ days: Int, _ authority: String?, _ words: String?) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder, name: name, days: days)
        let server = try await FakeSondeHub(
            certificate: folder.appendingPathComponent("server.crt").path,
            key: folder.appendingPathComponent("server.key").path)
        try server.serve("site", "{}")
        let fault = try await Self.fault(
            "https://localhost:\(server.port)/good",
            authorities: authority.map { folder.appendingPathComponent($0).path })
        #expect((fault == nil) == (words == nil))
        guard let fault, let words else { return }
        #expect(fault.code == .tls)
        let detail = fault.detail
        #expect(detail.hasPrefix("the server's certificate \(words)"), "\(detail)")
        for dump in ["error:", "OPENSSL", ".cc", "/", "BoringSSL", "NIO"] {
            #expect(!detail.contains(dump), "\(detail)")
        }
    }

    /// https to a server that only speaks http.
    @Test func aServerWithoutTLSIsExplained() async throws {
        let server = try await FakeSondeHub()
        let fault = try await Self.fault("https://127.0.0.1:\(server.port)/good", authorities: nil)
        #expect(fault == OnlineServiceError(.tls, "the server does not speak TLS on this port"))
    }

    /// A server that accepts the connection and hangs up.
    @Test func aHangUpInTheHandshakeIsExplained() async throws {
        let server = try SocketServer()
        async let fault = Self.fault("https://127.0.0.1:\(server.port)/good", authorities: nil)
        try await server.accept()
        server.hangUp()
        // The text depends on whether the server had read the client's greeting.
        let possible = [
            OnlineServiceError(.tls, "the server hung up during the TLS handshake"),
            OnlineServiceError(.unreachable, "the server closed the connection"),
        ]
        let seen = try await fault
        #expect(possible.contains { $0 == seen }, "\(String(describing: seen))")
    }
}
