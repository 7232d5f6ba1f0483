import CMosquitto
import Foundation
import Gateway
import TestSupport
import Testing

@testable import MosquittoClient

/// Why a session with the broker ended, in the log: never "Success", never only "disconnected".
@Suite(.timeLimit(.minutes(2))) struct LostReasonTests {
    /// Each of the library's codes has a text that says something.
    @Test(arguments: [MOSQ_ERR_ERRNO, MOSQ_ERR_CONN_LOST, MOSQ_ERR_KEEPALIVE, MOSQ_ERR_PROTOCOL, MOSQ_ERR_NOMEM])
    func codesHaveWords(_ code: mosq_err_t) {
        let text = MosquittoStatus(rawValue: code.rawValue).failure(.lost, errno: 0).detail
        #expect(!text.contains("Success") && !text.contains("No error") && text.count > 10, "\(text)")
    }

    /// Only a refusal of the user or the password speaks of them.
    @Test(arguments: [(0x86, true), (0x87, true), (0x8A, false), (0x9C, false), (0x83, false)] as [(Int32, Bool)])
    func aRefusedLogin(_ reason: Int32, _ isAboutUser: Bool) {
        let configuration = MosquittoConfiguration(host: "127.0.0.1", port: 1, clientID: "a", version: .v5)
        let failure = BrokerFailure(loginRefused: reason, by: .v5, configuration)
        #expect(failure.code == .refused && failure.detail.contains("mqtt.username") == isAboutUser, "\(failure)")
    }

    /// A broker without TLS 1.2, by its own alert or by our refusal of its answer.
    @Test(arguments: ["tlsv1 alert protocol version", "unsupported protocol"]) func anOldTLSIsNamed(_ words: String) {
        let failure = BrokerFailure(.tls, "TLS: \(words)").asTLS(isClientNamed: false)
        #expect(failure.isOldTLS)
        #expect(failure.detail == "the broker speaks only a TLS older than 1.2: update it (\(words))")
    }

    /// Some brokers lose an acknowledgement, or give none for a message that came too soon. Nothing was sent any more
    /// then, although the broker was well.
    @Test(arguments: [true, false]) func anOverdueAcknowledgement(_ isPassedOver: Bool) throws {
        var sending = LiveSession.Sending()
        let start = ContinuousClock.now
        for id in 1...2 as ClosedRange<Int32> {
            let message = OutgoingMessage(topic: "t\(id)", payload: [])
            let ticket = sending.window.sent(
                bytes: 10, isAcknowledged: true, isBacklogged: false, at: start + .milliseconds(Int(id)))
            var pace = SendingPace()
            sending.underWay[id] = LiveSession.Sending.Sent(
                message: message, ticket: ticket, turn: pace.sent(at: ticket.sentAt))
        }
        let id: Int32 = isPassedOver ? 2 : 1
        let known = try #require(sending.underWay[id])
        sending.underWay[id] = nil
        sending.acknowledged(known)
        #expect(sending.overdue(at: start + .seconds(19), after: .seconds(20)).passedOver.isEmpty)
        let (passedOver, isSilent) = sending.overdue(at: start + .seconds(21), after: .seconds(20))
        #expect(passedOver == (isPassedOver ? [1] : []) && isSilent == !isPassedOver)
    }

    /// CONNACK: the login is accepted.
    private static let accepted: [UInt8] = [0x20, 0x03, 0x00, 0x00, 0x00]

    /// Runs a client with a broker that answers its login with `bytes`, and stops both after `body`.
    private func withBroker(
        answering bytes: [UInt8], _ change: (inout MosquittoConfiguration) -> Void = { _ in },
        _ body: (MosquittoClient, ClientLog) async throws -> Void
    ) async throws {
        let server = try SocketServer()
        var configuration = MosquittoConfiguration(host: "127.0.0.1", port: server.port, clientID: "a", version: .v5)
        change(&configuration)
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        try await server.accept()
        server.write(bytes)
        try await body(client, log)
        server.hangUp()
        await client.stop()
    }

    /// The whole client with a broker that answers CONNECT and then nothing.
    @Test func aBrokerThatAcknowledgesNothing() async throws {
        let usual = MosquittoConfiguration(host: "127.0.0.1", clientID: "a")
        #expect(usual.times.acknowledgementLimit == .seconds(20))
        try await withBroker(answering: Self.accepted) {
            $0.times.acknowledgementLimit = .seconds(2)
        } _: { client, log in
            try await eventually("it takes a message") {
                client.publish(OutgoingMessage(topic: "t", payload: [1], key: 1)) == .taken ? true : nil
            }
            let failure = try await eventually("the session ends: \(log.all)") { log.failures.first }
            #expect(failure.code == .timedOut && failure.detail.contains("acknowledges nothing"), "\(failure)")
        }
    }

    /// The broker sends its clients to another server, at the login or later: its name is told, and nobody follows.
    @Test(arguments: [(0x9C, "for now"), (0x9D, "for good")] as [(UInt8, String)])
    func anotherServerIsNamed(_ reason: UInt8, _ time: String) async throws {
        let name = Array("b.example:8883".utf8)
        let properties = [0x1C, 0, UInt8(name.count)] + name
        let answer = [0x20, UInt8(3 + properties.count), 0, reason, UInt8(properties.count)] + properties
        try await withBroker(answering: answer) { client, log in
            let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
            #expect(failure.code == .moved && failure.code.needsMending, "\(failure)")
            #expect(failure.detail.contains("to another server, b.example:8883, \(time)"), "\(failure)")
            #expect(client.otherServer == "b.example:8883")
        }
    }

    @Test func anotherServerWithoutAName() async throws {
        try await withBroker(answering: Self.accepted + [0xe0, 0x02, 0x9c, 0x00]) { client, log in
            let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
            #expect(failure.code == .moved && failure.detail.contains("does not name, for now"), "\(failure)")
            #expect(client.otherServer == nil)
        }
    }

    /// A name in .local that nobody knows.
    @Test func aNameThatNeedsMDNS() {
        guard case .failed(let why) = NameLookup.resolve("no-such-broker.local") else {
            Issue.record("it has an address")
            return
        }
        #expect(why.contains("libnss-mdns"))
    }

    /// A link-local address reaches nobody without its interface.
    @Test func aLinkLocalAddressNeedsItsInterface() {
        for host in ["fe80::1", "FE80::a:b", "febf::1"] {
            #expect(MosquittoConfiguration.fault(ofHost: host)?.contains("for example \(host)%wlan0") == true)
        }
        for host in ["fe80::1%eth0", "fd00::1", "::1", "broker", "10.0.0.1"] {
            #expect(MosquittoConfiguration.fault(ofHost: host) == nil, "\(host)")
        }
    }

    /// The system would take some of them for other addresses.
    @Test(arguments: ["192.168.1", "256.1.1.1", "10.0.0.256", "192.168.1.5.", "1883"])
    func numbersThatAreNoAddress(_ host: String) {
        let failure = #expect(throws: BrokerFailure.self) {
            _ = try MosquittoClient(MosquittoConfiguration(host: host, clientID: "a"))
        }
        #expect(failure?.code == .configuration && failure?.detail.contains("is no address") == true)
    }

    /// An address of no interface, which a socket of this machine has all the same.
    @Test(arguments: [("127.0.0.1", false), ("192.0.2.7", true)])
    func anAddressThatIsGone(_ text: String, _ isGone: Bool) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var (isFree, address) = (Int32(1), sockaddr_in())
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_FREEBIND, &isFree, size)
        address.sin_family = sa_family_t(AF_INET)
        inet_pton(AF_INET, text, &address.sin_addr)
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(outcome == 0 && OwnAddress.isGone(of: descriptor) == isGone)
    }

    /// A filter answers with an address that would reach this machine.
    @Test func aNameThatAFilterBlocks() throws {
        for host in ["0.0.0.0", "::"] {
            guard case .failed(let why) = NameLookup.resolve(host) else {
                Issue.record("\(host) is an address")
                continue
            }
            #expect(why.contains("a filter blocks this name"))
        }
        guard case .addresses(let known) = NameLookup.resolve("localhost") else { throw CancellationError() }
        #expect(known.contains("127.0.0.1") || known.contains("::1"))
    }

    /// The line is full. The last message goes all the same, because a session that ends in order leaves no will.
    @Test func theLastMessageNeedsNoRoom() async throws {
        let server = try SocketServer()
        var configuration = MosquittoConfiguration(host: "127.0.0.1", port: server.port, clientID: "a", version: .v5)
        configuration.will = .init(topic: "s", payload: Array("offline".utf8))
        let client = try MosquittoClient(configuration)
        client.start()
        try await server.accept()
        server.write(Self.accepted)
        let long = OutgoingMessage(topic: "t", payload: [UInt8](repeating: 0x2E, count: 2000), key: 1)
        try await eventually("the line is full") { (client.publish(long) == .full).orNil }
        let last = OutgoingMessage(topic: "s", payload: Array("offline".utf8), isRetained: true)
        #expect(client.publish(last) == .taken)
        await client.stop()
        var text = ""
        try await eventually("it was sent after CONNECT: \(text)") {
            text += server.read()
            return (text.components(separatedBy: "offline").count == 3).orNil
        }
        server.hangUp()
    }

    /// A broker that sends DISCONNECT: without a reason, and with "server shutting down".
    @Test(arguments: [([0xe0, 0x02, 0x00, 0x00], "gave no reason"), ([0xe0, 0x02, 0x8b, 0x00], "shutting down")])
    func aBrokerThatDisconnects(_ packet: [UInt8], _ words: String) async throws {
        try await withBroker(answering: Self.accepted + packet) { _, log in
            let failure = try await eventually("a failure: \(log.all)") { log.failures.first }
            #expect(failure.detail.contains(words), "\(failure.detail)")
        }
    }
}
