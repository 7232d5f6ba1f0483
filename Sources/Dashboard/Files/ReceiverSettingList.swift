import ReceiverProtocol

/// Every setting of the receiver with what it accepts, for the page's form.
enum ReceiverSettingList {
    /// `[{"key":"rs41.rxbw","field":"rs41_rxbw","min":0,"max":19,"reboots":false,"dangerous":false}, …]`; `field` is where
    /// the topic `settings` shows it, `min` and `max` are missing for a text.
    static let json: [UInt8] = {
        let lines = ReceiverSetting.allCases.map { setting in
            let range = setting.range.map { ",\"min\":\($0.lowerBound),\"max\":\($0.upperBound)" } ?? ""
            let isDangerous = setting.isDangerous(.integer(setting.range?.lowerBound ?? 0))
            return "{\"key\":\"\(setting.rawValue)\",\"field\":\"\(setting.reportField)\"\(range),"
                + "\"reboots\":\(setting.reboots),\"dangerous\":\(isDangerous)}"
        }
        return Array("[\(lines.joined(separator: ",\n"))]".utf8)
    }()
}

extension ReceiverSetting {
    /// Its field in the topic `settings`.
    fileprivate var reportField: String {
        switch self {
        case .lcd: "lcd_type"
        case .lcdOn: "lcd_on"
        case .oledSDA: "oled_sda"
        case .oledSCL: "oled_scl"
        case .oledReset: "oled_rst"
        case .ledPin: "led_pin"
        case .buzzerPin: "buzzer_pin"
        case .callsign: "callsign"
        case .rs41Bandwidth: "rs41_rxbw"
        case .m20Bandwidth: "m20_rxbw"
        case .m10Bandwidth: "m10_rxbw"
        case .pilotBandwidth: "pilot_rxbw"
        case .dfmBandwidth: "dfm_rxbw"
        case .nameType: "name_type"
        case .frequencyOffset: "frequency_offset_hz"
        case .batteryPin: "battery_pin"
        case .batteryMinimum: "battery_min_mv"
        case .batteryMaximum: "battery_max_mv"
        case .batteryType: "battery_type"
        case .bluetooth: "ble_on"
        case .serialPort: "serial_port"
        case .serialBaud: "serial_baud"
        }
    }
}
