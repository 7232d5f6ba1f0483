import Dashboard
import FlightMath
import FoundationEssentials
import Gateway
import GatewayReports
import Logging
import MQTTPublishing
import MosquittoClient
import ReceiverProtocol
import SondeHubClient

/// All settings, with defaults for a broker on the same machine and a receiver in Bluetooth range.
struct Configuration: Equatable {
    struct Gateway: Equatable {
        var id = Configuration.defaultID
        var stateDirectory = "/var/lib/sondygo2mqtt"
        var logLevel = Logger.Level.info
    }

    struct MQTT: Equatable {
        /// Names, addresses or paths, with or without a port.
        var hosts = ["localhost"]
        /// The port of a host that names none.
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

        var brokers: [BrokerAddress] { hosts.map { BrokerAddress($0, port: port) } }
        /// The brokers for people: `broker:1883`, or several with commas between.
        var place: String { brokers.map(\.text).joined(separator: ", ") }
    }

    struct SondeHub: Equatable {
        var isEnabled = true
        var url = "https://api.v2.sondehub.org"
        var site: String?
        var latitude: Double?
        var longitude: Double?
        var radiusKilometres = 400.0
        var pollSeconds = 15
        var frequencySync = FrequencySyncPolicy.propose
        var hunt: String?
        /// `auto`, `off` or the address of a live stream.
        var stream = "auto"
        var showsCrews = false

        /// Nil if the live stream is off.
        var streamPlace: StreamPlace? { stream == "off" ? nil : stream == "auto" ? .named : .address(stream) }
        /// The name under which reports of recovery are public; nil makes none.
        var callSign: String?
        /// Announce launches whose sonde should land this near; nil for none.
        var alarmKilometres: Double?
        /// Ask for the landings of the sondes around, even if nobody looks at the page.
        var looksAround = false
    }

    struct Prediction: Equatable {
        var isEnabled = true
        var url = "https://api.v2.sondehub.org/tawhiri"
        var ascentRate = 5.0
        var descentRate = 6.0
        var descentGrowth = 0.2
        /// Metres above sea level; nil for the usual altitude of the sonde's type.
        var burstAltitude: Double?
        var isOffline = true
        var borrows = true
    }

    struct GPSD: Equatable {
        var isEnabled = true
        var host = "localhost"
        var port = 2947
    }

    struct Car: Equatable {
        var sources = CarSource.allCases
        /// The topic on which the phone's app publishes; nil without a phone.
        var ownTracks: String?
        /// Where NMEA 0183 comes from.
        var nmea: [NMEAPlace] = []
        /// The UDP port for GDL 90; nil for none.
        var gdl90: Int?
    }

    struct Board: Equatable {
        var allowsCommands = false
    }

    struct Dashboard: Equatable {
        var isEnabled = true
        var address = "127.0.0.1"
        var port = 8080
        var hosts: [String] = []
        var allowsCommands = true
        /// Nil for the folder `maps` in the state directory.
        var maps: String?
        var tiles = Tiles()
        var satellite = Tiles()
        var keyFile: String?
        var frameFrom: String?
        var onlyFrom: String?
    }

    /// A tile server of the map.
    struct Tiles: Equatable {
        /// Nil for none.
        var url: String?
        var attribution: String?
        /// The folder of the tiles; nil for the folder `maps` in the state directory.
        var folder: String?
        var maximumZoom = 18
        var maximumSizeMB = 500
    }

    struct HomeAssistant: Equatable {
        var isEnabled = true
        var discoveryPrefix = "homeassistant"
    }

    struct Recorder: Equatable {
        var raw = false
        var car = true
        var retentionDays = 90
        var maximumSizeMB = 500
    }

    /// The units of sentences, and of a page whose user has chosen no others.
    var units = Units.metric
    var gateway = Gateway()
    var mqtt = MQTT()
    var receiver = Receiver()
    var sondeHub = SondeHub()
    var prediction = Prediction()
    /// The ground altitude of the area in metres above sea level.
    var groundAltitude: Double?
    /// Nil for the folder `terrain` in the state directory.
    var terrain: String?
    /// Places where sondes start, beside SondeHub's sites.
    var launchSites: [Coordinate] = []
    var gpsd = GPSD()
    var car = Car()
    var services = OnlineServices()
    /// Events that are not said aloud.
    var quietEvents: [EventName] = []
    var language = Language.english
    /// Metres between two altitudes that are said; 0 for none.
    var altitudeStep = 5000.0
    /// Minutes between two sentences that tell the state; 0 for none.
    var statusMinutes = 0
    var recorder = Recorder()
    var homeAssistant = HomeAssistant()
    var dashboard = Dashboard()
    var board = Board()
    var feeds = FeedSettings()
    var alerts = AlertSettings()
    /// Where the password may stand, in order: each login reads it anew.
    var passwordFiles: [String] = []
    /// Read from `mqtt.password_file` or the systemd credential; never printed.
    var password: String?
    /// The password's file, if it exists and this user may not read it.
    var unreadablePasswordFile: String?
    /// Read from `dashboard.key_file`; never printed but in the page's link.
    var pageKey: String?
    /// The page has a key, but this user may not read its file.
    var hidesPageKey = false
    /// This user may not read the answers of `setup`.
    var hidesSetup = false
    /// The keys that were set, with their values: `mqtt.port` -> `8883`.
    var explicit: [String: String] = [:]
    /// The keys that were set by an earlier name, with that name: `units` -> `dashboard.units`.
    var formerNames: [String: String] = [:]

    /// The path of the store's file.
    var storePath: String { isForShow ? simulatedStorePath : realStorePath }
    /// The store of real flights.
    var realStorePath: String { gateway.stateDirectory + "/gateway.sqlite" }
    /// The store of simulated and replayed flights. Among real ones they would be resumed, and would teach wrong lessons.
    var simulatedStorePath: String { gateway.stateDirectory + "/simulated.sqlite" }

    /// The folder with the heights of the ground.
    var terrainDirectory: String { terrain ?? gateway.stateDirectory + "/terrain" }

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
        options.showsCrews = sondeHub.showsCrews
        options.streams = sondeHub.streamPlace != nil
        options.hunt = sondeHub.hunt.flatMap { SondeSerial(name: $0, type: .other("")) }
        // A simulated or recorded sonde is never reported.
        options.callSign = isForShow ? nil : sondeHub.callSign
        options.alarmMetres = sondeHub.alarmKilometres.map { $0 * 1000 }
        options.looksAround = sondeHub.looksAround
        return options
    }

    /// The flight is simulated or recorded.
    var isForShow: Bool { type(of: receiver.chosen).isForShow }

    var predictionOptions: PredictionOptions {
        var options = PredictionOptions()
        options.isEnabled = prediction.isEnabled
        // With SondeHub off, Tawhiri is asked only if `prediction.url` is set.
        options.asksTawhiri = sondeHub.isEnabled || explicit["prediction.url"] != nil
        options.asksSondeHub = sondeHub.isEnabled
        options.isOffline = prediction.isOffline
        options.borrowsWinds = prediction.borrows
        options.ascentRate = prediction.ascentRate
        options.descentRate = prediction.descentRate
        options.descentGrowth = prediction.descentGrowth
        options.burstAltitudeMetres = prediction.burstAltitude
        options.groundAltitudeMetres = groundAltitude
        options.launchSites = launchSites
        options.usesTerrain = true
        return options
    }

    var chaseOptions: ChaseOptions {
        ChaseOptions(
            sources: car.sources,
            route: services.route.options,
            quiet: Set(quietEvents), language: language, units: units, altitudeStepMetres: altitudeStep,
            statusInterval: statusMinutes > 0 ? .seconds(statusMinutes * 60) : nil, phoneTopic: car.ownTracks,
            recordsWay: recorder.car)
    }

    var dashboardOptions: DashboardOptions {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return DashboardOptions(
            address: dashboard.address, port: dashboard.port, hosts: dashboard.hosts,
            allowsCommands: dashboard.allowsCommands, key: pageKey, frameFrom: dashboard.frameFrom,
            onlyFrom: dashboard.onlyFrom, mapsDirectory: dashboard.maps ?? gateway.stateDirectory + "/maps",
            onlineMaps: [onlineMap, satelliteMap].compactMap(\.self),
            pageDirectory: PageLocator.pageDirectory(ofProgram: program))
    }

    /// The roads of a tile server; nil without one.
    var onlineMap: OnlineMapOptions? { onlineMap(dashboard.tiles, as: OnlineMapOptions.roads) }
    /// The pictures from above; nil without a server of them.
    var satelliteMap: OnlineMapOptions? { onlineMap(dashboard.satellite, as: OnlineMapOptions.satellite) }

    private func onlineMap(_ tiles: Tiles, as name: String) -> OnlineMapOptions? {
        tiles.url.map { url in
            OnlineMapOptions(
                name: name, url: url, attribution: tiles.attribution ?? "", maximumZoom: tiles.maximumZoom,
                megabytes: tiles.maximumSizeMB, folder: tiles.folder ?? gateway.stateDirectory + "/maps")
        }
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

    var commandPolicy: CommandPolicy {
        var policy = CommandPolicy(
            frequencyRange: receiver.frequencyMinimum...max(receiver.frequencyMinimum, receiver.frequencyMaximum),
            allowsDangerousSettings: receiver.allowsDangerousSettings)
        policy.search = receiver.search
        return policy
    }
}
