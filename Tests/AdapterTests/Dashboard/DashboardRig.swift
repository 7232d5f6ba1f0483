import Dashboard
import FlightMath
import Foundation
import Gateway
import GatewayReports
import GatewayRuntime
import Logging
import ReceiverProtocol
import Synchronization
import TestSupport
import Testing

/// The page's server with a machine that the test drives.
final class DashboardRig: Sendable {
    let port: Int
    let server: DashboardServer
    private let machine: Mutex<GatewayMachine>
    private let running: Task<Void, Never>
    private let clock = SystemGatewayClock()

    init(
        port: Int? = nil, allowsCommands: Bool = true, maps: String = "/nowhere",
        onlineMaps: [OnlineMapOptions] = [], tiles: any TileSource = NoTiles(), pageDirectory: String? = nil,
        key: String? = nil, address: String = "127.0.0.1", archive: any FlightArchive = NoArchive(),
        frameFrom: String? = nil, onlyFrom: String? = nil, answers: Bool = true, healthLimit: Duration = .seconds(2),
        limits: ConnectionLimits = ConnectionLimits(),
        diagnose: @escaping @Sendable () async -> [DiagnosisLine] = { [] }, setup: (any SetupDesk)? = nil,
        terrain: (any TerrainSource)? = nil, home: Coordinate? = nil
    ) async throws {
        let port = port ?? Broker.freePort()
        self.port = port
        let machine = Mutex(
            GatewayMachine(info: InfoReport(version: "1", id: "test", machine: "m"), startedAt: clock.now))
        let box = Weak()
        let hang = { @Sendable () async -> Void in _ = try? await Task.sleep(for: .seconds(60)) }
        server = DashboardServer(
            DashboardOptions(
                address: address, port: port, hosts: ["car.example"], allowsCommands: allowsCommands, key: key,
                frameFrom: frameFrom, onlyFrom: onlyFrom, mapsDirectory: maps, onlineMaps: onlineMaps,
                pageDirectory: pageDirectory ?? Fixtures.url("deploy/page").path),
            DashboardSurroundings(
                clock: clock, archive: archive, tiles: tiles,
                send: { command in answers ? box.rig?.handle(.command(command)) : await hang() },
                ping: { if !answers { await hang() } }, diagnose: diagnose, setup: setup,
                terrain: terrain, home: home),
            retry: .milliseconds(50), healthLimit: healthLimit, limits: limits,
            log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        self.machine = machine
        running = Task { [server] in await server.run() }
        box.rig = self
        handle(.started())
    }

    /// Starts the server and waits until it listens.
    func start() async throws {
        try await eventually("the page is served") { (RawClient(port: port) != nil).orNil }
    }

    /// Starts the server, asks for a path, and returns the client when its connection is closed.
    func get(_ path: String) async throws -> RawClient {
        try await start()
        let client = try #require(RawClient(port: port))
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try await eventually("an answer to \(path)") {
            client.read()
            return client.isClosed.orNil
        }
        return client
    }

    deinit { running.cancel() }

    func stop() async {
        running.cancel()
        await running.value
    }

    func handle(_ event: GatewayEvent) {
        let now = clock.now
        let actions = machine.withLock { $0.handle(event, at: now) }
        for case .report(let report) in actions { server.feed.handle(report, at: now) }
    }

    /// The page gets a car's position.
    func showCar(at place: Coordinate) {
        let now = clock.now
        let car = CarPosition(source: .gpsd, coordinate: place, time: now.wall, heardAt: now.monotonic)
        server.feed.handle(.chase(ChaseReport(car: car, isSignificantMove: false, at: now)), at: now)
    }

    /// Opens the link of a receiver that hears an RS41.
    func openLink() {
        handle(.linkOpened(ReceiverPeer(name: "receiver", maximumWriteLength: 128)))
    }

    func frame(latitude: Double = 47, altitude: Int = 10_000) {
        let text = "1/RS41/404.200/V4210150/\(latitude)/7.5/\(altitude)/10/2/117.5/100/0/0/0/4274/0/0/0/0/3.10/o"
        let bytes = Array(text.utf8)
        guard let frame = try? FrameParser.parse(bytes.span) else { return }
        handle(.frame(frame))
    }

    private final class Weak: Sendable {
        private let value = Mutex<Reference>(Reference())
        private struct Reference { weak var rig: DashboardRig? }
        var rig: DashboardRig? {
            get { value.withLock { $0.rig } }
            set { value.withLock { $0.rig = newValue } }
        }
    }
}

/// A tile server without a tile.
struct NoTiles: TileSource {
    func tile(at url: String, limit: Int) async throws(OnlineServiceError) -> FetchedTile? { nil }
}

/// A store without a flight.
struct NoArchive: FlightArchive {
    func flights(of serial: SondeSerial?, limit: Int) async throws(StoreError) -> [ArchivedFlight] { [] }
    func points(ofFlight id: Int64, after second: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func points(
        ofFlight id: ArchivedFlight.ID, skipping count: Int, limit: Int
    ) async throws(StoreError) -> [TrackPoint] { [] }

    func newestPoints(ofFlight id: Int64, limit: Int) async throws(StoreError) -> [TrackPoint] { [] }
    func samples(ofFlight id: Int64, seconds: ClosedRange<Int64>) async throws(StoreError) -> [HeardSample] { [] }
    func samples(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [HeardSample] { [] }
    func carPoints(ofFlight id: Int64, after time: Int64, limit: Int) async throws(StoreError) -> [CarPoint] { [] }
    func receiverEvents(ofFlight id: Int64) async throws(StoreError) -> [ReceiverEvent] { [] }
    func coverage() async throws(StoreError) -> HeardCoverage { HeardCoverage(cells: []) }
    func score(ofFlight flight: ArchivedFlight) async throws(StoreError) -> LandingScore? { nil }
}
