import Dashboard
import FleetBoard
import FlightMath
import FoundationEssentials
import Gateway
import GatewayReports
import GatewayRuntime
import Logging
import MosquittoClient
import ServiceLifecycle
import SondeHubClient
import Synchronization

/// Runs the board of a fleet: puts the broker's messages into the book, sends the book's changes to the pages, and
/// passes the pages' commands on to the cars.
final class BoardService: Service {
    /// The pages get changes this often.
    private static let pace = Duration.milliseconds(500)
    /// Every eighth tick looks at all cars. Every fourth tick sends a sign of life.
    private static let (ticksPerLook, ticksPerSign) = (8, 4)
    /// The most incoming messages that wait: the retained values of a whole fleet come at once.
    private static let incomingLimit = 50_000

    private let client: MosquittoClient
    private let commands: BoardCommands
    private let server: BoardServer
    private let book: FleetState
    private let clock = SystemGatewayClock()
    private let options: DashboardOptions
    private let units: Units
    private let log = Logger(label: "board")

    init(_ configuration: Configuration) throws(CommandFailure) {
        book = FleetState(base: configuration.mqtt.baseTopic)
        var session = MosquittoConfiguration(
            configuration, clientID: "sondygo2mqtt-\(BrokerExchange.newTag("board"))", topics: nil)
        session.subscriptions = book.value.withLock { $0.subscriptions }
        // The board keeps nothing, and NATS would keep a queue for each subscription with QoS 1.
        session.subscriptionQoS = 0
        session.incomingLimit = Self.incomingLimit
        // NATS gets no packet limit, because MQTT 3.1.1 has none. One car's large message must not end the session.
        session.readsOversized = true
        do throws(BrokerFailure) {
            client = try MosquittoClient(session)
        } catch {
            throw CommandFailure(.configuration, "mqtt: \(error)")
        }
        var options = configuration.dashboardOptions
        options.allowsCommands = configuration.board.allowsCommands
        self.options = options
        units = configuration.units
        let commands = BoardCommands(client, book, base: configuration.mqtt.baseTopic)
        self.commands = commands
        server = BoardServer(
            options,
            BoardSurroundings(
                tiles: TileClient(userAgent: Version.userAgent),
                send: { await commands.send($0) }), log: log)
    }

    /// Runs until the process stops.
    func runAlone() async throws { try await Composition.group([self]).run() }

    func run() async throws {
        client.start()
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.receive() }
                group.addTask { await self.tick() }
                group.addTask { await self.server.run() }
            }
        }
        await client.stop()
    }

    private func receive() async {
        var brokerLog = BrokerLog(log: log)
        await client.receive { [clock] event in
            let now = clock.now
            brokerLog.note(event, at: now.monotonic)
            switch event {
            case .connected: book.value.withLock { $0.connected(at: now.monotonic) }
            case .disconnected: book.value.withLock { $0.disconnected() }
            case .message(let message): receive(message, at: now)
            case .oversized: book.value.withLock { $0.refuse() }
            case .connectFailed, .lacks, .downgraded, .drained, .returned, .acknowledged, .refused,
                .subscriptionRefused,
                .subscriptionAccepted:
                break  // The log has them.
            }
        }
    }

    private func receive(_ message: IncomingMessage, at now: Moment) {
        if message.topic.hasSuffix("/command/response") { return commands.heard(message.payload) }
        let isLive = !message.isRetained && !message.mayBeRetained
        book.value.withLock { $0.heard(message.payload, on: message.topic, isLive: isLive, at: now) }
    }

    private func tick() async {
        var count = 0
        while !Task.isCancelled {
            let now = clock.now
            let isLook = count % Self.ticksPerLook == 0
            let isSign = count % Self.ticksPerSign == 0
            let (allows, units) = (options.allowsCommands, self.units)
            let (changes, sign) = book.value.withLock { book in
                (
                    book.changes(at: now, all: isLook),
                    isSign ? book.sign(at: now, allowsCommands: allows, units: units) : nil
                )
            }
            server.send(changes.map { BoardItem(name: $0.name, id: $0.id, data: $0.data) }, sign: sign)
            count &+= 1
            try? await Task.sleep(for: Self.pace)
        }
    }
}

/// The book, shared by the broker's messages, the pages and the ticks.
final class FleetState: Sendable {
    let value: Mutex<FleetBook>

    init(base: String) { value = Mutex(FleetBook(base: base)) }
}
