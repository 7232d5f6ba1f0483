/// The values that Home Assistant's entities read, each with its name in `<p>/homeassistant/state`.
enum HomeAssistantKey: String, CaseIterable {
    // Published at once: people wait for them, and they seldom change.
    case state, phase, source, link
    // The values of controls. The choice of the hunted sonde shows the serial.
    case serial
    case frequency = "frequency_mhz"
    case sondeType = "sonde_type"
    case mute
    // Published at once, too.
    case proposedFrequency = "proposed_frequency_mhz"
    case burstAltitude = "burst_altitude_m"
    case nextLaunch = "next_launch"
    // A sentence, published seldom.
    case status
    // Measured with every frame: published together.
    case altitude = "altitude_m"
    case horizontalSpeed = "horizontal_speed_mps"
    case verticalSpeed = "vertical_speed_mps"
    case heading = "heading_deg"
    case rssi = "rssi_dbm"
    case afc = "afc_hz"
    case battery = "battery_pct"
    case batteryVoltage = "battery_v"
    case lastSeen = "last_seen"
    case lastKnown = "last_known"
    // Only with the prediction.
    case predictionMethod = "prediction_method"
    case landing
    case landingAt = "landing_at"
    case landingIn = "landing_in_s"
    case landingRadius = "landing_radius_m"
    // Only with the car.
    case car
    case distanceToSonde = "distance_sonde_m"
    case distanceToLanding = "distance_landing_m"
    case arrivalAt = "arrival_at"
    case margin = "margin_s"

    enum Pace {
        /// Published at each change: a user has just operated the control.
        case control
        /// Published at a change, then not again for ``HomeAssistantValues/spacing``.
        case atOnce
        /// Published with all others of this pace, every ``HomeAssistantValues/measuringInterval``.
        case measured
        /// Published at a change of the phase, else every ``HomeAssistantValues/telling``.
        case told
    }

    var pace: Pace {
        switch self {
        case .serial, .frequency, .sondeType, .mute: .control
        case .state, .phase, .source, .link, .proposedFrequency, .burstAltitude, .predictionMethod, .nextLaunch:
            .atOnce
        case .status: .told
        case .altitude, .horizontalSpeed, .verticalSpeed, .heading, .rssi, .afc, .battery, .batteryVoltage, .lastSeen,
            .lastKnown, .landing, .landingAt, .landingIn, .landingRadius, .car, .distanceToSonde, .distanceToLanding,
            .arrivalAt, .margin:
            .measured
        }
    }

    func isAnnounced(with options: HomeAssistantOptions) -> Bool {
        switch self {
        case .predictionMethod, .landing, .landingAt, .landingIn, .landingRadius: options.hasPrediction
        case .car, .distanceToSonde, .distanceToLanding, .arrivalAt, .margin: options.hasCar
        case .serial, .state, .phase, .source, .link, .frequency, .sondeType, .mute, .proposedFrequency,
            .burstAltitude, .altitude, .horizontalSpeed, .verticalSpeed, .heading, .rssi, .afc, .battery,
            .batteryVoltage, .lastSeen, .lastKnown, .nextLaunch, .status:
            true
        }
    }
}
