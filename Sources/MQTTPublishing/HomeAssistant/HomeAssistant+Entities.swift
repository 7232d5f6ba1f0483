import FlightMath
import Gateway
import GatewayReports
import ReceiverProtocol

// The entities that every gateway has.

extension HomeAssistantDiscovery {
    var positionEntities: [HomeAssistantEntity] {
        [
            entity("position", platform: "device_tracker", needs: .sonde) {
                $0["json_attributes_topic"] = .string(topics.tracker)
                // Time and altitude have sensors of their own. On MQTT 3.1.1 an empty message clears the position.
                let fields = ["latitude", "longitude", "gps_accuracy", "serial"]
                let members = fields.map { "'\($0)': value_json.get('\($0)')" }.joined(separator: ", ")
                $0["json_attributes_template"] = .string(
                    "{{ {\(members)} | to_json if value_json is mapping else '{}' }}")
                $0["source_type"] = "gps"
                $0["icon"] = "mdi:airballoon"
            },
            sensor("altitude", showing: .altitude, as: .altitude, needs: .sonde),
            sensor("horizontal_speed", showing: .horizontalSpeed, as: .speed, needs: .sonde),
            sensor("vertical_speed", showing: .verticalSpeed, as: .climb, needs: .sonde),
            sensor("heading", showing: .heading, as: .heading, needs: .sonde),
        ]
    }

    var flightEntities: [HomeAssistantEntity] {
        [
            place(
                "last_known", showing: .lastKnown, icon: "mdi:map-marker-question",
                needs: .kept(.lastKnown)),
            time(
                "last_seen", showing: .lastSeen, icon: "mdi:clock-outline", needs: .kept(.lastSeen)),
            text("serial", showing: .serial, icon: "mdi:identifier"),
            text("status", showing: .status, icon: "mdi:message-text"),
            choice("state", showing: .state, of: TelemetryState.self, in: "state", icon: "mdi:state-machine")
                .asDiagnostic,
            choice("phase", showing: .phase, of: FlightPhase.self, in: "phase", icon: "mdi:parachute"),
            choice("source", showing: .source, of: TelemetrySource.self, in: "source", icon: "mdi:access-point-network")
                .asDiagnostic,
            time("next_launch", showing: .nextLaunch, icon: "mdi:rocket-launch"),
            sensor("burst_altitude", showing: .burstAltitude, as: .altitude),
            sensor("proposed_frequency", showing: .proposedFrequency, as: .frequency),
            chaseEvent,
        ]
    }

    private var chaseEvent: HomeAssistantEntity {
        entity("chase_event", platform: "event", needs: .gateway) {
            $0["state_topic"] = .string(topics.homeAssistantEvent)
            $0["event_types"] = .array(HomeAssistantEvents.names.map(JSONValue.string))
            $0["icon"] = "mdi:bullhorn"
        }
    }

    var receiverEntities: [HomeAssistantEntity] {
        [
            sensor("rssi", showing: .rssi, as: .signal, needs: .receiver),
            sensor("afc", showing: .afc, as: .afc, needs: .receiver).asDiagnostic,
            sensor("battery", showing: .battery, as: .battery, needs: .receiver)
                .asDiagnostic,
            sensor(
                "battery_voltage", showing: .batteryVoltage, as: .voltage,
                needs: .receiver
            )
            .asDiagnostic,
            entity("link", platform: "binary_sensor", needs: .gateway) {
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
        entity("hunt", platform: "select", needs: .gateway) {
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
        entity("report_recovered", platform: "button", needs: .ground) {
            $0["command_topic"] = .string(topics.command)
            $0["payload_press"] = "{\"recovery\":{\"state\":\"recovered\"}}"
            $0["icon"] = "mdi:hand-extended"
        }
    }

    /// - Parameter frequencies: the range that a command may tune to, MHz.
    func controls(_ frequencies: ClosedRange<Double>) -> [HomeAssistantEntity] {
        [
            entity("frequency", platform: "number", needs: .receiver) {
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
            entity("sonde_type", platform: "select", needs: .receiver) {
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
            entity("mute", platform: "switch", needs: .receiver) {
                read(.mute, &$0)
                $0["value_template"] = .string(
                    "{% set m = value_json.get('mute') if value_json is mapping else none %}"
                        + "{{ none if m is none else ('ON' if m else 'OFF') }}")
                $0["command_topic"] = .string(topics.muteSet)
                $0["icon"] = "mdi:volume-off"
            },
            entity("request_settings", platform: "button", needs: .receiver) {
                $0["command_topic"] = .string(topics.requestSettings)
                $0["icon"] = "mdi:cog-refresh"
            }
            .asDiagnostic,
            entity("accept_proposal", platform: "button", needs: .receiver) {
                $0["command_topic"] = .string(topics.command)
                $0["payload_press"] = "{\"accept_proposal\":true}"
                $0["icon"] = "mdi:radio-handheld"
            },
        ]
    }
}
