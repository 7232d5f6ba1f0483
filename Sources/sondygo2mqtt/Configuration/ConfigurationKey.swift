import Dashboard
import FoundationEssentials
import Gateway
import GatewayReports
import Logging
import ReceiverProtocol
import SondeHubClient

/// A key of the configuration: its name, its accepted values, and the parser of its text.
struct ConfigurationKey: Sendable {
    /// For example `mqtt.tls.ca_file`.
    let path: String
    let accepted: String
    /// The type of its value in the file.
    let type: ValueType
    /// SIGHUP changes it without a restart.
    var isLive = false
    /// The file may say null, which means "none".
    let isOptional: Bool
    /// Parses the text and sets the value; returns false if the text is not accepted.
    let apply: @Sendable (inout Configuration, String?) -> Bool

    /// Whether `bridge/info` may show the value. Numbers, switches and choices can't hold a secret; a row with a text
    /// says so itself with ``shown``.
    var isPublic = false
    /// The value is an address. Its path and its parameters may hold a key, so no message shows them.
    var isAddress = false

    enum ValueType: Sendable {
        case text, wholeNumber, number, truth
        /// A text or a number: `3.1.1` and `5`, `hci0` and `0`.
        case textOrNumber
        /// A list of texts.
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

    /// All keys. Another key is refused.
    static let all = transports + general + car + tiles + sondeHub + chase + services + feeds

    private static let general: [ConfigurationKey] = [
        choice("units", \.units).live,
        text("gateway.id", \.gateway.id, accepts: "one topic level of a-z 0-9 _ -, at most 64 characters") {
            isTopicLevel($0) && $0.utf8.count <= 64
        }.shown,
        text("gateway.state_directory", \.gateway.stateDirectory, accepts: "an absolute path") { $0.hasPrefix("/") },
        choice("gateway.log_level", \.gateway.logLevel, from: levels).live,
        list(
            "mqtt.host", \.mqtt.hosts,
            accepts:
                "a host name of ASCII letters, an address (with :port if not mqtt.port), or the path of a UNIX socket; or a"
                + " list of them, 1 to 8", longest: 255,
            // ``Contradiction`` refuses a URL, and says what to give instead.
            where: { $0.hasPrefix("/") || $0.contains("://") || isHost($0) }
        ).shown,
        integer("mqtt.port", \.mqtt.port, in: 1...65_535),
        text("mqtt.base_topic", \.mqtt.baseTopic, accepts: "topic levels of a-z 0-9 _ - with / between") {
            $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isTopicLevel(String($0)) }
        }.shown,
        optional("mqtt.username", \.mqtt.username, accepts: "a user name"),
        optional("mqtt.password_file", \.mqtt.passwordFile, accepts: "the path of a file that holds the password"),
        optional("mqtt.client_id", \.mqtt.clientID, accepts: "1 to 64 characters") { $0.utf8.count <= 64 },
        choice(
            "mqtt.protocol", \.mqtt.version, from: ["auto": nil, "5": .v5, "3.1.1": .v311], as: .textOrNumber),
        flag("mqtt.tls.enabled", \.mqtt.usesTLS),
        optional("mqtt.tls.ca_file", \.mqtt.caFile, accepts: "the path of a PEM file"),
        optional("mqtt.tls.cert_file", \.mqtt.certificateFile, accepts: "the path of a PEM file"),
        optional("mqtt.tls.key_file", \.mqtt.keyFile, accepts: "the path of a PEM file"),
        integer("mqtt.spool.max_messages", \.mqtt.spoolMessages, in: 0...10_000_000),
        integer("mqtt.spool.max_age_hours", \.mqtt.spoolHours, in: 1...8760),
        number("receiver.speed", \.receiver.speed, in: 0.01...1_000_000),
        number("receiver.frequency_min", \.receiver.frequencyMinimum, in: 137.2...524.8).live,
        number("receiver.frequency_max", \.receiver.frequencyMaximum, in: 137.2...524.8).live,
        flag("receiver.allow_dangerous_settings", \.receiver.allowsDangerousSettings).live,
        parsed(
            "receiver.search", \.receiver.search, absent: .off,
            accepts: "sondes, or up to 16 tunings, for example \"403.5 RS41, 404.2 M20\"", parse: SearchPlan.init
        ).shown,
        flag("recorder.raw", \.recorder.raw).live,
        flag("recorder.car", \.recorder.car).live,
        integer("recorder.retention_days", \.recorder.retentionDays, in: 1...3650),
        integer("recorder.max_size_mb", \.recorder.maximumSizeMB, in: 20...1_000_000),
        flag("prediction.enabled", \.prediction.isEnabled),
        text(
            "prediction.url", \.prediction.url, accepts: "an https URL (http for this machine only)",
            where: SondeHubClient.accepts
        ).address,
        number("prediction.ascent_rate", \.prediction.ascentRate, in: 0.5...20),
        number("prediction.descent_rate", \.prediction.descentRate, in: 0.5...50),
        number("prediction.descent_growth", \.prediction.descentGrowth, in: 0...1),
        optional("prediction.burst_altitude", \.prediction.burstAltitude, in: 1000...60_000),
        flag("prediction.offline", \.prediction.isOffline),
        flag("prediction.borrow", \.prediction.borrows),
        flag("gpsd.enabled", \.gpsd.isEnabled),
        text("gpsd.host", \.gpsd.host, accepts: "a host name of ASCII letters, or an address", where: isHost).shown,
        integer("gpsd.port", \.gpsd.port, in: 1...65_535),
        flag("dashboard.enabled", \.dashboard.isEnabled),
        text("dashboard.address", \.dashboard.address, accepts: "an IP address; \"::\" is every interface") {
            DashboardOptions.isAddress($0)
        }.shown,
        integer("dashboard.port", \.dashboard.port, in: 1...65_535),
        optionalList("dashboard.hosts", \.dashboard.hosts, of: "host names").shown,
        flag("dashboard.commands", \.dashboard.allowsCommands),
        optional("dashboard.maps", \.dashboard.maps, accepts: "an absolute path") { $0.hasPrefix("/") },
        optional("dashboard.key_file", \.dashboard.keyFile, accepts: "an absolute path") { $0.hasPrefix("/") },
        optional(
            "dashboard.frame_from", \.dashboard.frameFrom,
            accepts: "an origin such as https://homeassistant.local:8123, or self",
            where: DashboardOptions.isFramer
        ).shown,
        optional(
            "dashboard.only_from", \.dashboard.onlyFrom, accepts: "the IP address of a proxy",
            where: DashboardOptions.isAddress
        ).shown,
        flag("board.commands", \.board.allowsCommands),
        flag("homeassistant.enabled", \.homeAssistant.isEnabled),
        text("homeassistant.discovery_prefix", \.homeAssistant.discoveryPrefix, accepts: "topic levels of a-z 0-9 _ -")
        {
            $0.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isTopicLevel(String($0)) }
        }.shown,
    ]

    var live: ConfigurationKey {
        var copy = self
        copy.isLive = true
        return copy
    }

    /// `bridge/info` may show the value: it is neither a personal name nor a path nor an address that may hold a key.
    var shown: ConfigurationKey {
        var copy = self
        copy.isPublic = true
        return copy
    }

    var address: ConfigurationKey {
        var copy = self
        copy.isAddress = true
        return copy
    }

    /// The value as messages show it.
    func displayed(_ value: String) -> String { isAddress ? Self.withoutKey(value) : value }

    /// Of an address its scheme, host and port: `https://tiles.example/…`. Another text as it is.
    static func withoutKey(_ address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return address }
        let rest = address[scheme.upperBound...]
        let host = rest.prefix { !"/?#".contains($0) }
        let place = host.split(separator: "@", omittingEmptySubsequences: false).last ?? host
        let isWhole = rest.dropFirst(host.count).allSatisfy { $0 == "/" }
        return "\(address[..<scheme.upperBound])\(place)\(isWhole ? "" : "/…")"
    }

    private static let levels: KeyValuePairs<String, Logger.Level> = [
        "debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error,
    ]
}

extension ConfigurationKey {
    typealias Path<Value> = WritableKeyPath<Configuration, Value> & Sendable

    static func isTopicLevel(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }
    }

    /// Whether the text can be a host name or an address, also with a port: nothing before or behind it, and only what
    /// a name server answers to. A name with other letters has a form `xn--…`.
    static func isHost(_ text: String) -> Bool {
        1...255 ~= text.utf8.count
            && text.utf8.allSatisfy {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]%".utf8.contains($0)
            }
    }

    /// Whether the text is one topic, without wildcards.
    static func isTopic(_ text: String) -> Bool {
        text.utf8.count <= 256 && !text.utf8.contains { $0 < 0x20 || "+#".utf8.contains($0) } && !text.hasPrefix("$")
    }

    static func text(
        _ path: String, _ property: any Path<String>, accepts accepted: String,
        where check: @escaping @Sendable (String) -> Bool
    ) -> ConfigurationKey {
        required(path, accepts: accepted, as: .text) { configuration, text in
            guard check(text) else { return false }
            configuration[keyPath: property] = text
            return true
        }
    }

    static func optional(
        _ path: String, _ property: any Path<String?>, accepts accepted: String,
        where check: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        parsed(path, property, absent: nil, accepts: accepted) { $0.isEmpty || !check($0) ? nil : .some($0) }
    }

    static func optional(
        _ path: String, _ property: any Path<Double?>, in range: ClosedRange<Double>
    ) -> ConfigurationKey {
        parsed(
            path, property, absent: nil, accepts: "a number from \(range.lowerBound) to \(range.upperBound)",
            as: .number
        ) { text in
            Double(text).flatMap { range.contains($0) ? .some($0) : nil }
        }.shown
    }

    /// - Parameter absent: the value for null.
    static func parsed<Value: Sendable>(
        _ path: String, _ property: any Path<Value>, absent: Value, accepts accepted: String,
        as type: ValueType = .text, parse: @escaping @Sendable (String) -> Value?
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, accepted: "\(accepted), or null", type: type, isOptional: true) {
            configuration, text in
            guard let value = text.map(parse) ?? absent else { return false }
            configuration[keyPath: property] = value
            return true
        }
    }

    /// One to eight texts: a list in the file; separated by commas in a flag or the environment.
    static func list(
        _ path: String, _ property: any Path<[String]>, of accepted: String
    ) -> ConfigurationKey {
        list(path, property, accepts: "a list of \(accepted), 1 to 8", longest: 32)
    }

    /// - Parameter longest: bytes of an item.
    private static func list(
        _ path: String, _ property: any Path<[String]>, accepts accepted: String, longest: Int,
        where check: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        required(path, accepts: accepted, as: .list) { configuration, text in
            let items = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
            guard items.count <= 8, items.allSatisfy({ !$0.isEmpty && $0.utf8.count <= longest && check($0) })
            else { return false }
            configuration[keyPath: property] = items
            return true
        }
    }

    /// Names of a closed set, each once at most, in an order that matters: a list in the file; separated by commas in a
    /// flag or the environment. An empty list means "none" if the key allows that.
    static func names<Value: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
        _ path: String, _ property: any Path<[Value]>, of kind: String? = nil, mayBeEmpty: Bool = false
    ) -> ConfigurationKey {
        let all = kind ?? Value.allCases.map(\.rawValue).joined(separator: ", ")
        return ConfigurationKey(
            path: path, accepted: "a list of \(all), each at most once", type: .list, isOptional: mayBeEmpty
        ) { configuration, text in
            guard let text, !text.isEmpty else {
                if mayBeEmpty { configuration[keyPath: property] = [] }
                return mayBeEmpty
            }
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
            let values = names.compactMap(Value.init)
            guard values.count == names.count, Set(values).count == values.count else { return false }
            configuration[keyPath: property] = values
            return true
        }
    }

    /// Like ``list(_:_:of:)``, but may be empty.
    private static func optionalList(
        _ path: String, _ property: any Path<[String]>, of accepted: String
    ) -> ConfigurationKey {
        let whole = list(path, property, of: accepted)
        return ConfigurationKey(path: path, accepted: "\(whole.accepted), or []", type: .list, isOptional: true) {
            configuration, text in
            if let text, !text.isEmpty { return whole.apply(&configuration, text) }
            configuration[keyPath: property] = []
            return true
        }
    }

    static func integer(
        _ path: String, _ property: any Path<Int>, in range: ClosedRange<Int>
    ) -> ConfigurationKey {
        ranged(path, property, kind: "a whole number", in: range, as: .wholeNumber)
    }

    static func number(
        _ path: String, _ property: any Path<Double>, in range: ClosedRange<Double>
    ) -> ConfigurationKey {
        ranged(path, property, kind: "a number", in: range, as: .number)
    }

    private static func ranged<Value: Comparable & LosslessStringConvertible & Sendable>(
        _ path: String, _ property: any Path<Value>, kind: String, in range: ClosedRange<Value>,
        as type: ValueType
    ) -> ConfigurationKey {
        required(path, accepts: "\(kind) from \(range.lowerBound) to \(range.upperBound)", as: type) {
            configuration, text in
            guard let value = Value(text), range.contains(value) else { return false }
            configuration[keyPath: property] = value
            return true
        }.shown
    }

    static func flag(_ path: String, _ property: any Path<Bool>) -> ConfigurationKey {
        choice(path, property, from: ["true": true, "false": false], as: .truth)
    }

    static func choice<Value: Sendable>(
        _ path: String, _ property: any Path<Value>, from values: KeyValuePairs<String, Value>,
        as type: ValueType = .text
    ) -> ConfigurationKey {
        let names = values.map(\.key)
        let table = Dictionary(values.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        return required(path, accepts: names.joined(separator: ", "), as: type) { configuration, text in
            guard let value = table[type == .truth ? text.lowercased() : text] else { return false }
            configuration[keyPath: property] = value
            return true
        }.shown
    }

    /// One of an enumeration's raw values.
    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ path: String, _ property: any Path<Value>
    ) -> ConfigurationKey {
        required(path, accepts: Value.allCases.map(\.rawValue).joined(separator: ", "), as: .text) {
            configuration, text in
            guard let value = Value(rawValue: text) else { return false }
            configuration[keyPath: property] = value
            return true
        }.shown
    }

    static func choice(_ path: String, _ property: any Path<String>, from names: [String]) -> ConfigurationKey {
        text(path, property, accepts: names.joined(separator: ", ")) { names.contains($0) }.shown
    }

    private static func required(
        _ path: String, accepts accepted: String, as type: ValueType,
        apply: @escaping @Sendable (inout Configuration, String) -> Bool
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, accepted: accepted, type: type, isOptional: false) { configuration, text in
            text.map { apply(&configuration, $0) } ?? false
        }
    }
}

extension Substring {
    var trimmed: String {
        let blank: Set<Character> = [" ", "\t"]
        return String(drop { blank.contains($0) }.reversed().drop { blank.contains($0) }.reversed())
    }
}
