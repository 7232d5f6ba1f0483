import Alerts
import CLinux
import Dashboard
import Feeds
import FlightMath
import FlightStore
import FoundationEssentials
import Gateway
import GatewayReports
import GatewayRuntime
import Glibc
import Logging
import MQTTPublishing
import MosquittoClient
import ReceiverSimulator
import ServiceLifecycle
import SondeHubClient
import StreamTransports
import TerrainTiles
import Threads
import UnixSignals

/// The composition root: builds all parts from the configuration and runs them until a signal.
struct Composition {
    var configuration: Configuration
    var simulator = SimulatorOptions()
    /// A simulated car chases the simulated sonde.
    var simulatesCar = false
    /// The program ends at the end of a finite source (a recording).
    var endsWithSource = false
    var loader: ConfigurationLoader
    var logLevel: LogLevel
    /// The page asks for a new start after `setup` in the browser.
    let restart = RestartRequest()

    /// Runs the gateway. A simulated or recorded flight uses a temporary state directory, which is removed at the end,
    /// unless the environment names one.
    func run() async throws {
        guard isForShow, !namesDirectory else { return try await serve() }
        var passing = self
        passing.configuration.dashboard.maps = configuration.dashboardOptions.mapsDirectory
        passing.configuration.terrain = configuration.terrainDirectory
        // The fetched maps are real: a simulated flight shares their folder if it may write there.
        let roads = configuration.onlineMap?.folder ?? ""
        if access(roads, W_OK) == 0 {
            passing.configuration.dashboard.tiles.folder = roads
        }
        let pictures = configuration.satelliteMap?.folder ?? ""
        if access(pictures, W_OK) == 0 { passing.configuration.dashboard.satellite.folder = pictures }
        passing.configuration.gateway.stateDirectory = showDirectory
        defer { try? FileManager.default.removeItem(atPath: passing.configuration.gateway.stateDirectory) }
        try await passing.serve()
    }

    private var isForShow: Bool { configuration.isForShow }

    /// Whether the environment names the state directory.
    private var namesDirectory: Bool {
        loader.environment[ConfigurationKey.named("gateway.state_directory")?.environmentName ?? ""] != nil
    }

    /// The state directory of a simulated or recorded flight.
    var showDirectory: String {
        namesDirectory ? configuration.gateway.stateDirectory : RunningSimulation.passingStateDirectory
    }

    private func serve() async throws {
        let log = Logger(label: "sondygo2mqtt")
        let topics = try topics()
        let client = try brokerClient(topics)
        // The gateway follows the time of a simulated flight or a recording.
        let sourceClock = ScaledGatewayClock(rate: configuration.receiver.speed)
        let executor = Program.executor
        let disk = ThreadExecutor(named: "store")
        disk.start()
        let notifier = ServiceNotifier(
            environment: ProcessInfo.processInfo.environment, startsAnew: { [restart] in restart.isPending })
        let inputs = GatewayInputs(
            clock: isForShow ? sourceClock : SystemGatewayClock(executor: executor), executor: executor)
        let link = OpenLink()
        let recorder = RawLogRecorder(files: rawLogFiles, isOn: configuration.recorder.raw, log: log)
        let store = flightStore(on: disk, log) { text in
            Task { await inputs.send(.storeReplaced(text)) }
        }
        let transport = configuration.receiver.chosen.transport(
            TransportSurroundings(memory: store, clock: sourceClock, simulator: simulator))
        let (sondeHub, sondeHubOptions) = try sondeHub(beside: transport)
        let car = simulatesCar ? simulatedCar(clock: sourceClock) : nil
        let receiver = ReceiverService(
            transport: transport, link: link, inputs: inputs, recorder: recorder, log: log,
            endsWithSource: endsWithSource)
        let heights = heights()
        var sources = CallSources(sondeHub: sondeHub, terrain: heights)
        try configuration.services.addClients(to: &sources)
        let dashboard = configuration.dashboard.isEnabled ? dashboard(inputs, heights) : nil
        let feeds = feeds(inputs, clock: isForShow ? sourceClock : SystemGatewayClock(), log)
        let alerts = alerts()
        let gateway = GatewayService(
            inputs: inputs, link: link, broker: client,
            inbox: MQTTInbox(
                topics: topics, homeAssistant: configuration.homeAssistantOptions,
                ownTracksTopic: configuration.car.ownTracks),
            sources: sources, store: store,
            feeds: [dashboard?.feed, car, feeds, alerts, towns(inputs)].compactMap { $0 },
            notifier: notifier,
            setLogLevel: { [logLevel] in logLevel.value = $0 }, log: log,
            makeFeed: { [configuration] now in
                MQTTPublisher(
                    topics: topics, homeAssistant: configuration.homeAssistantOptions,
                    ownTracks: configuration.ownTracksOptions,
                    startedAt: now.monotonic)
            },
            makeMachine: { [configuration, predictionOptions] now in
                GatewayMachine(
                    info: configuration.info, policy: configuration.commandPolicy, sondeHub: sondeHubOptions,
                    prediction: predictionOptions, chase: configuration.chaseOptions,
                    carSharing: configuration.carSharingOptions,
                    looksUpTowns: configuration.dashboardOptions.pageDirectory != nil, startedAt: now)
            })
        let reload = ReloadService(
            current: configuration, loader: loader, logLevel: logLevel, recorder: recorder, inputs: inputs, log: log)
        tellStart(topics, receiver: transport.name, log)
        // The group stops them in reverse: first the receiver's link, then the gateway, last the raw log.
        let servers: [(any Service)?] = [dashboard.map(DashboardService.init), feeds, alerts]
        let group = Self.group(
            [recorder, reload] + servers.compactMap { $0 } + [gateway, receiver]
                + carInputs(or: car, inputs: inputs, executor: executor, log: log))
        try await withTaskExecutorPreference(executor) { try await group.run() }
        await wait(atMost: Self.storeCloseLimit) { await store.close() }
        log.notice("sondygo2mqtt stopped")
    }

    /// How long a stop waits for the store to close. A store that is not closed loses nothing.
    private static let storeCloseLimit = Duration.milliseconds(300)

    static func group(_ services: [any Service]) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
    }

    private func topics() throws(CommandFailure) -> Topics {
        guard let topics = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id) else {
            throw CommandFailure(
                .configuration, "gateway.id and mqtt.base_topic don't make a valid topic; shorten them")
        }
        return topics
    }

    private func brokerClient(_ topics: Topics) throws(CommandFailure) -> MosquittoClient {
        // The password is in memory, and a core dump would hold it.
        if configuration.mqtt.username != nil { _ = forbid_core_dumps() }
        do throws(BrokerFailure) {
            let files = configuration.passwordFiles
            return try MosquittoClient(
                MosquittoConfiguration(configuration, clientID: configuration.clientID, topics: topics)
            ) { PasswordFile.firstPassword(in: files) }
        } catch {
            throw CommandFailure(.configuration, "mqtt: \(error)")
        }
    }

    private func tellStart(_ topics: Topics, receiver: String, _ log: Logger) {
        log.notice(
            "starting sondygo2mqtt \(Version.current)",
            metadata: [
                "topics": "\(topics.prefix)", "receiver": "\(receiver)",
                "broker": "\(configuration.mqtt.place)",
            ])
        if let renamed = configuration.formerNamesText {
            log.notice("the configuration has keys with an earlier name", metadata: ["keys": "\(renamed)"])
        }
        if let fault = configuration.receiver.chosen.knownFault {
            log.warning("the way to the receiver is unreliable on this machine", metadata: ["why": "\(fault)"])
        }
    }

    // MARK: - Parts

    private func flightStore(
        on executor: ThreadExecutor, _ log: Logger, onReplaced: @escaping @Sendable (String) -> Void
    ) -> FlightStore {
        FlightStore(
            path: configuration.storePath,
            bounds: StoreBounds(
                messages: configuration.mqtt.spoolMessages, messageHours: configuration.mqtt.spoolHours,
                flightDays: configuration.recorder.retentionDays, megabytes: configuration.recorder.maximumSizeMB),
            executor: executor,
            onClockJump: { days in
                log.notice(
                    "the clock is far ahead of the newest record; nothing is deleted by age for 30 days",
                    metadata: ["days": "\(days)"])
            },
            onLeftOut: { text in
                log.warning("the store can't read something", metadata: ["why": "\(text)"])
            }, onReplaced: onReplaced)
    }

    private func heights() -> TerrainFolder {
        // A thread of its own: a slow disk with heights must not delay the store.
        let executor = ThreadExecutor(named: "heights")
        executor.start()
        return TerrainFolder(path: configuration.terrainDirectory, executor: executor)
    }

    /// Nil if the page's files are not installed.
    private func towns(_ inputs: GatewayInputs) -> TownFeed? {
        guard let folder = configuration.dashboardOptions.pageDirectory else { return nil }
        // A thread of its own: a slow card must not delay the store.
        let executor = ThreadExecutor(named: "towns")
        executor.start()
        return TownFeed(TownFiles(pageDirectory: folder), executor: executor) { await inputs.send(.townsFound($0)) }
    }

    private func dashboard(_ inputs: GatewayInputs, _ heights: TerrainFolder) -> DashboardServer {
        // Only whether a page is open now matters.
        let (watched, inbox) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task { for await isWatched in watched { await inputs.send(.pageWatched(isWatched)) } }
        return DashboardServer(
            configuration.dashboardOptions,
            DashboardSurroundings(
                clock: inputs.correctedClock, archive: FlightReader(path: configuration.storePath),
                tiles: TileClient(userAgent: Version.userAgent),
                send: { await inputs.send(.command($0)) }, ping: { await inputs.ping() },
                diagnose: { [configuration] in await PageDiagnosis(configuration: configuration).lines },
                watched: { inbox.yield($0) },
                // Behind a proxy such as Home Assistant's ingress the proxy's own form has the answers.
                setup: isForShow || configuration.dashboard.onlyFrom != nil
                    ? nil : SetupPage(running: configuration, loader: loader, restart: restart),
                terrain: heights, home: home),
            log: Logger(label: "page"))
    }

    /// Nil if all feeds are off.
    private func feeds(_ inputs: GatewayInputs, clock: any GatewayClock, _ log: Logger) -> FeedService? {
        let feeds = configuration.feedsThatAreOn.compactMap(\.sockets)
        guard !feeds.isEmpty else { return nil }
        // If fixes of the car or bearings come too fast, only the newest are kept.
        let (fixes, inbox) = AsyncStream<CarFix>.makeStream(bufferingPolicy: .bufferingNewest(8))
        Task { for await fix in fixes { await inputs.send(.carFix(fix)) } }
        let (bearings, finder) = AsyncStream<HeardBearing>.makeStream(bufferingPolicy: .bufferingNewest(8))
        Task { for await bearing in bearings { await inputs.send(.bearingHeard(bearing)) } }
        return FeedService(
            feeds, station: configuration.gateway.id, version: Version.current,
            archive: FlightReader(path: configuration.storePath), clock: clock,
            onCar: { inbox.yield($0) }, onBearing: { finder.yield($0) }, log: log)
    }

    /// The configured place; nil if there is none.
    private var home: Coordinate? {
        guard let latitude = configuration.sondeHub.latitude, let longitude = configuration.sondeHub.longitude else {
            return nil
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// Nil without targets, and for a simulated or recorded flight, which must alarm nobody.
    private func alerts() -> AlertService? {
        let targets = configuration.alerts.targets
        guard !targets.isEmpty, !isForShow else { return nil }
        return AlertService(
            targets, path: configuration.gateway.stateDirectory + "/alerts.json", home: home,
            sender: AlertClient(userAgent: Version.userAgent), clock: SystemGatewayClock(),
            log: Logger(label: "alerts"))
    }

    /// The real SondeHub, or a simulated one for a simulated receiver, unless the configuration names a server.
    private func sondeHub(
        beside transport: any ReceiverTransport
    ) throws(CommandFailure) -> (any SondeHubSource & PredictionSource, SondeHubOptions) {
        var options = configuration.sondeHubOptions
        let isTheUsual = configuration.sondeHub.url == Configuration().sondeHub.url
        if let simulated = transport as? SimulatorTransport, isTheUsual {
            options.streams = false
            options.site = options.site ?? SimulatedSondeHub.site
            let asksTawhiri = configuration.prediction.url != Configuration().prediction.url
            return (SimulatedSondeHub(simulated, forecasts: asksTawhiri ? try sondeHubClient() : nil), options)
        }
        // A recording is from another day, so today's sondes must not appear in it.
        if transport is ReplayTransport, configuration.explicit["sondehub.enabled"] == nil { options.isEnabled = false }
        return (try sondeHubClient(), options)
    }

    private func sondeHubClient() throws(CommandFailure) -> SondeHubClient {
        do throws(OnlineServiceError) {
            var client = SondeHubClient.Configuration(url: configuration.sondeHub.url, userAgent: Version.userAgent)
            client.tawhiriURL = configuration.prediction.url
            client.stream = configuration.sondeHub.streamPlace ?? .named
            return try SondeHubClient(client)
        } catch {
            throw CommandFailure(.configuration, "sondehub.url: \(error.detail)")
        }
    }

    private func simulatedCar(clock: any SourceClock) -> SimulatedCar {
        let seed = UInt64(configuration.receiver.simulator.seed)
        let launch = FlightModel(seed: seed)
        return SimulatedCar(
            seed: seed, near: CarModel.Place(latitude: launch.latitude, longitude: launch.longitude), clock: clock)
    }

    /// A simulated car replaces all others. A simulated or recorded flight uses the real gpsd only if the configuration
    /// names it.
    private func carInputs(
        or car: SimulatedCar?, inputs: GatewayInputs, executor: ThreadExecutor, log: Logger
    ) -> [any Service] {
        if let car { return [CarInputService(.gpsd(at: car), inputs: inputs, clock: inputs.clock, log: log)] }
        let gpsd = configuration.gpsd
        let isNamed = configuration.explicit.keys.contains { $0.hasPrefix("gpsd.") }
        // A cable or a port has one reader, which may be the service of the real car.
        var all = isForShow ? [] : configuration.car.inputs
        if gpsd.isEnabled, !isForShow || isNamed {
            all.insert(.gpsd(at: TCPTransport(host: gpsd.host, port: gpsd.port, thread: "gpsd")), at: 0)
        }
        let clock = SystemGatewayClock(executor: executor)
        return all.map { CarInputService($0, inputs: inputs, clock: clock, log: log) }
    }

    /// Tawhiri knows neither simulated weather nor that of the recording's day.
    private var predictionOptions: PredictionOptions {
        var options = configuration.predictionOptions
        if isForShow, configuration.explicit["prediction.url"] == nil {
            (options.asksTawhiri, options.asksSondeHub) = (false, false)
        }
        return options
    }

    private var rawLogFiles: RawLogFiles {
        RawLogFiles(
            directory: configuration.gateway.stateDirectory + "/raw",
            totalSize: configuration.recorder.maximumSizeMB * 1_000_000,
            retentionDays: configuration.recorder.retentionDays)
    }
}
