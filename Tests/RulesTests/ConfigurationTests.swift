import BluetoothProtocol
import Feeds
import Foundation
import GatewayReports
import TestSupport
import Testing

@testable import sondygo2mqtt

@Suite struct ConfigurationTests {
    /// Refused files -> a part of each line of the message.
    @Test(
        arguments: [
            ("mqtt: {port: abc}", [":1: mqtt.port: \"abc\" is not accepted; give a whole number from 1 to 65535"]),
            ("mqtt:\n  hots: x\n", [":2: mqtt.hots: unknown key; did you mean mqtt.host?"]),
            ("mqtt: {port: 0}\nreceiver: {baud: 300}\nx: 1", ["mqtt.port", "receiver.baud", ":3: x: unknown key"]),
            ("mqtt: [1, 2]", ["mqtt: a list is not accepted here; it is a section"]),
            ("- a", ["the file: a list is not accepted here"]),
            ("mqtt: {port: 1", ["not valid YAML"]), ("gateway: {id: Car 1}", ["gateway.id"]),
            ("gateway: {id: \(String(repeating: "a", count: 65))}", ["gateway.id", "at most 64 characters"]),
            ("mqtt: {host: null}", ["mqtt.host: null"]),
            ("mqtt: {host: [a, 'fe80::1']}", ["mqtt.host: fe80::1 holds on one link only", "example fe80::1%wlan0"]),
            ("receiver: {transport: tcp, host: 'fe80::1'}", ["receiver.host: fe80::1 holds on one link only"]),
            ("gpsd: {host: 'fe80::1'}", ["gpsd.host: fe80::1 holds on one link only"]),
            ("car: {nmea: ['tcp:[fe80::1]:10110']}", ["car.nmea: fe80::1 holds on one link only"]),
            ("car: {nmea: [10110]}", [":1: car.nmea: [10110]", "udp:port, tcp:host:port or device:baud, up to 8"]),
            ("car: {gdl90: 0}", ["car.gdl90: 0", "usually 4000, or null"]), ("car: {gdl90: '4000'}", ["car.gdl90"]),
            ("car: {nmea: [udp:4000], gdl90: 4000}", ["car.gdl90: port 4000 is car.nmea's, too"]),
            ("car: {nmea: [udp:4000, udp:4000]}", ["car.nmea: port 4000 is car.nmea's, too"]),
            ("car: {nmea: [/dev/ttyX:4800, /dev/ttyX:9600]}", ["car.nmea: /dev/ttyX is there twice"]),
            (
                "receiver: {transport: serial, device: /dev/ttyX}\ncar: {nmea: [udp:10110, /dev/ttyX:4800]}",
                ["car.nmea: /dev/ttyX is the receiver's cable (receiver.device)"]
            ),
            (
                "feeds: {horus: {enabled: true, listen: 127.0.0.1:4000}}\ncar: {gdl90: 4000}",
                ["car.gdl90: port 4000 is feeds.horus.listen's, too"]
            ),
            ("receiver: {frequency_min: 406, frequency_max: 400}", ["not below"]),
            ("receiver: {transport: replay}", ["receiver.file"]),
            ("receiver: {address: AA-BB}", ["receiver.address: \"AA-BB\"", "AA:BB:CC:DD:EE:FF, or null"]),
            ("receiver: {adapter: usb0}", ["receiver.adapter: \"usb0\"", "hci0, 0 or the adapter's address"]),
            ("receiver: {names: []}", ["receiver.names: [] is not accepted; give a list"]),
            ("receiver: {names: [A, 'B,C']}", [":1: receiver.names: an item with a comma"]),
            ("mqtt: {host: [a, 1]}", [":1: mqtt.host: [\"a\", 1] is not accepted; give a host name"]),
            ("mqtt: {host: []}", [":1: mqtt.host: [] is not accepted; give a host name"]),
            ("mqtt: {host: [a, '']}", ["mqtt.host: "]),
            ("receiver: {nmaes: [A]}", ["receiver.nmaes: unknown key"]),
            ("receiver: {transport: usb}", ["ble, serial, tcp, replay, simulator"]),
            ("mqtt: {tls: {ca_file: /x}}", ["mqtt.tls.enabled"]),
            ("mqtt: {tls: {enabled: true, cert_file: /x}}", ["belong together"]),
            ("mqtt: {tls: {enabled: maybe}}", ["true, false"]),
            ("mqtt: {username: u, password_file: /nonexistent}", ["can't be read"]),
            ("mqtt: {password_file: /etc/hostname}", ["mqtt.username"]),
            ("receiver: {speed: -1}", ["receiver.speed"]), ("receiver: {speed: nan}", ["receiver.speed"]),
            ("mqtt: {base_topic: a//b}", ["base_topic"]),
            ("mqtt: {port: 1}\nmqtt: {port: 2}", ["given twice: mqtt"]), ("recorder: {raw: 1}", ["recorder.raw"]),
            ("\u{1}", ["not valid YAML"]),
            ("plain text", ["the file: \"plain text\" is not accepted here; give sections"]),
            ("7", ["the file: 7 is not accepted here"]),
            (
                "mqtt: {host: true}",
                [":1: mqtt.host: true is not accepted; give a host name", "needs quotes: \"true\""]
            ),
            (
                "mqtt: {port: \"1883\"}",
                [":1: mqtt.port: \"1883\" is not accepted; give a whole number", "without quotes"]
            ),
            ("mqtt: {port: 1883.0}", ["mqtt.port: 1883.0"]), ("mqtt: {port: 1_883}", ["mqtt.port: \"1_883\""]),
            ("mqtt: {port: 0x75b}", ["mqtt.port: 0x75b"]), ("mqtt: {port: true}", ["mqtt.port: true"]),
            ("mqtt: {port: {a: 1}}", ["mqtt.port.a: unknown key"]), ("mqtt: {port: {}}", ["mqtt.port: {}"]),
            ("mqtt: {tls: true}", ["mqtt.tls: true is not accepted here; it is a section"]),
            ("mqtt: {tls: {enabled: \"true\"}}", ["mqtt.tls.enabled: \"true\" is not accepted"]),
            ("mqtt: {tls: {enabled: yes}}", ["mqtt.tls.enabled: \"yes\""]),
            ("mqtt: {tls: {enabled: 1}}", ["mqtt.tls.enabled: 1"]), ("mqtt: {username: 12}", ["mqtt.username: 12"]),
            ("sondehub: {site: 06610}", ["sondehub.site: 06610", "needs quotes: \"06610\""]),
            ("sondehub: {latitude: \"46\", longitude: 7}", ["sondehub.latitude: \"46\""]),
            ("receiver: {names: [1, A]}", ["receiver.names: [1, \"A\"]", "need quotes"]),
            ("receiver: {names: [[A]]}", ["receiver.names: a list or section within a list"]),
            ("receiver: {baud: \"9600\"}", ["receiver.baud: \"9600\""]),
            ("receiver: {speed: .nan}", ["receiver.speed: .nan"]),
            ("receiver: {speed: 1e400}", ["receiver.speed"]), ("mqtt: {port: !!str 5}", ["mqtt.port: a tag"]),
            ("? [a]\n: 1", ["only a name can be a key"]), ("mqtt:\n\tport: 1", [":2: indented with a tab; use spaces"]),
            ("a: &x [1]\nmqtt: *x", [":2: an alias (*x) is not accepted"]), ("a: 1\n---\nb: 2", ["not valid YAML"]),
            ("feeds: {chase_car: {enabled: true}}", ["feeds.chase_car.callsign: needed"]),
            (
                "gateway: {id: car1}\ncar: {owntracks: owntracks/sonde/car1}\nfeeds: {owntracks: {enabled: true}}",
                ["car.owntracks: the gateway itself publishes on owntracks/sonde/car1"]
            ),
            ("car: {owntracks: sondygo/x/command}", ["car.owntracks: the gateway itself publishes"]),
            (
                "feeds: {chase_car: {enabled: true, callsign: HB9XYZ}}\nsondehub: {enabled: false}",
                ["feeds.chase_car.enabled: SondeHub can't show the car"]
            ),
            ("feeds: {chase_car: {callsign: 'a b'}}", ["feeds.chase_car.callsign: \"a b\" is not accepted"]),
            ("feeds: {gdl90: {enabled: true, discover: false}}", ["feeds.gdl90: it has no address to send to"]),
            (
                "dashboard: {port: 5000}\nfeeds: {rocket: {enabled: true}}",
                ["feeds.rocket.port: port 5000 is dashboard.port's, too"]
            ),
            (
                "feeds: {gdl90: {enabled: true}, horus: {enabled: true, listen: '0.0.0.0:63093'}}",
                ["feeds.gdl90.discover: port 63093 is feeds.horus.listen's, too"]
            ),
            (
                "feeds: {horus: {targets: [a]}}",
                ["feeds.horus.targets: \"a\" is not accepted; give a list of host:port"]
            ),
            ("feeds: {rdz: {address: everywhere}}", ["feeds.rdz.address"]),
            // A C string ends at a NUL, and a line feed would begin a new line in the log.
            (
                #"mqtt: {host: "a\0b", username: "a\nb"}"#,
                ["mqtt.host: ", #"mqtt.username: "a\nb" is not accepted"#]
            ),
            ("mqtt: {client_id: \"  \"}\nreceiver: {host: \"\\u0085x\"}", ["mqtt.client_id: ", "receiver.host: "]),
            ("gpsd: {host: \"a\u{FFFD}\"}", ["gpsd.host: "]),
            (
                "receiver: {reset_adapter: false}",
                [":1: receiver.reset_adapter: this key is gone: the gateway switches a faulty adapter off and on"]
            ),
            ("mqtt:\n  passwd: x\n", ["mqtt.passwd: unknown key; did you mean mqtt.password_file?"]),
            ("reciever: {}", [":1: reciever: unknown key; did you mean receiver?"]),
            ("reciever:", [":1: reciever: unknown key; did you mean receiver?"]),
            ("reciever: []", [":1: reciever: unknown key; did you mean receiver?"]),
            ("mqtt: {tsl: {}}", [":1: mqtt.tsl: unknown key; did you mean mqtt.tls?"]),
            ("feeds: {rocke: {}}", [":1: feeds.rocke: unknown key; did you mean feeds.rocket?"]),
            ("x: {}", [":1: x: unknown key; config.example.yaml lists every key"]),
            // What a word processor or a web page puts in the place of spaces and quotes.
            ("mqtt:\n\u{A0}\u{A0}host: broker", [":2: has a no-break space where a space belongs"]),
            ("mqtt:\n  host:\u{A0}broker", [":2: has a no-break space where a space belongs"]),
            ("mqtt:\n  port: 1883\n  \u{202F}host: broker", [":3: has a narrow no-break space"]),
            ("mqtt:\n  username: “crew”", [":2: has the quote “; type a straight one"]),
            ("receiver:\n  names:\n  - „MySondy“", [":3: has the quote „"]),
            ("mqtt: {host: broker.example/}", ["mqtt.host: \"broker.example/\" is not accepted"]),
            ("mqtt: {host: \"broker example\"}", ["mqtt.host: \"broker example\" is not accepted"]),
            (
                "mqtt: {host: bücher.example}",
                ["mqtt.host: \"bücher.example\" is not accepted", "a host name of ASCII"]
            ),
            ("gpsd: {host: gps maus}", ["gpsd.host"]), ("receiver: {host: \"a/b\"}", ["receiver.host"]),
        ] as [(String, [String])])
    func refusals(_ text: String, _ pieces: [String]) throws {
        let problems = try #require(try problems(text))
        for piece in pieces { #expect(problems.contains { $0.contains(piece) }, "\(problems)") }
    }

    @Test(arguments: [
        "", "# nothing\n", "mqtt:\n", "mqtt: {username: null}\n", "mqtt: {port: 8883}",
        "sondehub: {frequency_sync: off}", "mqtt: {protocol: 5}", "mqtt: {protocol: \"5\"}", "mqtt: {protocol: 3.1.1}",
        "receiver: {adapter: 0}", "receiver: {adapter: hci0}", "receiver: {speed: 2}", "receiver: {speed: 2.5}",
        "receiver: {names: MySondy}", "mqtt: {tls: {enabled: False}}", "mqtt: {username: 'true'}",
        "\u{FEFF}mqtt: {port: 1}", "\u{FEFF}mqtt:\n  port: 1\n",
        "mqtt: {host: \"[fe80::1%eth0]:1883\"}", "mqtt: {host: /run/mosquitto.sock}",
        "mqtt: {host: xn--bcher-kva.example}",
        // Within a text these characters are letters like any.
        "dashboard:\n  tiles:\n    attribution: \"© L’Atlas « A\u{A0}»\"\n",
        "alerts:\n- url: https://a/\n  body: |\n    “Hi”\n    \u{A0}there\n", "# “a”\u{A0}b\n",
        "receiver: {address: 12:34:56:12:34:56}", "mqtt: {username: a*b}", "mqtt: {username: 'x &a *a'}",
        "# &a\nmqtt: {username: 'a'} # *a", "feeds: {horus: {targets: [], car: null}}",
        "feeds: {gdl90: {targets: [tablet.local, '[::1]:4001']}}",
        "feeds: {chase_car: {enabled: true, callsign: HB9XYZ}}",
        "feeds: {owntracks: {enabled: true}}\ncar: {owntracks: owntracks/crew/phone1}",
        "car: {nmea: [], gdl90: null}", "car: {nmea: null, gdl90: 4000}", "car: {nmea: udp:10110}",
        "car: {nmea: [udp:10110, 'tcp:[::1]:10110', tcp:plotter.local:2000, /dev/ttyUSB1:4800]}",
        // The cable that Bluetooth does not use, and a TCP port with the number of a UDP port.
        "receiver: {device: /dev/ttyX}\ncar: {nmea: [/dev/ttyX:4800]}",
        "feeds: {rdz: {enabled: true, port: 4000}}\ncar: {gdl90: 4000}",
    ])
    func accepted(_ text: String) throws {
        #expect(try problems(text) == nil)
    }

    @Test func flagsBeatTheEnvironmentWhichBeatsTheFile() throws {
        let path = try file("mqtt: {host: file, port: 1, base_topic: file}")
        let loader = ConfigurationLoader(
            path: path, environment: ["SONDYGO_MQTT_HOST": "environment", "SONDYGO_MQTT_PORT": "2"],
            flags: ["mqtt.host": ("--mqtt-host", "flag")])
        let configuration = try loader.load()
        #expect(configuration.mqtt.hosts == ["flag"])
        #expect(configuration.mqtt.port == 2)
        #expect(configuration.mqtt.baseTopic == "file")
    }

    /// The same value as a list in the file and in the environment.
    @Test func receiversByNameAndAddress() throws {
        let path = try file("receiver: {names: [MySondy, Stratos], adapter: 1, address: 'd8:a0:1d:02:03:04'}")
        let fromFile = try ConfigurationLoader(path: path, environment: [:]).load().receiver.ble
        #expect(fromFile.names == ["MySondy", "Stratos"])
        #expect(fromFile.adapter.description == "hci1")
        #expect(fromFile.address?.description == "D8:A0:1D:02:03:04")
        let environment = ["SONDYGO_RECEIVER_NAMES": "MySondy, Stratos", "SONDYGO_RECEIVER_ADAPTER": "hci1"]
        let fromEnvironment = try ConfigurationLoader(path: nil, environment: environment).load().receiver.ble
        #expect(fromEnvironment.names == fromFile.names)
        #expect(fromEnvironment.adapter == fromFile.adapter)
    }

    /// A text of `car.nmea` -> the place; nil if it is refused.
    @Test(
        arguments: [
            ("udp:10110", .port(10_110)), ("udp:0", nil), ("udp:65536", nil), ("udp:", nil), ("udp:host:1", nil),
            ("tcp:host:2947", .server(FeedEndpoint(host: "host", port: 2947))),
            ("tcp:[::1]:1", .server(FeedEndpoint(host: "::1", port: 1))), ("tcp:host", nil), ("tcp::1", nil),
            ("tcp:bü.example:1", nil), ("/dev/ttyUSB1:4800", .cable(device: "/dev/ttyUSB1", baud: 4800)),
            ("/dev/serial/by-path/pci-0:1:2:115200", .cable(device: "/dev/serial/by-path/pci-0:1:2", baud: 115_200)),
            ("/dev/ttyUSB1", nil), ("/dev/ttyUSB1:", nil), ("/dev/ttyUSB1:4801", nil), ("ttyUSB1:4800", nil), ("", nil),
            ("10110", nil),
        ] as [(String, NMEAPlace?)])
    func placesOfNMEA(_ text: String, _ place: NMEAPlace?) {
        #expect(NMEAPlace(text) == place)
        if let place { #expect(place.description == text) }
    }

    @Test func unknownEnvironmentIsRefused() {
        let loader = ConfigurationLoader(path: nil, environment: ["SONDYGO_MQTT_HOTS": "x"])
        let error = #expect(throws: ConfigurationLoader.Problems.self) { try loader.load() }
        #expect(error?.lines.first?.contains("SONDYGO_MQTT_HOST") == true)
    }

    /// Unknown key -> the suggestion.
    @Test(
        arguments: [
            ("mqtt.passwd", ["mqtt.password_file"]), ("mqtt.password", ["mqtt.password_file"]),
            ("mqtt.hots", ["mqtt.host"]), ("mqtt.user", ["mqtt.username"]), ("mqtt.server", ["mqtt.host"]),
            ("broker.host", ["mqtt.host"]), ("mqtt.tls.cafile", ["mqtt.tls.ca_file"]),
            ("mqtt.ssl.enabled", ["mqtt.tls.enabled"]),
            ("sondehub.lat", ["sondehub.latitude"]), ("receiver.nmaes", ["receiver.names"]),
            ("receiver.mac", ["receiver.address"]), ("receiver.tty", ["receiver.device"]),
            ("receiver.serial_port", ["receiver.device"]),
            ("gateway.loglevel", ["gateway.log_level"]), ("mqtt.topic", ["mqtt.base_topic"]),
            ("port", ["receiver.port", "mqtt.port"]), ("recorder.retention", ["recorder.retention_days"]),
            ("homeasistant.enabled", ["homeassistant.enabled"]), ("x", []), ("colour", []), ("weather.station", []),
        ] as [(String, [String])])
    func unknownKeysGetSuggestions(_ wrong: String, _ meant: [String]) {
        #expect(KeySuggestion.near(wrong, among: ConfigurationKey.all.map(\.path)) == meant)
    }

    /// An empty value and `null` override the file with null.
    @Test func theEnvironmentCanSayNull() throws {
        let path = try file("mqtt: {username: file, client_id: file}\nreceiver: {address: 'd8:a0:1d:02:03:04'}")
        let loader = ConfigurationLoader(
            path: path, environment: ["SONDYGO_MQTT_USERNAME": "", "SONDYGO_MQTT_CLIENT_ID": "null"],
            flags: ["receiver.address": ("--address", "null")])
        let configuration = try loader.load()
        #expect(configuration.mqtt.username == nil)
        #expect(configuration.mqtt.clientID == nil)
        #expect(configuration.receiver.ble.address == nil)
        let refused = ConfigurationLoader(path: nil, environment: ["SONDYGO_MQTT_HOST": ""])
        let error = #expect(throws: ConfigurationLoader.Problems.self) { try refused.load() }
        #expect(
            error?.lines == [
                "environment SONDYGO_MQTT_HOST: mqtt.host: null is not accepted; "
                    + "give a host name of ASCII letters, an address (with :port if not mqtt.port), or the path of a UNIX socket; "
                    + "or a list of them, 1 to 8"
            ])
    }

    /// `mqtt.host` -> the brokers.
    @Test(arguments: [
        ("a", ["a:1883"]), ("[a, b:1884]", ["a:1883", "b:1884"]), ("'a:7,b'", ["a:7", "b:1883"]),
        ("'[fd00::1]:1884'", ["[fd00::1]:1884"]), ("'fd00::1'", ["[fd00::1]:1883"]),
        ("[/run/mosquitto.sock, 10.0.0.1]", ["/run/mosquitto.sock", "10.0.0.1:1883"]),
    ])
    func brokersAreAListOfHosts(_ text: String, _ places: [String]) throws {
        let configuration = try ConfigurationLoader(path: file("mqtt: {host: \(text)}"), environment: [:]).load()
        #expect(configuration.mqtt.place == places.joined(separator: ", "))
    }

    /// Each is refused within a short time.
    @Test func unreadableConfigurationFilesAreRefusedSoon() throws {
        let folder = try temporaryDirectory()
        let pipe = folder.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let write = { (name: String, data: Data) in
            let url = folder.appendingPathComponent(name)
            try data.write(to: url)
            return url.path
        }
        let bomb = (1..<30).reduce("a0: &a0 [x, x]\n") {
            $0 + "a\($1): &a\($1) [*a\($1 - 1), *a\($1 - 1), *a\($1 - 1)]\n"
        }
        let cases = [
            (folder.path, "is a directory"), (pipe, "is not a plain file"), ("/dev/zero", "is longer than"),
            (try write("huge", Data(repeating: 35, count: 5_000_000)), "is longer than 65536 bytes"),
            (try write("latin1", Data([0x6D, 0xFC, 0x0A])), "is not UTF-8 text"),
            (try write("utf16", Data([0xFF, 0xFE, 0x61, 0])), "is not UTF-8 text"),
            (try write("null", Data([0x61, 0, 0x62])), "not valid YAML"),
            (try write("bomb", Data(bomb.utf8)), "an alias (*a0)"),
            (try write("deep", Data(repeating: 0x5B, count: 60_000)), "nested too deeply"),
        ]
        let began = threadTime()
        for (path, text) in cases {
            let error = #expect(throws: ConfigurationLoader.Problems.self) {
                try ConfigurationLoader(path: path, environment: [:]).load()
            }
            #expect(error?.lines.count == 1)
            #expect(error?.lines.first?.contains(text) == true, "\(error?.description ?? "")")
        }
        let many = try write("many", Data((0..<6000).map { "k\($0): 1\n" }.joined().utf8))
        let error = #expect(throws: ConfigurationLoader.Problems.self) {
            try ConfigurationLoader(path: many, environment: [:]).load()
        }
        #expect(error?.lines.count == 50)
        #expect(error?.description.hasSuffix("… and more") == true)
        #expect(threadTime() - began < .seconds(20))
        #expect(throws: Never.self) { try ConfigurationLoader(path: "/dev/null", environment: [:]).load() }
    }

    @Test func problemsAreInTheFilesOrder() throws {
        let problems = try #require(try problems("mqtt: {tls: 5}\nsondehub: {radius_km: x}\nport: 1\nmqqt: {host: 1}"))
        #expect(problems.compactMap { $0.split(separator: ":").dropFirst().first.flatMap { Int($0) } } == [1, 2, 3, 4])
    }

    @Test func aMissingFileIsReported() {
        let loader = ConfigurationLoader(path: "/nonexistent.yaml", environment: [:])
        #expect(throws: ConfigurationLoader.Problems.self) { try loader.load() }
    }

    /// A power cut has left zeros in the file with setup's answers: the way out is named.
    @Test func damagedAnswersAreNamedWithTheRemedy() throws {
        let path = try temporaryDirectory().appendingPathComponent("setup.yaml").path
        try Data(count: 300).write(to: URL(fileURLWithPath: path))
        var loader = ConfigurationLoader(path: nil, environment: [:])
        loader.setupPath = path
        let problems = #expect(throws: ConfigurationLoader.Problems.self) { try loader.load() }
        #expect(problems?.lines.contains { $0.hasPrefix(path) && $0.contains("delete it, and answer") } ?? false)
    }

    /// The example configuration documents all keys with their real defaults.
    @Test func theExampleHoldsEveryKeyWithItsDefault() throws {
        let path = Fixtures.url("deploy/config.example.yaml").path
        let example = try ConfigurationLoader(path: path, environment: [:]).load()
        #expect(Set(example.explicit.keys) == Set(ConfigurationKey.all.map(\.path)))
        var defaults = Configuration()
        defaults.gateway.id = "car1"
        defaults.explicit = example.explicit
        #expect(example == defaults)
    }

    @Test func theFeedsPageNamesEachOfTheirKeys() throws {
        let page = try Fixtures.text("deploy/doc/feeds.md")
        for key in ConfigurationKey.all where key.path.hasPrefix("feeds.") {
            #expect(page.contains("`\(key.path)`"), "\(key.path)")
        }
    }

    func file(_ text: String) throws -> String {
        let file = try temporaryDirectory().appendingPathComponent("config.yaml")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    func problems(_ text: String) throws -> [String]? {
        do {
            _ = try ConfigurationLoader(path: try file(text), environment: [:]).load()
            return nil
        } catch let error as ConfigurationLoader.Problems {
            return error.lines
        }
    }
}
