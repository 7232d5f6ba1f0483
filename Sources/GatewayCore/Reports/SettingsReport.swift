public import FlightMath
public import ReceiverProtocol

/// Channel 3: how the receiver is set up.
public struct SettingsReport: Equatable, Sendable {
    public var configuration: ReceiverConfiguration
    public var receivedAt: Moment
}

extension SettingsReport {
    var payload: [UInt8] {
        var json = JSONText()
        json.field("oled_sda", configuration.oledSDA)
        json.field("oled_scl", configuration.oledSCL)
        json.field("oled_rst", configuration.oledReset)
        json.field("led_pin", configuration.ledPin)
        json.bandwidth(of: "rs41", index: configuration.rs41Bandwidth)
        json.bandwidth(of: "m20", index: configuration.m20Bandwidth)
        json.bandwidth(of: "m10", index: configuration.m10Bandwidth)
        json.bandwidth(of: "pilot", index: configuration.pilotBandwidth)
        json.bandwidth(of: "dfm", index: configuration.dfmBandwidth)
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
}

extension JSONText {
    fileprivate mutating func bandwidth(of type: String, index: Int?) {
        field("\(type)_rxbw", index)
        field("\(type)_rxbw_khz", index.flatMap(ReceiverConfiguration.bandwidthKHz), decimals: 1)
    }
}
