import BlueZTransport
import CLinux
import FlightStore
import FoundationEssentials
import GatewayCore
import GatewayRuntime
import Glibc
import Logging
import MosquittoClient
import ReceiverSimulator
import ServiceLifecycle
import SondeHubClient
import StreamTransports
import UnixSignals

/// The composition root: builds every part from the configuration and runs them until a signal.
struct Gateway {
    var configuration: Configuration
    var simulator = SimulatorOptions()
    /// The program ends when a finite source (a recording) does.
    var endsWithSource = false
    var loader: ConfigurationLoader
    var logLevel: LogLevel

    /// A simulated or recorded receiver leaves nothing behind, unless it is told where.
    func run() async throws {
        guard isForShow, configuration.explicit["gateway.state_directory"] == nil else { return try await serve() }
        var passing = self
        passing.configuration.gateway.stateDirectory =
            FileManager.default.temporaryDirectory.path + "/sondygo2mqtt-state-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: passing.configuration.gateway.stateDirectory) }
        try await passing.serve()
    }

    private var isForShow: Bool {
        configuration.receiver.transport == .simulator || configuration.receiver.transport == .replay
    }

    private func serve() async throws {
        let log = Logger(label: "sondygo2mqtt")
        guard let topics = Topics(base: configuration.mqtt.baseTopic, id: configuration.gateway.id) else {
            throw CommandFailure(
                .configuration, "gateway.id and mqtt.base_topic don't make a valid topic; shorten them")
        }
        // The password stays in memory for as long as it is needed.
        if configuration.password != nil { _ = forbid_core_dumps() }
        let client: MosquittoClient
        do throws(MosquittoFailure) {
            client = try MosquittoClient(
                MosquittoConfiguration(configuration, clientID: configuration.clientID, topics: topics))
        } catch {
            throw CommandFailure(.configuration, "mqtt: \(error)")
        }
        // A simulated flight and a recording make their own time, and the gateway goes by it.
        let sourceClock = ScaledGatewayClock(rate: configuration.receiver.speed)
        let executor = LoopExecutor()
        let inputs = GatewayInputs(clock: isForShow ? sourceClock : SystemGatewayClock(), executor: executor)
        let link = OpenLink()
        let recorder = RawLogRecorder(files: rawLogFiles, isOn: configuration.recorder.raw, log: log)
        let policy = configuration.commandPolicy
        let homeAssistant = configuration.homeAssistantOptions
        let info = configuration.info
        let hasExpiry = configuration.mqtt.protocolVersion == .v5
        // Where it can't be made, the store says so.
        try? FileManager.default.createDirectory(
            atPath: configuration.gateway.stateDirectory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let store = FlightStore(
            path: configuration.gateway.stateDirectory + "/gateway.sqlite",
            bounds: StoreBounds(
                messages: configuration.mqtt.spoolMessages, messageHours: configuration.mqtt.spoolHours,
                flightDays: configuration.recorder.retentionDays, megabytes: configuration.recorder.maximumSizeMB)
        ) { text in
            Task { await inputs.send(.storeReplaced(text)) }
        }
        let transport = transport(remembering: store, clock: sourceClock)
        let (sondeHub, sondeHubOptions) = try sondeHub(beside: transport)
        let prediction = predictionOptions
        let receiver = ReceiverService(
            transport: transport, link: link, inputs: inputs, recorder: recorder, log: log,
            endsWithSource: endsWithSource)
        let gateway = GatewayService(
            inputs: inputs, link: link, broker: BrokerAdapter(client), sondeHub: sondeHub, store: store,
            notifier: ServiceNotifier(environment: ProcessInfo.processInfo.environment),
            setLogLevel: { [logLevel] in logLevel.value = $0 }, log: log,
            makeFeed: { now in
                MQTTFeed(
                    topics: topics, hasExpiry: hasExpiry, homeAssistant: homeAssistant, startedAt: now.monotonic)
            },
            makeMachine: { now in
                GatewayMachine(
                    info: info, policy: policy, sondeHub: sondeHubOptions, prediction: prediction, startedAt: now)
            })
        let reload = ReloadService(
            current: configuration, loader: loader, logLevel: logLevel, recorder: recorder, inputs: inputs, log: log)
        log.notice(
            "starting sondygo2mqtt \(Version.current)",
            metadata: [
                "topics": "\(topics.prefix)", "receiver": "\(transport.name)",
                "broker": "\(configuration.mqtt.host):\(configuration.mqtt.port)",
            ])
        if configuration.receiver.transport == .ble, let fault = KernelBluetooth.knownFault {
            log.warning("Bluetooth is unreliable on this kernel", metadata: ["why": "\(fault)"])
        }
        // Stopped in reverse: first the receiver's link, then the gateway says good-bye, last what is on its way to disk.
        let services: [any Service] = [recorder, reload, gateway, receiver]
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in SwiftLogNoOpLogHandler() }))
        // One thread for all of it: a frame should change threads as seldom as possible.
        try await withTaskExecutorPreference(executor) { try await group.run() }
        log.notice("sondygo2mqtt stopped")
    }

    /// The real one; for a simulated receiver a simulated one, unless the configuration names another.
    private func sondeHub(
        beside transport: any ReceiverTransport
    ) throws(CommandFailure) -> (any SondeHubSource & PredictionSource, SondeHubOptions) {
        var options = configuration.sondeHubOptions
        if let simulated = transport as? SimulatorTransport, configuration.explicit["sondehub.url"] == nil {
            return (SimulatedSondeHub(simulated), options)
        }
        // A recording is of another day: today's sondes have no place in it.
        if transport is ReplayTransport, configuration.explicit["sondehub.enabled"] == nil { options.isEnabled = false }
        do throws(SondeHubError) {
            var client = SondeHubClient.Configuration(url: configuration.sondeHub.url, userAgent: Version.userAgent)
            client.tawhiriURL = configuration.prediction.url
            return (try SondeHubClient(client), options)
        } catch {
            throw CommandFailure(.configuration, "sondehub.url: \(error.detail)")
        }
    }

    /// Nobody else predicts simulated weather, or that of another day.
    private var predictionOptions: PredictionOptions {
        var options = configuration.predictionOptions
        if isForShow, configuration.explicit["prediction.url"] == nil {
            (options.asksTawhiri, options.asksSondeHub) = (false, false)
        }
        return options
    }

    private func transport(
        remembering memory: any ReceiverMemory, clock: any SourceClock
    ) -> any ReceiverTransport {
        let receiver = configuration.receiver
        switch receiver.transport {
        case .ble:
            return BlueZTransport(
                adapter: receiver.adapter, filter: configuration.receiverFilter, mayReset: receiver.mayResetAdapter,
                memory: memory)
        case .serial: return SerialTransport(device: receiver.device, baud: receiver.baud)
        case .tcp: return TCPTransport(host: receiver.host, port: receiver.port)
        case .replay: return ReplayTransport(file: receiver.file ?? "", clock: clock)
        case .simulator:
            var options = simulator
            options.seed = UInt64(receiver.seed)
            return SimulatorTransport(options: options, clock: clock)
        }
    }

    private var rawLogFiles: RawLogFiles {
        RawLogFiles(
            directory: configuration.gateway.stateDirectory + "/raw",
            totalSize: configuration.recorder.maximumSizeMB * 1_000_000,
            retentionDays: configuration.recorder.retentionDays)
    }
}
