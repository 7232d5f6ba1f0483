import BluetoothProtocol
import Dashboard
import FlightMath
import FoundationEssentials
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import MosquittoClient
import ReceiverProtocol

/// All settings, with defaults for a broker on the same machine and a receiver in Bluetooth range.
struct Configuration: Equatable {
    struct Gateway: Equatable {
        var id = Configuration.defaultID
        var stateDirectory = "/var/lib/sondygo2mqtt"
        var logLevel = Logger.Level.info
    }

    struct MQTT: Equatable {
        var host = "localhost"
        var port = 1883
        var baseTopic = "sondygo"
        var username: String?
        var passwordFile: String?
        var clientID: String?
        /// Nil for MQTT 5, or 3.1.1 if the broker does not speak MQTT 5.
        var version: MQTTVersion?
        var usesTLS = false
        var caFile: String?
        var certificateFile: String?
        var keyFile: String?
        var spoolMessages = 100_000
        var spoolHours = 48
    }

    enum Transport: String, CaseIterable {
        case ble, serial, tcp, replay, simulator
    }

    struct Receiver: Equatable {
        var transport = Transport.ble
        var adapter = AdapterChoice.any
        var address: BluetoothAddress?
        var names = ["MySondy"]
        var mayResetAdapter = false
        var device = "/dev/ttyUSB0"
        var baud = 9600
        var host = "localhost"
        var port = 2000
        var file: String?
        var speed = 1.0
        var seed = 1
        var frequencyMinimum = 400.0
        var frequencyMaximum = 406.0
        var allowsDangerousSettings = false
    }

    struct SondeHub: Equatable {
        var isEnabled = true
        var url = "https://api.v2.sondehub.org"
        var site = "06610"
        var latitude: Double?
        var longitude: Double?
        var radiusKilometres = 400.0
        var pollSeconds = 15
        var frequencySync = FrequencySyncPolicy.propose
        var hunt: String?
    }

    struct Prediction: Equatable {
        var isEnabled = true
        var url = "https://api.v2.sondehub.org/tawhiri"
        var ascentRate = 5.0
        var descentRate = 6.0
        var descentGrowth = 0.2
        var burstAltitude = 30_000.0
        var isOffline = true
    }

    struct GPSD: Equatable {
        var isEnabled = true
        var host = "localhost"
        var port = 2947
    }

    struct Car: Equatable {
        var sources = CarSource.allCases
        /// The phone's topic.
        var ownTracks: String?
    }

    struct Route: Equatable {
        var url: String?
        var engine = RouteEngine.osrm
        var mode = RouteMode.car
    }

    struct Dashboard: Equatable {
        enum Units: String, CaseIterable {
            case metric, imperial, aviation
        }

        var isEnabled = true
        var address = "127.0.0.1"
        var port = 8080
        var hosts: [String] = []
        var allowsCommands = true
        /// Nil for the folder `maps` in the state directory.
        var maps: String?
        /// The default; the user can choose others in the browser.
        var units = Units.metric
    }

    struct HomeAssistant: Equatable {
        var isEnabled = true
        var discoveryPrefix = "homeassistant"
    }

    struct Recorder: Equatable {
        var raw = false
        var retentionDays = 90
        var maximumSizeMB = 500
    }

    var gateway = Gateway()
    var mqtt = MQTT()
    var receiver = Receiver()
    var sondeHub = SondeHub()
    var prediction = Prediction()
    /// The ground altitude of the area in metres above sea level.
    var groundAltitude: Double?
    var gpsd = GPSD()
    var car = Car()
    var route = Route()
    /// Events that the page does not speak.
    var quietEvents: [EventName] = []
    var recorder = Recorder()
    var homeAssistant = HomeAssistant()
    var dashboard = Dashboard()
    var feeds = FeedSettings()
    /// Read from `mqtt.password_file` or the systemd credential; never printed.
    var password: String?
    /// The keys that were set, with their values: `mqtt.port` -> `8883`.
    var explicit: [String: String] = [:]

    /// The path of the store's file.
    var storePath: String { gateway.stateDirectory + "/gateway.sqlite" }

    var sondeHubOptions: SondeHubOptions {
        var options = SondeHubOptions()
        options.isEnabled = sondeHub.isEnabled
        options.site = sondeHub.site
        if let latitude = sondeHub.latitude, let longitude = sondeHub.longitude {
            options.place = Coordinate(latitude: latitude, longitude: longitude)
        }
        options.radiusMetres = sondeHub.radiusKilometres * 1000
        options.pollInterval = .seconds(sondeHub.pollSeconds)
        options.frequencySync = sondeHub.frequencySync
        options.hunt = sondeHub.hunt.flatMap { SondeSerial(name: $0, type: .other("")) }
        return options
    }

    /// The flight is simulated or recorded.
    var isForShow: Bool { receiver.transport == .simulator || receiver.transport == .replay }

    var predictionOptions: PredictionOptions {
        var options = PredictionOptions()
        options.isEnabled = prediction.isEnabled
        // With SondeHub off, Tawhiri is asked only if `prediction.url` is set.
        options.asksTawhiri = sondeHub.isEnabled || explicit["prediction.url"] != nil
        options.asksSondeHub = sondeHub.isEnabled
        options.isOffline = prediction.isOffline
        options.ascentRate = prediction.ascentRate
        options.descentRate = prediction.descentRate
        options.descentGrowth = prediction.descentGrowth
        options.burstAltitudeMetres = prediction.burstAltitude
        options.groundAltitudeMetres = groundAltitude
        return options
    }

    var chaseOptions: ChaseOptions {
        ChaseOptions(
            sources: car.sources,
            route: RouteOptions(engine: route.url == nil ? nil : route.engine, mode: route.mode),
            quiet: Set(quietEvents))
    }

    var dashboardOptions: DashboardOptions {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return DashboardOptions(
            address: dashboard.address, port: dashboard.port, hosts: dashboard.hosts,
            allowsCommands: dashboard.allowsCommands, mapsDirectory: dashboard.maps ?? gateway.stateDirectory + "/maps",
            pageDirectory: PageLocator.pageDirectory(ofProgram: program))
    }

    /// The report `bridge/info`: the settings without names, paths and secrets.
    var info: InfoReport {
        let told = ConfigurationKey.all.compactMap { key in
            key.isPublic ? explicit[key.path].map { InfoReport.Setting(key: key.path, value: .string($0)) } : nil
        }
        return InfoReport(
            version: Version.current, id: gateway.id, machine: Self.machineHash,
            feeds: feedsThatAreOn.map { type(of: $0).name }, settings: told)
    }

    var receiverFilter: ReceiverFilter { ReceiverFilter(names: receiver.names, address: receiver.address) }

    var commandPolicy: CommandPolicy {
        CommandPolicy(
            frequencyRange: receiver.frequencyMinimum...max(receiver.frequencyMinimum, receiver.frequencyMaximum),
            allowsDangerousSettings: receiver.allowsDangerousSettings)
    }
}
