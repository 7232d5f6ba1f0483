import Foundation
import Gateway
import TestSupport
import Testing

@testable import MosquittoClient

/// Several brokers, of which some are dead.
@Suite(.timeLimit(.minutes(5))) struct BrokerListTests {
    private func start(_ ports: [Int]) throws -> (MosquittoClient, ClientLog) {
        var configuration = MosquittoConfiguration(clientID: "a", subscriptions: ["x"])
        configuration.brokers = ports.map { BrokerAddress(host: "127.0.0.1", port: $0) }
        let client = try MosquittoClient(configuration)
        let log = ClientLog(client)
        client.start()
        return (client, log)
    }

    /// A dead broker (its port is closed, or its machine still accepts connections) costs at most 5 s.
    @Test(arguments: [false, true]) func aDeadBrokerCostsFiveSeconds(_ hangs: Bool) async throws {
        let broker = try await Broker()
        let silent = hangs ? try SocketServer() : nil
        let (client, log) = try start([silent?.port ?? Broker.freePort(), broker.port])
        let began = ContinuousClock.now
        try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(log.failures.isEmpty, "one that serves is enough: \(log.all)")
        await client.stop()
        try await broker.stop()
        _ = silent
    }

    /// If no broker serves, the failure names each.
    @Test func withoutALiveBrokerTheFailureNamesEach() async throws {
        let (dead, silent) = (Broker.freePort(), try SocketServer())
        let (client, log) = try start([dead, silent.port])
        let failure = try await eventually("a failure") { log.failures.first }
        for port in [dead, silent.port] { #expect(failure.detail.contains("127.0.0.1:\(port): "), "\(failure)") }
        await client.stop()
    }

    /// If the broker in use dies, the next one serves. It stays in use when the first is back.
    @Test func theBrokerThatLastServedIsTriedFirst() async throws {
        let first = try await Broker()
        let second = try await Broker()
        let (client, log) = try start([first.port, second.port])
        try await eventually("connected: \(log.all)") { (log.connections == 1).orNil }
        try await first.stop()
        try await eventually("on the second: \(log.all)") { (log.connections == 2).orNil }
        let again = try await Broker(port: first.port)
        #expect(client.publish(OutgoingMessage(topic: "x", payload: Array("hello".utf8))) == .taken)
        try await eventually("a message") { (log.payloads == ["hello"]).orNil }
        #expect(log.connections == 2)
        await client.stop()
        try await again.stop()
        try await second.stop()
    }

    /// The events in a round of places a, b, c -> the places of the attempts.
    @Test(arguments: [
        ("fff", "abca"), ("ff", "abc"), ("fs", "abb"), ("fsff", "abbca"), ("x", "ab"), ("fxf", "abca"),
    ])
    func roundsGoOn(_ events: String, _ expected: String) {
        var round = BrokerRound()
        let places = "abc".map { BrokerAddress(host: String($0), port: 1) }
        var tried = ""
        for event in events + " " {
            if round.isFresh { round.begin(places) }
            tried += round.place?.host ?? "-"
            switch event {
            case "f": _ = round.failed(BrokerFailure(.unreachable, "dead"))
            case "s": round.sessionEnded(servedWell: true)
            case "x": round.sessionEnded(servedWell: false)
            default: break
            }
        }
        #expect(tried == expected)
    }

    /// A failure that somebody must mend gives its code to the whole round. A text that all failures share appears
    /// once.
    @Test func aRoundEndsWithOneFailure() {
        var round = BrokerRound()
        round.begin(["a", "b"].map { BrokerAddress(host: $0, port: 1) })
        #expect(round.failed(BrokerFailure(.refused, "no")) == nil)
        #expect(round.failed(BrokerFailure(.unreachable, "dead")) == BrokerFailure(.refused, "a:1: no; b:1: dead"))
        #expect(round.failed(BrokerFailure(.lost, "dead")) == nil)
        #expect(round.failed(BrokerFailure(.unreachable, "dead")) == BrokerFailure(.unreachable, "dead"))
    }

    /// If a name's addresses change, the one in use stays the first to be tried as long as it is one of them.
    @Test func otherAddressesKeepThePlace() {
        var round = BrokerRound()
        let place = { BrokerAddress(host: $0, port: 1) }
        round.begin([place("a"), place("b")])
        _ = round.failed(BrokerFailure(.unreachable, "dead"))
        round.sessionEnded(servedWell: true)
        round.begin([place("c"), place("d"), place("b")])
        #expect(round.place == place("b"))
        round.begin([place("e")])
        #expect(round.place == place("e"))
    }
}
