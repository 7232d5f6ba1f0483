import BluetoothProtocol
import FoundationEssentials
import GatewayCore
import Logging
import MosquittoClient
import ReceiverProtocol
import SondeHubClient
import StreamTransports

/// One key: its name in the file, what it accepts, and how a text becomes its value.
struct ConfigurationKey: Sendable {
    /// `mqtt.tls.ca_file`
    let path: String
    let accepted: String
    /// What stands for it in the file.
    let type: ValueType
    /// Takes effect on SIGHUP without a restart.
    var isLive = false
    /// Null, in the file, means "none".
    let isOptional: Bool
    /// - Returns: false when the text is not accepted.
    let apply: @Sendable (inout Configuration, String?) -> Bool

    /// Names of people, and paths, are nobody's business but the owner's.
    var isPublic: Bool {
        !["username", "file", "directory", "device", "client_id"].contains { path.hasSuffix($0) }
    }

    enum ValueType: Sendable {
        case text, wholeNumber, number, truth
        /// A text or a number: `3.1.1` and `5`, `hci0` and `0`.
        case textOrNumber
        /// Of texts.
        case list

        func accepts(_ kind: YAMLScalar.Kind) -> Bool {
            switch self {
            case .text, .list: kind == .text || kind == .quotedText
            case .wholeNumber: kind == .wholeNumber
            case .number: kind == .wholeNumber || kind == .number
            case .truth: kind == .truth
            case .textOrNumber: kind != .truth && kind != .null
            }
        }
    }

    static func named(_ path: String) -> ConfigurationKey? { all.first { $0.path == path } }

    /// It holds keys and is none itself.
    static func isSection(_ path: String) -> Bool { all.contains { $0.path.hasPrefix(path + ".") } }

    /// `SONDYGO_MQTT_TLS_CA_FILE`
    var environmentName: String { "SONDYGO_" + path.uppercased().replacing(".", with: "_") }

    /// Every key there is; anything else is refused.
    static let all: [ConfigurationKey] = [
        text("gateway.id", \.gateway.id, "one topic level of a-z 0-9 _ -", isTopicLevel),
        text("gateway.state_directory", \.gateway.stateDirectory, "an absolute path") { $0.hasPrefix("/") },
        choice("gateway.log_level", \.gateway.logLevel, levels).live,
        text("mqtt.host", \.mqtt.host, "a host name, an address, or the path of a UNIX socket") { !$0.isEmpty },
        integer("mqtt.port", \.mqtt.port, 1...65_535),
        text("mqtt.base_topic", \.mqtt.baseTopic, "topic levels of a-z 0-9 _ - with / between") {
            $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isTopicLevel(String($0)) }
        },
        optional("mqtt.username", \.mqtt.username, "a user name"),
        optional("mqtt.password_file", \.mqtt.passwordFile, "the path of a file that holds the password"),
        optional("mqtt.client_id", \.mqtt.clientID, "1 to 64 characters") { $0.utf8.count <= 64 },
        choice("mqtt.protocol", \.mqtt.protocolVersion, ["5": .v5, "3.1.1": .v311], .textOrNumber),
        flag("mqtt.tls.enabled", \.mqtt.usesTLS),
        optional("mqtt.tls.ca_file", \.mqtt.caFile, "the path of a PEM file"),
        optional("mqtt.tls.cert_file", \.mqtt.certificateFile, "the path of a PEM file"),
        optional("mqtt.tls.key_file", \.mqtt.keyFile, "the path of a PEM file"),
        integer("mqtt.spool.max_messages", \.mqtt.spoolMessages, 0...10_000_000),
        integer("mqtt.spool.max_age_hours", \.mqtt.spoolHours, 1...8760),
        choice("receiver.transport", \.receiver.transport, transports),
        parsed("receiver.adapter", \.receiver.adapter, .any, "hci0, 0 or the adapter's address", .textOrNumber) {
            AdapterChoice($0)
        },
        parsed("receiver.address", \.receiver.address, nil, "a Bluetooth address such as AA:BB:CC:DD:EE:FF") {
            BluetoothAddress($0).map(Optional.some)
        },
        list("receiver.names", \.receiver.names, "parts of the receiver's Bluetooth name"),
        flag("receiver.reset_adapter", \.receiver.mayResetAdapter),
        text("receiver.device", \.receiver.device, "a path, best below /dev/serial/by-id/") { $0.hasPrefix("/") },
        choice("receiver.baud", \.receiver.baud, bauds, .wholeNumber),
        text("receiver.host", \.receiver.host, "a host name or address") { !$0.isEmpty },
        integer("receiver.port", \.receiver.port, 1...65_535),
        optional("receiver.file", \.receiver.file, "the path of a raw log"),
        number("receiver.speed", \.receiver.speed, 0.01...1_000_000),
        integer("receiver.seed", \.receiver.seed, 0...Int.max),
        number("receiver.frequency_min", \.receiver.frequencyMinimum, 137.2...524.8).live,
        number("receiver.frequency_max", \.receiver.frequencyMaximum, 137.2...524.8).live,
        flag("receiver.allow_dangerous_settings", \.receiver.allowsDangerousSettings).live,
        flag("sondehub.enabled", \.sondeHub.isEnabled),
        text("sondehub.url", \.sondeHub.url, "an https URL (http for this machine only)", SondeHubClient.accepts),
        text("sondehub.site", \.sondeHub.site, "a station number of SondeHub, for example \"06610\"") {
            !$0.isEmpty && $0.utf8.count <= 16 && $0.utf8.allSatisfy { "0123456789-".utf8.contains($0) }
        },
        optional("sondehub.latitude", \.sondeHub.latitude, -90...90),
        optional("sondehub.longitude", \.sondeHub.longitude, -180...180),
        number("sondehub.radius_km", \.sondeHub.radiusKilometres, 1...2000),
        integer("sondehub.poll_seconds", \.sondeHub.pollSeconds, 5...3600),
        choice("sondehub.frequency_sync", \.sondeHub.frequencySync, syncPolicies),
        optional("sondehub.hunt", \.sondeHub.hunt, "a serial of 1 to 32 letters and digits") {
            $0.utf8.count <= 32 && SondeSerial(name: $0, type: .other("")) != nil
        },
        flag("recorder.raw", \.recorder.raw).live,
        integer("recorder.retention_days", \.recorder.retentionDays, 1...3650),
        integer("recorder.max_size_mb", \.recorder.maximumSizeMB, 20...1_000_000),
        flag("prediction.enabled", \.prediction.isEnabled),
        text("prediction.url", \.prediction.url, "an https URL (http for this machine only)", SondeHubClient.accepts),
        number("prediction.ascent_rate", \.prediction.ascentRate, 0.5...20),
        number("prediction.descent_rate", \.prediction.descentRate, 0.5...50),
        number("prediction.descent_growth", \.prediction.descentGrowth, 0...1),
        number("prediction.burst_altitude", \.prediction.burstAltitude, 1000...60_000),
        flag("prediction.offline", \.prediction.isOffline),
        optional("flight.ground_altitude", \.groundAltitude, -500...9000),
        flag("homeassistant.enabled", \.homeAssistant.isEnabled),
        text("homeassistant.discovery_prefix", \.homeAssistant.discoveryPrefix, "topic levels of a-z 0-9 _ -") {
            $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isTopicLevel(String($0)) }
        },
    ]

    private var live: ConfigurationKey {
        var copy = self
        copy.isLive = true
        return copy
    }

    private static let levels: KeyValuePairs<String, Logger.Level> = [
        "debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error,
    ]
    private static let transports: KeyValuePairs<String, Configuration.Transport> = [
        "ble": .ble, "serial": .serial, "tcp": .tcp, "replay": .replay, "simulator": .simulator,
    ]
    private static let syncPolicies: KeyValuePairs<String, FrequencySyncPolicy> = [
        "propose": .propose, "auto": .auto, "off": .off,
    ]
    private static let bauds: KeyValuePairs<String, Int> = [
        "1200": 1200, "2400": 2400, "4800": 4800, "9600": 9600, "19200": 19_200, "38400": 38_400, "57600": 57_600,
        "115200": 115_200,
    ]
}

extension ConfigurationKey {
    typealias Path<Value> = WritableKeyPath<Configuration, Value> & Sendable

    private static func isTopicLevel(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }
    }

    private static func text(
        _ path: String, _ property: any Path<String>, _ accepted: String, _ check: @escaping @Sendable (String) -> Bool
    ) -> ConfigurationKey {
        required(path, accepted, .text) { configuration, text in
            guard check(text) else { return false }
            configuration[keyPath: property] = text
            return true
        }
    }

    private static func optional(
        _ path: String, _ property: any Path<String?>, _ accepted: String,
        _ check: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        parsed(path, property, nil, accepted) { $0.isEmpty || !check($0) ? nil : .some($0) }
    }

    private static func optional(
        _ path: String, _ property: any Path<Double?>, _ range: ClosedRange<Double>
    ) -> ConfigurationKey {
        parsed(path, property, nil, "a number from \(range.lowerBound) to \(range.upperBound)", .number) { text in
            Double(text).flatMap { range.contains($0) ? .some($0) : nil }
        }
    }

    /// - Parameter absent: what null stands for.
    private static func parsed<Value: Sendable>(
        _ path: String, _ property: any Path<Value>, _ absent: Value, _ accepted: String, _ type: ValueType = .text,
        _ parse: @escaping @Sendable (String) -> Value?
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, accepted: "\(accepted), or null", type: type, isOptional: true) {
            configuration, text in
            guard let value = text.map(parse) ?? absent else { return false }
            configuration[keyPath: property] = value
            return true
        }
    }

    /// One to eight texts: a list in the file, separated by commas elsewhere.
    private static func list(
        _ path: String, _ property: any Path<[String]>, _ accepted: String
    ) -> ConfigurationKey {
        required(path, "a list of \(accepted), 1 to 8", .list) { configuration, text in
            let items = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
            guard items.count <= 8, items.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 32 }) else { return false }
            configuration[keyPath: property] = items
            return true
        }
    }

    private static func integer(
        _ path: String, _ property: any Path<Int>, _ range: ClosedRange<Int>
    ) -> ConfigurationKey {
        ranged(path, property, "a whole number", range, .wholeNumber)
    }

    private static func number(
        _ path: String, _ property: any Path<Double>, _ range: ClosedRange<Double>
    ) -> ConfigurationKey {
        ranged(path, property, "a number", range, .number)
    }

    private static func ranged<Value: Comparable & LosslessStringConvertible & Sendable>(
        _ path: String, _ property: any Path<Value>, _ kind: String, _ range: ClosedRange<Value>,
        _ type: ValueType
    ) -> ConfigurationKey {
        required(path, "\(kind) from \(range.lowerBound) to \(range.upperBound)", type) { configuration, text in
            guard let value = Value(text), range.contains(value) else { return false }
            configuration[keyPath: property] = value
            return true
        }
    }

    private static func flag(_ path: String, _ property: any Path<Bool>) -> ConfigurationKey {
        choice(path, property, ["true": true, "false": false], .truth)
    }

    private static func choice<Value: Sendable>(
        _ path: String, _ property: any Path<Value>, _ values: KeyValuePairs<String, Value>,
        _ type: ValueType = .text
    ) -> ConfigurationKey {
        let names = values.map(\.key)
        let table = Dictionary(values.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        return required(path, names.joined(separator: ", "), type) { configuration, text in
            guard let value = table[type == .truth ? text.lowercased() : text] else { return false }
            configuration[keyPath: property] = value
            return true
        }
    }

    private static func required(
        _ path: String, _ accepted: String, _ type: ValueType,
        _ apply: @escaping @Sendable (inout Configuration, String) -> Bool
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, accepted: accepted, type: type, isOptional: false) { configuration, text in
            text.map { apply(&configuration, $0) } ?? false
        }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let blank: Set<Character> = [" ", "\t"]
        return String(drop { blank.contains($0) }.reversed().drop { blank.contains($0) }.reversed())
    }
}
