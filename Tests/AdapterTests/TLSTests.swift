import Foundation
import MosquittoClient
import TestSupport
import Testing

/// TLS against a real mosquitto: never plain text instead.
///
/// One after the other: libmosquitto sets OpenSSL up at the first TLS connection without a lock, and two at that moment
/// fail. A gateway has one connection at a time.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TLSTests {
    enum Case: String, CaseIterable {
        case good, wrongAuthority, wrongName, expired, clientCertificateMissing, clientCertificateGood, plainBroker

        /// What of it a user reads.
        var complaint: String {
            switch self {
            case .good, .clientCertificateGood: "nothing"
            case .wrongAuthority, .wrongName, .expired: "the broker's certificate is not trusted"
            case .clientCertificateMissing: "client certificate"
            case .plainBroker: "may speak no TLS"
            }
        }
    }

    @Test(arguments: Case.allCases)
    func connection(_ testCase: Case) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(
            in: folder, name: testCase == .wrongName ? "elsewhere.example" : "localhost",
            days: testCase == .expired ? -1 : 2)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        let needsClient = [.clientCertificateMissing, .clientCertificateGood].contains(testCase)
        let tls = "cafile \(path("ca.crt"))\ncertfile \(path("server.crt"))\nkeyfile \(path("server.key"))"
        let listener =
            testCase == .plainBroker
            ? "allow_anonymous true" : "allow_anonymous true\n\(tls)\nrequire_certificate \(needsClient)"
        let broker = try await Broker(listener: listener, directory: folder)
        var configuration = MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a")
        configuration.tls = .init(caFile: path(testCase == .wrongAuthority ? "other.crt" : "ca.crt"))
        if testCase == .clientCertificateGood {
            configuration.tls?.certificateFile = path("client.crt")
            configuration.tls?.keyFile = path("client.key")
        }
        let client = try MosquittoClient(configuration)
        client.start()
        var events = client.events.makeAsyncIterator()
        let first = await events.next()
        if case .connectFailed(let failure) = first {
            // A broker that hangs up without a word may just be restarting.
            let isCertain = ![.clientCertificateMissing, .plainBroker].contains(testCase)
            #expect(failure.code == .tls || !isCertain, "\(testCase): \(failure)")
            #expect(failure.detail.contains(testCase.complaint), "\(testCase): \(failure)")
        }
        let mayConnect = testCase == .good || testCase == .clientCertificateGood
        #expect((first == .connected) == mayConnect, "\(testCase): \(String(describing: first))")
        await client.stop()
    }
}
