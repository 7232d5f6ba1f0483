import GatewayReports

/// One entity of the device: a component of the discovery message.
struct HomeAssistantEntity {
    typealias Fields = [String: JSONValue]

    let key: String
    var fields: Fields

    /// The condition on which Home Assistant shows an entity as available.
    enum Availability {
        /// The gateway is online.
        case gateway
        /// The receiver or SondeHub hears the sonde.
        case sonde
        /// The receiver is connected.
        case receiver
        /// A sonde is followed, and does not fly.
        case ground
        /// The gateway is online and knows the value.
        case known(HomeAssistantKey)
        /// The last state message holds the value, even if the gateway is offline now.
        case kept(HomeAssistantKey)
    }

    /// The quantity that a sensor measures.
    enum Measure {
        case altitude, distance, speed, climb, heading, signal, afc, frequency, battery, voltage, duration

        /// Nil for a direction: the mean of 350° and 10° is not 180°.
        var stateClass: String? { self == .heading ? nil : "measurement" }

        /// How Home Assistant shows the quantity.
        struct Form {
            /// Home Assistant's device class; nil if it has none for this quantity.
            var deviceClass: String?
            var unit: String
            /// Digits after the decimal point.
            var precision: Int
            /// Converts the value to the unit. Home Assistant has no setting for a suggested unit of an MQTT sensor.
            var divisor = 1
            /// Nil if the device class has its own icons, which change with the value.
            var icon: String?
        }

        var form: Form {
            switch self {
            case .altitude: Form(deviceClass: "distance", unit: "m", precision: 0, icon: "mdi:altimeter")
            case .distance:
                Form(
                    deviceClass: "distance", unit: "km", precision: 1, divisor: 1000, icon: "mdi:map-marker-distance")
            case .speed: Form(deviceClass: "speed", unit: "m/s", precision: 1, icon: "mdi:speedometer")
            case .climb: Form(deviceClass: "speed", unit: "m/s", precision: 1, icon: "mdi:arrow-up-down")
            case .heading: Form(unit: "°", precision: 0, icon: "mdi:compass-outline")
            case .signal: Form(deviceClass: "signal_strength", unit: "dBm", precision: 0, icon: "mdi:signal")
            case .afc: Form(deviceClass: "frequency", unit: "Hz", precision: 0, icon: "mdi:sine-wave")
            case .frequency: Form(deviceClass: "frequency", unit: "MHz", precision: 3, icon: "mdi:radio-tower")
            case .battery: Form(deviceClass: "battery", unit: "%", precision: 0)
            case .voltage: Form(deviceClass: "voltage", unit: "V", precision: 2, icon: "mdi:flash")
            case .duration:
                // With the device class Home Assistant would show "129m", which reads as metres.
                Form(unit: "min", precision: 0, divisor: 60, icon: "mdi:timer-sand")
            }
        }
    }

    /// The same entity, listed under "Diagnostic" on the device's page.
    var asDiagnostic: HomeAssistantEntity {
        var copy = self
        copy.fields["entity_category"] = "diagnostic"
        return copy
    }
}
