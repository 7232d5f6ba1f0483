import Gateway
import GatewayReports
import ReceiverProtocol

/// The one retained message that makes a device with all its entities appear in Home Assistant (device discovery,
/// checked against Home Assistant 2026.11).
///
/// The templates accept every message: an unknown value is null, and a message that is no JSON object is ignored.
struct HomeAssistantDiscovery: Equatable, Sendable {
    let options: HomeAssistantOptions
    let topics: Topics
    /// The range that a command may tune to, MHz. Home Assistant keeps showing the old value if a new one is outside.
    private var frequencies = 400.0...406.0
    /// The serials of the sondes around, sorted. A select offers them.
    private var sondes: [String] = []
    /// The receiver's firmware; nil until it is known.
    private var firmware: String?
    private(set) var language = Language.english

    init(options: HomeAssistantOptions, topics: Topics) {
        self.options = options
        self.topics = topics
    }

    /// - Returns: whether the discovery message must be published again.
    mutating func isChanged(by info: InfoAnnouncement) -> Bool {
        let old = self
        frequencies = info.info.frequencyRange
        language = info.info.language
        // If the receiver is away, keep its last known firmware.
        firmware = info.receiver.firmware ?? firmware
        return self != old
    }

    /// - Returns: whether the list of sondes has changed, so that the discovery message must be published again.
    mutating func isChanged(by report: SondesReport) -> Bool {
        let old = sondes
        // The templates hold the serials as they are.
        sondes = report.sondes.map(\.serial.canonical).filter { $0.utf8.allSatisfy(\.isOfTemplate) }.sorted()
        return sondes != old
    }

    // MARK: - Names

    private var gatewayID: String { String(topics.prefix.split(separator: "/").last ?? "gateway") }

    /// Base topic and id, joined by `X`. A level of our topics never contains `X`. So two gateways never share a
    /// discovery id, and no id equals one of an earlier version, which was the gateway's id alone.
    private var discoveryID: String { topics.prefix.replacing("/", with: "X") }

    var topic: String { "\(options.prefix)/device/\(discoveryID)/config" }
    /// The discovery topic of earlier versions.
    var oldTopic: String { "\(options.prefix)/device/\(gatewayID)/config" }

    /// The delay after a start of Home Assistant, which is busy then. Each gateway has its own, so that they don't all
    /// announce at once.
    var restartDelay: Duration { .seconds(2 + Int(discoveryID.utf8.reduce(0) { $0 &+ $1 } % 8)) }

    // MARK: - Messages

    var message: OutgoingMessage {
        var json = JSONText()
        json.field("dev") { device in
            device.field("ids", .array([.string("sondygo2mqtt/\(topics.prefix)")]))
            device.field("name", "\(language.phrasebook.deviceName) \(gatewayID)")
            device.field("mf", "sondygo2mqtt")
            device.field("mdl", "MySondyGo receiver, sondygo2mqtt \(options.version)")
            if let firmware { device.field("sw", firmware) }
            if let url = options.pageURL { device.field("cu", url) }
        }
        json.field("o") { origin in
            origin.field("name", "sondygo2mqtt")
            origin.field("sw", options.version)
        }
        json.field("cmps") { components in
            for entity in entities { components.field(entity.key, .object(entity.fields)) }
        }
        return OutgoingMessage(topic: topic, payload: json.object, isRetained: true)
    }

    /// Removes the device and its values.
    var removal: [OutgoingMessage] { [topic, topics.homeAssistantState].map(Self.cleared) }

    /// Removes the announcement of an earlier version. Otherwise Home Assistant would show the device twice.
    var oldRemoval: OutgoingMessage { Self.cleared(oldTopic) }

    /// Whether a discovery message is this gateway's. The old topic may hold another gateway's device; ours names our
    /// topics.
    func isOurs(_ message: IncomingMessage) -> Bool {
        !message.payload.isEmpty
            && String(decoding: message.payload, as: UTF8.self).contains("\"\(topics.bridgeState)\"")
    }

    /// The choice that ends the hunt of one sonde.
    var newest: String { language.phrasebook.newest }

    private static func cleared(_ topic: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: [], isRetained: true)
    }

    // MARK: - Entities

    private var entities: [HomeAssistantEntity] {
        positionEntities + flightEntities + receiverEntities + controls(frequencies) + [huntSelect(sondes)]
            + predictionEntities
            + carEntities + (options.reportsRecovery ? [recoveryButton] : [])
    }

    func entity(
        _ key: String, platform: String, needs availability: HomeAssistantEntity.Availability,
        _ more: (inout HomeAssistantEntity.Fields) -> Void
    ) -> HomeAssistantEntity {
        // An entity id must not contain a dash. Home Assistant numbers ids that already exist.
        let entityID = "\(platform).\(gatewayID.replacing("-", with: "_"))_\(key)"
        var fields: HomeAssistantEntity.Fields = [
            "p": .string(platform), "name": .string(language.phrasebook.name(ofEntity: key)),
            "default_entity_id": .string(entityID),
            "unique_id": .string("sondygo2mqtt/\(topics.prefix)/\(key)"), "availability_mode": "all",
            "availability": .array(self.availability(availability).map(JSONValue.object)),
        ]
        more(&fields)
        return HomeAssistantEntity(key: key, fields: fields)
    }

    private func availability(_ needs: HomeAssistantEntity.Availability) -> [HomeAssistantEntity.Fields] {
        let gateway: HomeAssistantEntity.Fields = ["topic": .string(topics.bridgeState)]
        return switch needs {
        case .gateway: [gateway]
        case .sonde: [gateway, Self.isThere("source", topics[.state])]
        case .receiver: [gateway, ["topic": .string(topics[.receiverState])]]
        case .ground: [gateway, Self.isOnTheGround(topics[.state])]
        case .known(let key): [gateway, Self.isThere(key.rawValue, topics.homeAssistantState)]
        case .kept(let key): [Self.isThere(key.rawValue, topics.homeAssistantState)]
        }
    }

    /// SondeHub keeps reports of recovery for ever, so a sonde in the air can't be reported.
    private static func isOnTheGround(_ topic: String) -> HomeAssistantEntity.Fields {
        let template =
            "{{ 'online' if value_json is mapping and value_json.get('serial') is not none "
            + "and value_json.get('phase') in ['landed', 'unknown'] else 'offline' }}"
        return ["topic": .string(topic), "value_template": .string(template)]
    }

    private static func isThere(_ field: String, _ topic: String) -> HomeAssistantEntity.Fields {
        let template =
            "{{ 'online' if value_json is mapping and value_json.get('\(field)') is not none else 'offline' }}"
        return ["topic": .string(topic), "value_template": .string(template)]
    }

    // MARK: - Kinds of entities

    func sensor(
        _ key: String, showing value: HomeAssistantKey, as measure: HomeAssistantEntity.Measure,
        needs availability: HomeAssistantEntity.Availability = .gateway
    ) -> HomeAssistantEntity {
        entity(key, platform: "sensor", needs: availability) {
            let form = measure.form
            read(value, &$0)
            if form.divisor != 1 { $0["value_template"] = .string(Self.converted(value, to: form)) }
            $0["state_class"] = measure.stateClass.map(JSONValue.string)
            $0["device_class"] = form.deviceClass.map(JSONValue.string)
            $0["unit_of_measurement"] = .string(form.unit)
            $0["suggested_display_precision"] = .integer(Int64(form.precision))
            $0["icon"] = form.icon.map(JSONValue.string)
        }
    }

    private static func converted(_ value: HomeAssistantKey, to form: HomeAssistantEntity.Measure.Form) -> String {
        let rounded = form.precision == 0 ? "round | int" : "round(\(form.precision))"
        return "{% set v = value_json.get('\(value.rawValue)') if value_json is mapping else none %}"
            + "{{ (v / \(form.divisor)) | \(rounded) if v is number else none }}"
    }

    func text(_ key: String, showing value: HomeAssistantKey, icon: String) -> HomeAssistantEntity {
        entity(key, platform: "sensor", needs: .gateway) {
            read(value, &$0)
            $0["icon"] = .string(icon)
        }
    }

    /// A value of a fixed set, in the words of the language. The messages hold the codes; the template translates them.
    /// - Parameter group: the words' group in the language's file.
    func choice<Code: CaseIterable & RawRepresentable<String>>(
        _ key: String, showing value: HomeAssistantKey, of codes: Code.Type, in group: String, icon: String
    ) -> HomeAssistantEntity {
        var entity = text(key, showing: value, icon: icon)
        let words = Code.allCases.map { ($0.rawValue, language.phrasebook.word(for: $0.rawValue, of: group)) }
        let map = words.map { "'\($0)': '\($1)'" }.joined(separator: ", ")
        entity.fields["value_template"] = .string(
            "{% set v = value_json.get('\(value.rawValue)') if value_json is mapping else none %}"
                + "{{ {\(map)}.get(v) }}")
        entity.fields["device_class"] = "enum"
        entity.fields["options"] = .array(words.map { .string($0.1) })
        return entity
    }

    func time(
        _ key: String, showing value: HomeAssistantKey, icon: String,
        needs availability: HomeAssistantEntity.Availability = .gateway
    ) -> HomeAssistantEntity {
        entity(key, platform: "sensor", needs: availability) {
            read(value, &$0)
            $0["device_class"] = "timestamp"
            $0["icon"] = .string(icon)
        }
    }

    /// A place on the map.
    func place(
        _ key: String, showing value: HomeAssistantKey, icon: String,
        needs availability: HomeAssistantEntity.Availability
    ) -> HomeAssistantEntity {
        entity(key, platform: "device_tracker", needs: availability) {
            let field = "value_json.get('\(value.rawValue)')"
            $0["json_attributes_topic"] = .string(topics.homeAssistantState)
            $0["json_attributes_template"] = .string(
                "{{ \(field) | to_json if value_json is mapping and \(field) is mapping else '{}' }}")
            $0["source_type"] = "gps"
            $0["icon"] = .string(icon)
        }
    }

    /// Lets an entity show one value of the state topic. Home Assistant shows null as unknown.
    func read(_ value: HomeAssistantKey, _ fields: inout HomeAssistantEntity.Fields) {
        fields["state_topic"] = .string(topics.homeAssistantState)
        fields["value_template"] = .string(
            "{{ value_json.get('\(value.rawValue)') if value_json is mapping else none }}")
    }
}

extension UInt8 {
    /// The byte stands for itself in a template's string.
    fileprivate var isOfTemplate: Bool { self != UInt8(ascii: "\\") && self != UInt8(ascii: "'") }
}

extension HomeAssistantOptions {
    /// The gateway's subscriptions: Home Assistant's start, and the announcements that must be removed. It removes only
    /// what exists, because Home Assistant logs a warning for an empty message about an unknown device.
    public func subscriptions(of topics: Topics) -> [String] {
        let discovery = HomeAssistantDiscovery(options: self, topics: topics)
        return [isEnabled ? statusTopic : discovery.topic, discovery.oldTopic]
    }
}
