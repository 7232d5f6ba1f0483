import GatewayReports

/// One entity of the device: a component of the discovery message.
struct HomeAssistantEntity {
    typealias Fields = [String: JSONValue]

    let key: String
    var fields: Fields

    /// What an entity needs to be of use.
    enum Availability {
        /// Its values come from either source.
        case gateway
        /// Somebody has the sonde.
        case sonde
        /// It needs the receiver.
        case receiver
        /// There is such a place.
        case known(HomeAssistantKey)
    }

    /// What a sensor measures.
    enum Measure {
        case altitude, distance, speed, heading, signal, afc, frequency, battery, voltage, duration

        /// Home Assistant's class, nil where it has none, and the unit.
        var deviceClass: String? {
            switch self {
            case .altitude, .distance: "distance"
            case .speed: "speed"
            case .heading: nil
            case .signal: "signal_strength"
            case .afc, .frequency: "frequency"
            case .battery: "battery"
            case .voltage: "voltage"
            case .duration: "duration"
            }
        }

        var unit: String {
            switch self {
            case .altitude, .distance: "m"
            case .speed: "m/s"
            case .heading: "°"
            case .signal: "dBm"
            case .afc: "Hz"
            case .frequency: "MHz"
            case .battery: "%"
            case .voltage: "V"
            case .duration: "s"
            }
        }
    }

    /// Beside the main ones on the device page.
    var asDiagnostic: HomeAssistantEntity {
        var copy = self
        copy.fields["entity_category"] = "diagnostic"
        return copy
    }
}
