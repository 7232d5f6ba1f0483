import Gateway
import GatewayReports
import ReceiverProtocol

// The entities that every gateway has.

extension HomeAssistantDiscovery {
    var positionEntities: [HomeAssistantEntity] {
        [
            entity("position", named: "Position", platform: "device_tracker", needs: .sonde) {
                $0["json_attributes_topic"] = .string(topics.tracker)
                // Time and altitude have sensors of their own. On MQTT 3.1.1 an empty message clears the position.
                let fields = ["latitude", "longitude", "gps_accuracy", "serial"]
                let members = fields.map { "'\($0)': value_json.get('\($0)')" }.joined(separator: ", ")
                $0["json_attributes_template"] = .string(
                    "{{ {\(members)} | to_json if value_json is mapping else '{}' }}")
                $0["source_type"] = "gps"
                $0["icon"] = "mdi:airballoon"
            },
            sensor("altitude", named: "Altitude", showing: .altitude, as: .altitude, needs: .sonde),
            sensor("horizontal_speed", named: "Horizontal speed", showing: .horizontalSpeed, as: .speed, needs: .sonde),
            sensor("vertical_speed", named: "Vertical speed", showing: .verticalSpeed, as: .climb, needs: .sonde),
            sensor("heading", named: "Heading", showing: .heading, as: .heading, needs: .sonde),
        ]
    }

    var flightEntities: [HomeAssistantEntity] {
        [
            place(
                "last_known", named: "Last known position", showing: .lastKnown, icon: "mdi:map-marker-question",
                needs: .kept(.lastKnown)),
            time(
                "last_seen", named: "Last seen", showing: .lastSeen, icon: "mdi:clock-outline", needs: .kept(.lastSeen)),
            text("serial", named: "Serial", showing: .serial, icon: "mdi:identifier"),
            text("status", named: "Status", showing: .status, icon: "mdi:message-text"),
            choice("state", named: "State", showing: .state, in: \.state, icon: "mdi:state-machine").asDiagnostic,
            choice("phase", named: "Phase", showing: .phase, in: \.phase, icon: "mdi:parachute"),
            choice("source", named: "Source", showing: .source, in: \.source, icon: "mdi:access-point-network")
                .asDiagnostic,
            time("next_launch", named: "Next launch", showing: .nextLaunch, icon: "mdi:rocket-launch"),
            sensor("burst_altitude", named: "Burst altitude", showing: .burstAltitude, as: .altitude),
            sensor("proposed_frequency", named: "Proposed frequency", showing: .proposedFrequency, as: .frequency),
            chaseEvent,
        ]
    }

    private var chaseEvent: HomeAssistantEntity {
        entity("chase_event", named: "Chase event", platform: "event", needs: .gateway) {
            $0["state_topic"] = .string(topics.homeAssistantEvent)
            $0["event_types"] = .array(HomeAssistantEvents.names.map(JSONValue.string))
            $0["icon"] = "mdi:bullhorn"
        }
    }

    var receiverEntities: [HomeAssistantEntity] {
        [
            sensor("rssi", named: "Sonde signal", showing: .rssi, as: .signal, needs: .receiver),
            sensor("afc", named: "AFC", showing: .afc, as: .afc, needs: .receiver).asDiagnostic,
            sensor("battery", named: "Receiver battery", showing: .battery, as: .battery, needs: .receiver)
                .asDiagnostic,
            sensor(
                "battery_voltage", named: "Receiver battery voltage", showing: .batteryVoltage, as: .voltage,
                needs: .receiver
            )
            .asDiagnostic,
            entity("link", named: "Receiver link", platform: "binary_sensor", needs: .gateway) {
                let field = "value_json.get('link')"
                $0["state_topic"] = .string(topics.homeAssistantState)
                $0["value_template"] = .string(
                    "{{ 'ON' if value_json is mapping and \(field) else 'OFF' }}")
                $0["device_class"] = "connectivity"
            }
            .asDiagnostic,
        ]
    }

    /// Chooses the hunted sonde.
    /// - Parameter serials: the sondes around.
    func huntSelect(_ serials: [String]) -> HomeAssistantEntity {
        entity("hunt", named: "Hunted sonde", platform: "select", needs: .gateway) {
            let list = serials.map { "'\($0)'" }.joined(separator: ", ")
            read(.serial, &$0)
            // Home Assistant logs an error for a serial that is not in the list.
            $0["value_template"] = .string(
                "{% set s = value_json.get('serial') if value_json is mapping else none %}"
                    + "{{ s if s in [\(list)] else none }}")
            $0["command_topic"] = .string(topics.command)
            $0["command_template"] = .string(
                "{{ {'hunt': none if value == '\(newest)' else value} | to_json }}")
            $0["options"] = .array(([newest] + serials).map(JSONValue.string))
            $0["icon"] = "mdi:target"
        }
    }

    /// Reports on SondeHub that the hunted sonde is recovered.
    var recoveryButton: HomeAssistantEntity {
        entity("report_recovered", named: "Report as recovered", platform: "button", needs: .ground) {
            $0["command_topic"] = .string(topics.command)
            $0["payload_press"] = "{\"recovery\":{\"state\":\"recovered\"}}"
            $0["icon"] = "mdi:hand-extended"
        }
    }

    /// - Parameter frequencies: the range that a command may tune to, MHz.
    func controls(_ frequencies: ClosedRange<Double>) -> [HomeAssistantEntity] {
        [
            entity("frequency", named: "Frequency", platform: "number", needs: .receiver) {
                let (low, high) = (frequencies.lowerBound, frequencies.upperBound)
                read(.frequency, &$0)
                // Home Assistant logs an error for each message with a number outside its range.
                $0["value_template"] = .string(
                    "{% set f = value_json.get('frequency_mhz') if value_json is mapping else none %}"
                        + "{{ f if f is number and f >= \(low) and f <= \(high) else none }}")
                $0["command_topic"] = .string(topics.frequencySet)
                $0["min"] = .number(low)
                $0["max"] = .number(high)
                $0["step"] = .number(0.001)
                $0["mode"] = "box"
                $0["icon"] = "mdi:radio-tower"
                $0["device_class"] = "frequency"
                $0["unit_of_measurement"] = "MHz"
            },
            entity("sonde_type", named: "Sonde type", platform: "select", needs: .receiver) {
                let types = HomeAssistantSources.sondeTypes
                let list = types.map { "'\($0)'" }.joined(separator: ", ")
                read(.sondeType, &$0)
                // Home Assistant also logs an error for a type that is not in the list.
                $0["value_template"] = .string(
                    "{% set t = value_json.get('sonde_type') if value_json is mapping else none %}"
                        + "{{ t if t in [\(list)] else none }}")
                $0["command_topic"] = .string(topics.sondeTypeSet)
                $0["options"] = .array(types.map(JSONValue.string))
                $0["icon"] = "mdi:format-list-bulleted-type"
            },
            entity("mute", named: "Mute", platform: "switch", needs: .receiver) {
                read(.mute, &$0)
                $0["value_template"] = .string(
                    "{% set m = value_json.get('mute') if value_json is mapping else none %}"
                        + "{{ none if m is none else ('ON' if m else 'OFF') }}")
                $0["command_topic"] = .string(topics.muteSet)
                $0["icon"] = "mdi:volume-off"
            },
            entity("request_settings", named: "Read settings", platform: "button", needs: .receiver) {
                $0["command_topic"] = .string(topics.requestSettings)
                $0["icon"] = "mdi:cog-refresh"
            }
            .asDiagnostic,
            entity("accept_proposal", named: "Accept proposed frequency", platform: "button", needs: .receiver) {
                $0["command_topic"] = .string(topics.command)
                $0["payload_press"] = "{\"accept_proposal\":true}"
                $0["icon"] = "mdi:radio-handheld"
            },
        ]
    }
}
