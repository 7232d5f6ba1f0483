import FlightMath
import Gateway
import GatewayReports
import Logging
import NIOCore

/// The recovery feed: telemetry once a second for each client, and answers to requests, read from the store.
final class RocketOutlet: FeedOutlet {
    private static let longestLine = 512
    /// More flights than the answer has room for, because several of them may belong to one sonde.
    private static let recordedFlights = 40

    private let server: LineServer
    private let reader: FlashReader
    private let version: String
    private let loop: any EventLoop
    private var moment: FeedMoment?
    private var isConnected = false
    private var sequence = 0
    /// The flights that each client has seen.
    private var caches: [ObjectIdentifier: FlashReader.Cache] = [:]

    init(_ feed: RocketFeed, _ surroundings: FeedSurroundings) {
        let endpoint = FeedEndpoint(host: feed.address, port: feed.port)
        version = surroundings.version
        loop = surroundings.loop
        server = LineServer("rocket", at: endpoint, longestLine: Self.longestLine, on: loop, log: surroundings.log)
        reader = FlashReader(archive: surroundings.archive, slots: feed.flights)
        server.onBegin = { [weak self] client in self?.began(client) }
        server.onEnd = { [weak self] client in self?.caches[ObjectIdentifier(client)] = nil }
        server.onLine = { [weak self] line, client in self?.received(line, from: client) }
    }

    var counts: FeedCounts { server.counts }

    func tick(_ moment: FeedMoment) {
        self.moment = moment
        server.tick()
        if moment.hasTelemetry != isConnected {
            isConnected = moment.hasTelemetry
            server.sendToAll(RocketMessage.link(isConnected: isConnected))
        }
        guard !server.clients.isEmpty else { return }
        sequence &+= 1
        server.sendToAll(RocketMessage.telemetry(moment.sonde, car: moment.car, sequence: sequence))
    }

    func stop() { server.stop() }

    private func began(_ client: LineClient) {
        server.send(RocketMessage.link(isConnected: isConnected), to: client)
    }

    // MARK: - Questions

    private func received(_ line: [UInt8], from client: LineClient) {
        // An empty line keeps the connection alive, or is the rest of a line end.
        guard line.contains(where: { $0 > 0x20 }) else { return }
        guard let request = RocketRequest(line) else {
            return server.send(
                RocketMessage.error("BAD_REQUEST", "Give a JSON object with cmd, and whole numbers from 0 on"),
                to: client)
        }
        switch request.command {
        case .ping: server.send(RocketMessage.acknowledgement(id: request.id, isOK: true), to: client)
        case .status:
            server.send(
                RocketMessage.status(isConnected: isConnected, rockets: moment?.sonde == nil ? 0 : 1), to: client)
        case .gatewayInfo:
            server.send(
                RocketMessage.gatewayInfo(
                    version: version, isConnected: isConnected, car: moment?.car, received: sequence), to: client)
        case .flightComputerInfo:
            server.send(RocketMessage.flightComputerInfo(moment?.sonde, version: version), to: client)
        case .rockets: answerRockets(client)
        case .flashList: answer(client) { reader, cache throws(StoreError) in try await reader.list(&cache) }
        case .flashRead(let slot, let sample):
            answer(client) { reader, cache throws(StoreError) in
                try await reader.read(slot: slot, sample: sample, &cache)
            }
        case .refused:
            server.send(RocketMessage.acknowledgement(id: request.id, isOK: false), to: client)
            server.send(
                RocketMessage.error("NOT_ALLOWED", "The recorder and the receiver are not changed from here"),
                to: client)
        case .unknown(let name):
            server.send(RocketMessage.error("UNKNOWN_CMD", "Unknown command: \(name)"), to: client)
        }
    }

    private func answerRockets(_ client: LineClient) {
        guard let moment else { return }
        let (sonde, serial, car, now) = (moment.sonde, moment.serial, moment.car, moment.now.wall)
        answer(client) { reader, _ throws(StoreError) in
            let recorded = try await reader.archive.flights(of: nil, limit: Self.recordedFlights)
            return RocketMessage.rockets(sonde, hunted: serial, recorded: recorded, car: car, at: now)
        }
    }

    /// Answers from the store. Only this client waits for the answer.
    private func answer(
        _ client: LineClient,
        _ body: @escaping @Sendable (FlashReader, inout FlashReader.Cache) async throws(StoreError) -> [UInt8]
    ) {
        client.hold()
        let id = ObjectIdentifier(client)
        let both = NIOLoopBound((self, client), eventLoop: loop)
        let (reader, loop, before) = (reader, loop, caches[id] ?? FlashReader.Cache())
        Task {
            var cache = before
            var bytes: [UInt8]
            do throws(StoreError) {
                bytes = try await body(reader, &cache)
            } catch {
                bytes = RocketMessage.error("STORE", "The store can't be read: \(error.code.rawValue)")
            }
            loop.execute { [bytes, cache] in
                let (outlet, client) = both.value
                if client.channel.isActive { outlet.caches[id] = cache }
                outlet.server.send(bytes, to: client)
                client.release()
            }
        }
    }
}
