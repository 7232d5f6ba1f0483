import ReceiverProtocol

// The payloads of the telemetry topics. Each has a JSON Schema in Fixtures/schemas.

extension PositionReport {
    /// - Parameter now: when it is published; the age is counted to here.
    func payload(at now: MonotonicTime) -> [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("name", name)
        json.field("sonde_type", sondeType.name)
        json.field("source", source.rawValue)
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("horizontal_speed_mps", horizontalSpeed, decimals: 2)
        json.field("vertical_speed_mps", verticalSpeed, decimals: 2)
        json.field("heading_deg", headingDegrees, decimals: 1)
        json.field("temperature_c", temperatureCelsius, decimals: 1)
        json.field("humidity_pct", humidityPercent, decimals: 1)
        json.field("pressure_hpa", pressureHectopascal, decimals: 2)
        json.field("burst_killer_at", burstKillerAt)
        json.field("time", time)
        json.field("received_at", receivedAt.wall)
        json.field("age_ms", ageWhenReceived + Int(now.milliseconds(since: receivedAt.monotonic)))
        json.field("clock_synced", receivedAt.isClockSynced)
        json.field("frame_type", frameKind.map { Int($0.rawValue) })
        return json.object
    }

    /// What a map needs and nothing else: Home Assistant's device tracker reads it as attributes.
    var trackerPayload: [UInt8] {
        var json = JSONText()
        json.field("latitude", coordinate.latitude, decimals: 6)
        json.field("longitude", coordinate.longitude, decimals: 6)
        // The frames carry no accuracy; a sonde's GPS is good to some ten metres.
        json.field("gps_accuracy", 10)
        json.field("altitude_m", altitudeMetres, decimals: 1)
        json.field("serial", serial?.canonical)
        return json.object
    }
}

extension RadioReport {
    var payload: [UInt8] {
        var json = JSONText()
        json.field("serial", serial?.canonical)
        json.field("name", frame.name)
        json.field("sonde_type", frame.sondeType.name)
        json.field("source", source.rawValue)
        json.field("frequency_mhz", frame.frequencyMHz, decimals: 3)
        json.field("rssi_dbm", frame.rssiDBm, decimals: 1)
        json.field("battery_pct", frame.batteryPercent)
        json.field("battery_v", frame.batteryMillivolts.map { Double($0) / 1000 }, decimals: 3)
        json.field("afc_hz", frame.afcHz)
        json.field("afc_mean_hz", afcMeanHz, decimals: 1)
        json.field("mute", frame.isMuted)
        json.field("burst_killer_enabled", frame.burstKiller?.isActive)
        json.field("burst_killer_s", frame.burstKiller?.secondsLeft)
        json.field("firmware", frame.firmware)
        json.field("time", time)
        json.field("received_at", receivedAt.wall)
        json.field("receiver_heard_at", heardAt?.wall)
        json.field("frame_type", source == .ble ? Int(frame.kind.rawValue) : nil)
        return json.object
    }
}

extension SettingsReport {
    var payload: [UInt8] {
        var json = JSONText()
        json.field("oled_sda", configuration.oledSDA)
        json.field("oled_scl", configuration.oledSCL)
        json.field("oled_rst", configuration.oledReset)
        json.field("led_pin", configuration.ledPin)
        bandwidth(&json, "rs41", configuration.rs41Bandwidth)
        bandwidth(&json, "m20", configuration.m20Bandwidth)
        bandwidth(&json, "m10", configuration.m10Bandwidth)
        bandwidth(&json, "pilot", configuration.pilotBandwidth)
        bandwidth(&json, "dfm", configuration.dfmBandwidth)
        json.field("callsign", configuration.callsign)
        json.field("frequency_offset_hz", configuration.frequencyOffsetHz)
        json.field("battery_pin", configuration.batteryPin)
        json.field("battery_min_mv", configuration.batteryMinimumMillivolts)
        json.field("battery_max_mv", configuration.batteryMaximumMillivolts)
        json.field("battery_type", configuration.batteryType)
        json.field("lcd_type", configuration.lcdType)
        json.field("name_type", configuration.nameType)
        json.field("buzzer_pin", configuration.buzzerPin)
        json.field("lcd_on", configuration.lcdOn)
        json.field("ble_on", configuration.bleOn)
        json.field("serial_port", configuration.serialPort)
        json.field("serial_baud", configuration.serialBaud)
        json.field("firmware", configuration.firmware)
        json.field("sonde_type", configuration.sondeType.name)
        json.field("frequency_mhz", configuration.frequencyMHz, decimals: 3)
        json.field("received_at", receivedAt.wall)
        return json.object
    }

    private func bandwidth(_ json: inout JSONText, _ type: String, _ index: Int?) {
        json.field("\(type)_rxbw", index)
        json.field("\(type)_rxbw_khz", index.map { ReceiverConfiguration.bandwidthsKHz[$0] }, decimals: 1)
    }
}
