import Foundation
import MosquittoClient
import TestSupport
import Testing

/// Two clients with one id, and brokers that only look like it; against a real mosquitto.
@Suite(.timeLimit(.minutes(10))) struct ClashTests {
    typealias Version = MosquittoConfiguration.ProtocolVersion

    /// Each learns of it, once, and then one leaves the session to the other.
    @Test(arguments: Version.allCases)
    func bothClientsWithOneIDAreTold(_ version: Version) async throws {
        let broker = try await Broker()
        let configuration = MosquittoConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "twin", protocolVersion: version)
        let clients = [try MosquittoClient(configuration), try MosquittoClient(configuration)]
        let logs = clients.map { ClientLog($0) }
        for client in clients { client.start() }
        for log in logs {
            let told = try await eventually("told: \(log.all)", within: 60) {
                log.failures.first { $0.code == .takenOver }
            }
            #expect(told.detail.contains("mqtt.client_id"))
        }
        // One has the session now, and the other leaves it alone.
        let sessions = { logs.map(\.connections).reduce(0, +) }
        var (seen, since) = (0, ContinuousClock.now)
        try await eventually("peace for four seconds", within: 30) {
            if sessions() != seen { (seen, since) = (sessions(), .now) }
            return (ContinuousClock.now - since > .seconds(4)).orNil
        }
        for client in clients { await client.stop() }
    }

    /// Restarts at once, over and over: reconnected each time, and nobody is accused.
    @Test(arguments: Version.allCases)
    func aBrokerThatRestartsIsNoClash(_ version: Version) async throws {
        var broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(
                host: "127.0.0.1", port: broker.port, clientID: "a", protocolVersion: version))
        let log = ClientLog(client)
        client.start()
        for round in 1...4 {
            try await eventually("connected: \(log.failures)") { (log.connections == round).orNil }
            try await broker.stop()
            broker = try await Broker(port: broker.port)
        }
        try await eventually("connected") { (log.connections == 5).orNil }
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        await client.stop()
    }

    /// Something between us and the broker cuts every connection after a while, each by itself.
    @Test(arguments: Version.allCases)
    func aLineThatHangsUpIsNoClash(_ version: Version) async throws {
        let broker = try await Broker()
        let port = Broker.freePort()
        let cutter = """
            import asyncio
            async def pipe(reader, writer):
                try:
                    while data := await reader.read(4096):
                        writer.write(data); await writer.drain()
                except OSError: pass
                writer.close()
            async def serve(reader, writer):
                inner, outer = await asyncio.open_connection('127.0.0.1', \(broker.port))
                tasks = [asyncio.create_task(pipe(reader, outer)), asyncio.create_task(pipe(inner, writer))]
                await asyncio.sleep(0.7)
                writer.close(); outer.close()
            async def main():
                async with await asyncio.start_server(serve, '127.0.0.1', \(port)) as server:
                    await server.serve_forever()
            asyncio.run(main())
            """
        let line = try Child("python3", ["-c", cutter])
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "127.0.0.1", port: port, clientID: "a", protocolVersion: version))
        let log = ClientLog(client)
        client.start()
        try await eventually("five sessions: \(log.failures) \(line.text)", within: 60) { (log.connections >= 5).orNil }
        #expect(!log.failures.contains { $0.code == .takenOver }, "\(log.failures)")
        await client.stop()
    }

    /// However long it was away; every other second is measured here, the pace's own test has the rest.
    @Test func reconnectsSoonAfterALongOutage() async throws {
        let broker = try await Broker()
        let client = try MosquittoClient(
            MosquittoConfiguration(host: "localhost", port: broker.port, clientID: "a"))
        let log = ClientLog(client)
        client.start()
        try await eventually("connected") { (log.connections == 1).orNil }
        // Others on this machine only add to it, so that one of three has to do.
        var (current, waits) = (broker, [Duration]())
        while waits.last.map({ $0 >= .seconds(3) }) ?? true, waits.count < 3 {
            let (failures, connections) = (log.failures.count, log.connections)
            try await current.stop()
            try await eventually("tried for a while", within: 40) { (log.failures.count >= failures + 10).orNil }
            current = try await Broker(port: broker.port)
            let returned = ContinuousClock.now
            try await eventually("connected again") { (log.connections > connections).orNil }
            waits.append(ContinuousClock.now - returned)
        }
        #expect(waits.contains { $0 < .seconds(3) }, "\(waits)")
        await client.stop()
        try await current.stop()
    }
}
