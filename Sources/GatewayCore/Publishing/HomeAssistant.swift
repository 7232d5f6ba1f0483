/// Whether and how the gateway introduces itself to Home Assistant.
public struct HomeAssistantOptions: Equatable, Sendable {
    public var isEnabled: Bool
    /// Home Assistant's discovery prefix.
    public var prefix: String
    /// The gateway's own, for the device page.
    public var version: String

    public init(isEnabled: Bool, prefix: String, version: String) {
        self.isEnabled = isEnabled
        self.prefix = prefix
        self.version = version
    }

    /// Home Assistant says `online` there when it has started.
    public var statusTopic: String { prefix + "/status" }
}

/// The one retained message that makes a device with all its entities appear in Home Assistant (device discovery,
/// checked against Home Assistant 2026.11).
struct HomeAssistantDiscovery: Equatable, Sendable {
    let options: HomeAssistantOptions
    let topics: Topics
    /// What a tune command may ask for, MHz. Home Assistant keeps an old value on show when a new one is outside.
    private var frequencies = 400.0...406.0

    init(options: HomeAssistantOptions, topics: Topics) {
        self.options = options
        self.topics = topics
    }

    /// - Returns: whether the message has to be published anew.
    mutating func isChanged(by range: ClosedRange<Double>) -> Bool {
        guard range != frequencies else { return false }
        frequencies = range
        return true
    }

    /// What the gateway's birth and death say about an entity.
    private enum Availability {
        /// The entity's values come from either source.
        case gateway
        /// It needs the receiver.
        case receiver
    }

    private var identifier: String { String(topics.prefix.split(separator: "/").last ?? "gateway") }
    /// Entity ids know no dashes.
    private var entityPrefix: String { identifier.replacing("-", with: "_") }

    var topic: String { "\(options.prefix)/device/\(identifier)/config" }

    /// To wait when Home Assistant has just started: it is busy, and not every gateway should come at once.
    var restartDelay: Duration { .seconds(2 + Int(identifier.utf8.reduce(0) { $0 &+ $1 } % 8)) }

    var message: OutgoingMessage {
        guard options.isEnabled else {
            // Removes what an earlier run has left.
            return OutgoingMessage(topic: topic, payload: [], isRetained: true)
        }
        var json = JSONText()
        json.field("dev") { device in
            device.field("ids", .array([.string("sondygo2mqtt_\(topics.prefix.replacing("/", with: "_"))")]))
            device.field("name", "Sonde \(identifier)")
            device.field("mf", "sondygo2mqtt")
            device.field("mdl", "MySondyGo to MQTT gateway")
            device.field("sw", options.version)
        }
        json.field("o") { origin in
            origin.field("name", "sondygo2mqtt")
            origin.field("sw", options.version)
        }
        json.field("cmps") { components in
            for (key, fields) in positionEntities + receiverEntities + controls {
                components.field(key, .object(fields))
            }
        }
        return OutgoingMessage(topic: topic, payload: json.object, isRetained: true)
    }

    // MARK: - Entities

    private typealias Fields = [String: JSONValue]

    private var positionEntities: [(String, Fields)] {
        [
            entity("position", "device_tracker", "Position", .gateway) {
                $0["json_attributes_topic"] = .string(topics.tracker)
                $0["source_type"] = "gps"
                $0["icon"] = "mdi:airballoon"
            },
            sensor("altitude", "Altitude", topics[.position], "altitude_m", .gateway, "distance", "m"),
            sensor(
                "horizontal_speed", "Horizontal speed", topics[.position], "horizontal_speed_mps", .gateway, "speed",
                "m/s"),
            sensor("vertical_speed", "Vertical speed", topics[.position], "vertical_speed_mps", .gateway, "speed", "m/s"),
            sensor("heading", "Heading", topics[.position], "heading_deg", .gateway, nil, "°"),
            text("serial", "Serial", topics[.state], "serial"),
            text("state", "State", topics[.state], "state"),
            text("phase", "Phase", topics[.state], "phase"),
            text("source", "Source", topics[.state], "source"),
        ]
    }

    private var receiverEntities: [(String, Fields)] {
        [
            sensor("rssi", "Sonde signal", topics[.radio], "rssi_dbm", .receiver, "signal_strength", "dBm"),
            sensor("afc", "AFC", topics[.radio], "afc_hz", .receiver, "frequency", "Hz"),
            diagnostic(
                sensor("battery", "Receiver battery", topics[.radio], "battery_pct", .receiver, "battery", "%")),
            diagnostic(
                sensor(
                    "battery_voltage", "Receiver battery voltage", topics[.radio], "battery_v", .receiver, "voltage", "V")
            ),
            diagnostic(
                entity("link", "binary_sensor", "Receiver link", .gateway) {
                    $0["state_topic"] = .string(topics[.receiverState])
                    $0["payload_on"] = "online"
                    $0["payload_off"] = "offline"
                    $0["device_class"] = "connectivity"
                }),
        ]
    }

    private var controls: [(String, Fields)] {
        let types = ["RS41", "M20", "M10", "PILOT", "DFM", "RD41"]
        let list = types.map { "'\($0)'" }.joined(separator: ", ")
        return [
            entity("frequency", "number", "Frequency", .receiver) {
                $0["state_topic"] = .string(topics[.radio])
                $0["value_template"] = "{{ value_json.frequency_mhz }}"
                $0["command_topic"] = .string(topics.frequencySet)
                $0["min"] = .number(frequencies.lowerBound)
                $0["max"] = .number(frequencies.upperBound)
                $0["step"] = .number(0.001)
                $0["mode"] = "box"
                $0["device_class"] = "frequency"
                $0["unit_of_measurement"] = "MHz"
            },
            entity("sonde_type", "select", "Sonde type", .receiver) {
                $0["state_topic"] = .string(topics[.radio])
                // A type that can't be chosen would be an error on every frame.
                $0["value_template"] =
                    .string("{{ value_json.sonde_type if value_json.sonde_type in [\(list)] else None }}")
                $0["command_topic"] = .string(topics.sondeTypeSet)
                $0["options"] = .array(types.map(JSONValue.string))
            },
            entity("mute", "switch", "Mute", .receiver) {
                $0["state_topic"] = .string(topics[.radio])
                $0["value_template"] =
                    "{{ None if value_json.mute is none else ('ON' if value_json.mute else 'OFF') }}"
                $0["command_topic"] = .string(topics.muteSet)
            },
            entity("request_settings", "button", "Read settings", .receiver) {
                $0["command_topic"] = .string(topics.requestSettings)
            },
            entity("accept_proposal", "button", "Accept proposed frequency", .receiver) {
                $0["command_topic"] = .string(topics.command)
                $0["payload_press"] = "{\"accept_proposal\":true}"
            },
        ]
    }

    private func entity(
        _ key: String, _ platform: String, _ name: String, _ availability: Availability,
        _ more: (inout Fields) -> Void
    ) -> (String, Fields) {
        var fields: Fields = [
            "p": .string(platform), "name": .string(name), "unique_id": .string("sondygo2mqtt_\(entityPrefix)_\(key)"),
            "default_entity_id": .string("\(platform).\(entityPrefix)_\(key)"),
        ]
        let topic = { (topic: String) in JSONValue.object(["topic": .string(topic)]) }
        switch availability {
        case .gateway: fields["availability"] = .array([topic(topics.bridgeState)])
        case .receiver:
            fields["availability"] = .array([topic(topics.bridgeState), topic(topics[.receiverState])])
            fields["availability_mode"] = "all"
        }
        more(&fields)
        return (key, fields)
    }

    /// A measurement of one of the channels. It expires with its message on the broker: a retained value would begin its
    /// time anew when Home Assistant restarts.
    private func sensor(
        _ key: String, _ name: String, _ topic: String, _ field: String, _ availability: Availability,
        _ deviceClass: String?, _ unit: String
    ) -> (String, Fields) {
        entity(key, "sensor", name, availability) {
            $0["state_topic"] = .string(topic)
            $0["value_template"] = .string("{{ value_json.\(field) }}")
            $0["state_class"] = "measurement"
            $0["device_class"] = deviceClass.map(JSONValue.string)
            $0["unit_of_measurement"] = .string(unit)
            $0["expire_after"] = .integer(MQTTFeed.expiry.components.seconds)
        }
    }

    private func text(_ key: String, _ name: String, _ topic: String, _ field: String) -> (String, Fields) {
        entity(key, "sensor", name, .gateway) {
            $0["state_topic"] = .string(topic)
            $0["value_template"] = .string("{{ value_json.\(field) }}")
        }
    }

    private func diagnostic(_ entity: (String, Fields)) -> (String, Fields) {
        var (key, fields) = entity
        fields["entity_category"] = "diagnostic"
        return (key, fields)
    }
}
