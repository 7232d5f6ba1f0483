import Foundation
import Gateway
import MosquittoClient
import TestSupport
import Testing
import Threads

/// TLS with a real mosquitto. There is no fallback to plain text.
///
/// The tests run one after another: libmosquitto initialises OpenSSL at the first TLS connection without a lock. A
/// gateway has one connection at a time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TLSTests {
    enum Case: String, CaseIterable {
        case good, wrongAuthority, wrongName, expired, notYetValid, clientCertificateMissing, clientCertificateGood,
            plainBroker

        /// The part of the message that a user reads.
        var complaint: String {
            switch self {
            case .good, .clientCertificateGood: "nothing"
            case .wrongAuthority:
                "the broker's certificate is not trusted: its authority (ca) is not in mqtt.tls.ca_file"
            case .expired: "the broker's certificate expired on 20"
            case .notYetValid: "the broker's certificate is not valid yet, but from 20"
            case .wrongName: "the broker's certificate is for elsewhere.example, not for localhost; set mqtt.host"
            case .clientCertificateMissing: "client certificate"
            case .plainBroker: "may speak no TLS"
            }
        }
    }

    @Test(arguments: Case.allCases)
    func connectionFaultsAreExplained(_ testCase: Case) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(
            in: folder, name: testCase == .wrongName ? "elsewhere.example" : "localhost",
            days: testCase == .expired ? -1 : 2, beginsInDays: testCase == .notYetValid ? 1 : nil)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        let needsClient = [.clientCertificateMissing, .clientCertificateGood].contains(testCase)
        let listener =
            testCase == .plainBroker
            ? "allow_anonymous true" : "\(Certificates.listener(in: folder))\nrequire_certificate \(needsClient)"
        let broker = try await Broker(listener: listener, directory: folder)
        var configuration = MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a")
        configuration.tls = .init(caFile: path(testCase == .wrongAuthority ? "other.crt" : "ca.crt"))
        if testCase == .clientCertificateGood {
            configuration.tls?.certificateFile = path("client.crt")
            configuration.tls?.keyFile = path("client.key")
        }
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        let first = try await eventually("an outcome") { log.all.first }
        if case .connectFailed(let failure) = first {
            let isAboutTime = testCase == .expired || testCase == .notYetValid
            #expect(failure.detail.contains("this machine's clock says 20") == isAboutTime, "\(testCase): \(failure)")
            // A broker that hangs up without a reason may be restarting.
            let mayRestart = [.clientCertificateMissing, .plainBroker].contains(testCase)
            #expect(failure.code == .tls || mayRestart && failure.code == .lost, "\(testCase): \(failure)")
            #expect(failure.detail.contains(testCase.complaint), "\(testCase): \(failure)")
            for dump in ["OpenSSL", "A TLS error", "rror:", "::"] {
                #expect(!failure.detail.contains(dump), "\(testCase): \(failure)")
            }
        }
        let mayConnect = testCase == .good || testCase == .clientCertificateGood
        #expect((first == .connected(.v5)) == mayConnect, "\(testCase): \(String(describing: first))")
        await client.stop()
    }

    /// The broker is stopped in order, or killed, while messages go: that it ended the connection is all there is to say.
    @Test(arguments: [SIGTERM, SIGKILL]) func aStoppedBrokerBrokeNoProtocol(_ signal: Int32) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder, name: "localhost", days: 2)
        let ca = folder.appendingPathComponent("ca.crt").path
        for session in 1...6 {
            let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
            var configuration = MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a")
            configuration.tls = .init(caFile: ca)
            let client = try MosquittoClient(configuration)
            let log = ClientLog(client)
            client.start()
            try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
            let message = OutgoingMessage(topic: "x", payload: Array(repeating: 65, count: 400))
            for _ in 0..<20 { _ = client.publish(message) }
            broker.kill(signal)
            let failure = try await eventually("the end of session \(session)") { log.failures.first }
            #expect(failure.code == .lost && !failure.detail.contains("rotocol"), "\(failure)")
            #expect(!failure.detail.contains("eof"), "\(failure)")
            await client.stop()
        }
    }

    /// A name has two addresses. Behind the first nobody answers; the second has the broker. The certificate is checked
    /// against the name, and the server hears the name.
    @Test func eachAddressOfANameIsTried() async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
        var configuration = MosquittoConfiguration(clientID: "a")
        configuration.tls = .init(caFile: folder.appendingPathComponent("ca.crt").path)
        for (name, isGood) in [("localhost", true), ("elsewhere.example", false)] {
            // What a look-up of the name gives.
            configuration.brokers = ["127.0.0.2", "127.0.0.1"].map {
                BrokerAddress(host: $0, port: broker.port, certificateName: name)
            }
            let client = try MosquittoClient(configuration)
            let log = ClientLog(client)
            client.start()
            let first = try await eventually("an outcome") { log.all.first }
            #expect((first == .connected(.v5)) == isGood, "\(first)")
            let detail = log.failures.first?.detail ?? ""
            #expect(isGood || detail.contains("not for elsewhere.example"), "\(log.all)")
            await client.stop()
        }
    }

    /// Not the protocol that is expected: what answers is named, and what to do.
    @Test(
        arguments: [
            (false, "HTTP/1.1 400 Bad Request\r\n\r\n", "login page of the Wi-Fi"),
            (true, "HTTP/1.1 302 Found\r\nLocation: http://login\r\n\r\n", "login page of the Wi-Fi"),
            (false, "SSH-2.0-OpenSSH_9.2p1\r\n", "this port answers \"SSH-2.0-Open"),
            (false, "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}F", "mqtt.tls.enabled: true"),
            (true, "\u{20}\u{2}\u{0}\u{0}\u{0}", "this port speaks no TLS"),
        ])
    func anotherProtocolIsNamed(_ usesTLS: Bool, _ answer: String, _ words: String) async throws {
        let server = try SocketServer()
        var configuration = MosquittoConfiguration(host: "127.0.0.1", port: server.port, clientID: "a")
        configuration.tls = usesTLS ? .init() : nil
        configuration.times.firstStep = .seconds(60)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await server.accept()
        server.write(answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
        #expect(failure.detail.contains(words), "\(failure)")
        server.hangUp()
        await client.stop()
    }

    /// A client that expects no TLS, and a broker that speaks it. OpenSSL's server hangs up without a word.
    @Test func plainTextToATLSPortIsExplained() async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
        let client = try MosquittoClient(MosquittoConfiguration(host: "127.0.0.1", port: broker.port, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
        #expect(failure.detail.contains("a port that speaks TLS hangs up like this"), "\(failure)")
        await client.stop()
    }

    /// The connection takes long, as over a real line: it waits for room in the listener's queue.
    @Test func aSlowConnectionIsWaitedFor() async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
        let slow = """
            import socket, threading, time
            listener = socket.create_server(('127.0.0.1', 0), backlog=0)
            filler = socket.create_connection(listener.getsockname())
            print(listener.getsockname()[1], flush=True)
            time.sleep(0.7)
            listener.accept()
            near, _ = listener.accept()
            far = socket.create_connection(('127.0.0.1', \(broker.port)))
            def pipe(a, b):
                while data := a.recv(4096): b.sendall(data)
            threading.Thread(target=pipe, args=(near, far), daemon=True).start()
            pipe(far, near)
            """
        let line = try Child("python3", ["-c", slow])
        let port = try await eventually("a port: \(line.text)") { line.lines.first.flatMap { Int($0) } }
        var configuration = MosquittoConfiguration(host: "localhost", port: port, clientID: "a")
        configuration.tls = .init(caFile: path("ca.crt"))
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        #expect(try await eventually("an outcome") { log.all.first } == .connected(.v5))
        await client.stop()
    }

    /// A restarting broker is found when it is back. Until then the client does not spin.
    @Test func anAbsentBrokerIsFoundSoonAfterItsReturn() async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let broker = try await Broker(listener: Certificates.listener(in: folder), directory: folder)
        var configuration = MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a")
        configuration.tls = .init(caFile: folder.appendingPathComponent("ca.crt").path)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await eventually("connected: \(log.failures)") { (log.connections == 1).orNil }
        let port = broker.port
        try await broker.stop()
        let refused = try await eventually("refused: \(log.failures)") {
            log.failures.first { $0.detail == "Connection refused" }
        }
        #expect(refused.code == .unreachable)
        // Sooner than the ten seconds of an attempt.
        let again = try await Broker(
            port: port, listener: Certificates.listener(in: folder), directory: folder)
        try await eventually("back: \(log.failures)") { (log.connections == 2).orNil }
        await client.stop()
        _ = again
    }

    /// The listener of a broker that ends takes connections to the last, and the kernel ends them. No user has to mend
    /// that, so the client does not wait as after a fault of the configuration.
    @Test(arguments: [false, true]) func aHangUpInTheHandshakeIsTriedAgainSoon(_ isReset: Bool) async throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let server = try SocketServer()
        var configuration = MosquittoConfiguration(host: "localhost", port: server.port, clientID: "a")
        configuration.tls = .init(caFile: folder.appendingPathComponent("ca.crt").path)
        configuration.times.refusalPause = .seconds(3600)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        for attempt in 1...3 {
            try await server.accept()
            try await eventually("the handshake of attempt \(attempt)") { (!server.read().isEmpty).orNil }
            if isReset { server.reset() } else { server.hangUp() }
        }
        try await eventually("they failed: \(log.all)") { (log.failures.count >= 3).orNil }
        #expect(log.failures.allSatisfy { $0.code == .lost }, "\(log.all)")
        await client.stop()
    }

    /// A faulty TLS file.
    enum BadFile: String, CaseIterable {
        case caMissing, caEmpty, caJunk, caIsAFolder, caIsAPipe, certificateEmpty, certificateJunk, certificateIsAPipe
        case keyMissing, keyJunk, keyIsAPipe, keyOfAnother, keyWithPassphrase

        var key: String {
            switch self {
            case .caMissing, .caEmpty, .caJunk, .caIsAFolder, .caIsAPipe: "mqtt.tls.ca_file"
            case .certificateEmpty, .certificateJunk, .certificateIsAPipe: "mqtt.tls.cert_file"
            case .keyMissing, .keyJunk, .keyIsAPipe, .keyOfAnother, .keyWithPassphrase: "mqtt.tls.key_file"
            }
        }

        /// The part of the message that a user reads.
        var complaint: String {
            switch self {
            case .caIsAFolder: "is a directory"
            case .caIsAPipe, .certificateIsAPipe, .keyIsAPipe: "is not a plain file"
            case .caMissing, .keyMissing: "can't be read"
            case .caEmpty, .caJunk, .certificateEmpty, .certificateJunk: "holds no usable certificate"
            case .keyJunk, .keyWithPassphrase: "holds no usable private key"
            case .keyOfAnother: "is not the key of the certificate"
            }
        }
    }

    /// The error comes before a connection, and names the setting, the file and the fault.
    @Test(arguments: BadFile.allCases)
    func aBadFileIsAStartUpError(_ bad: BadFile) throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        try Data().write(to: folder.appendingPathComponent("empty"))
        try Data("-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n".utf8)
            .write(to: folder.appendingPathComponent("junk"))
        // No program writes to the pipe; the start must not wait for one.
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        var files = (ca: "ca.crt", certificate: "client.crt", key: "client.key")
        switch bad {
        case .caMissing: files.ca = "missing"
        case .caEmpty: files.ca = "empty"
        case .caJunk: files.ca = "junk"
        case .caIsAFolder: files.ca = "."
        case .caIsAPipe: files.ca = "pipe"
        case .certificateEmpty: files.certificate = "empty"
        case .certificateJunk: files.certificate = "junk"
        case .certificateIsAPipe: files.certificate = "pipe"
        case .keyMissing: files.key = "missing"
        case .keyJunk: files.key = "junk"
        case .keyIsAPipe: files.key = "pipe"
        case .keyOfAnother: files.key = "server.key"
        case .keyWithPassphrase: files.key = "secret.key"
        }
        if bad == .keyWithPassphrase {
            let arguments = [
                "rsa", "-aes128", "-passout", "pass:secret", "-in", path("client.key"), "-out", path("secret.key"),
            ]
            try #require(ChildProcess("/usr/bin/openssl", arguments).wait() == 0)
        }
        var configuration = MosquittoConfiguration(clientID: "a")
        configuration.tls = .init(
            caFile: path(files.ca), certificateFile: path(files.certificate), keyFile: path(files.key))
        let file = [files.ca, files.certificate, files.key].map { path($0) }
        let wrong = bad.key.hasSuffix("ca_file") ? file[0] : bad.key.hasSuffix("cert_file") ? file[1] : file[2]
        let failure = #expect(throws: BrokerFailure.self) { _ = try MosquittoClient(configuration) }
        #expect(failure?.code == .configuration)
        #expect(failure?.detail.hasPrefix("\(bad.key): \(wrong) ") == true, "\(String(describing: failure))")
        #expect(failure?.detail.contains(bad.complaint) == true, "\(String(describing: failure))")
        #expect(failure?.detail.contains("rror:") == false, "\(String(describing: failure))")
    }

    @Test func goodFilesPass() throws {
        let folder = try temporaryDirectory()
        try Certificates.make(in: folder)
        let path = { (file: String) in folder.appendingPathComponent(file).path }
        var configuration = MosquittoConfiguration(clientID: "a")
        for authority in [path("ca.crt"), nil] {
            configuration.tls = .init(
                caFile: authority, certificateFile: path("client.crt"), keyFile: path("client.key"))
            #expect(throws: Never.self) { _ = try MosquittoClient(configuration) }
        }
    }
}
