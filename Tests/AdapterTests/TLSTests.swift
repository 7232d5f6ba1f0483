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
        case good, wrongAuthority, wrongName, clientCertificateMissing, clientCertificateGood, plainBroker
    }

    @Test(arguments: Case.allCases)
    func connection(_ testCase: Case) async throws {
        let folder = try temporaryDirectory()
        try makeCertificates(folder, name: testCase == .wrongName ? "elsewhere.example" : "localhost")
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
        let mayConnect = testCase == .good || testCase == .clientCertificateGood
        #expect((first == .connected) == mayConnect, "\(testCase): \(String(describing: first))")
        await client.stop()
    }

    private func makeCertificates(_ folder: URL, name: String) throws {
        let script = """
            set -e; cd "$1"
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
            openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.crt -days 2 -subj /CN=other
            for who in server client; do
              openssl req -newkey rsa:2048 -nodes -keyout $who.key -out $who.csr -subj /CN=$2
              printf 'subjectAltName=DNS:%s' "$2" > san
              openssl x509 -req -in $who.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile san -out $who.crt
            done
            chmod 644 *
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", folder.path, name]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
