extension ReceiverSetting {
    /// All settings, in the order of a type 3.
    public static let all: [ReceiverSetting] = [
        pin("oled_sda", field: "oled_sda", meaning: "GPIO of the display's SDA", delivered: 21),
        pin("oled_scl", field: "oled_scl", meaning: "GPIO of the display's SCL", delivered: 22),
        pin("oled_rst", field: "oled_rst", meaning: "GPIO of the display's reset", delivered: 16),
        pin("led_pout", field: "led_pin", meaning: "GPIO of the LED, 0 is off", delivered: 25),
        bandwidth("rs41.rxbw", field: "rs41_rxbw", meaning: "RS41 bandwidth", delivered: 1),
        bandwidth("m20.rxbw", field: "m20_rxbw", meaning: "M20 bandwidth", delivered: 7),
        bandwidth("m10.rxbw", field: "m10_rxbw", meaning: "M10 bandwidth", delivered: 7),
        bandwidth("pilot.rxbw", field: "pilot_rxbw", meaning: "PILOT bandwidth", delivered: 7),
        bandwidth("dfm.rxbw", field: "dfm_rxbw", meaning: "DFM bandwidth", delivered: 6),
        callsign,
        frequencyOffset,
        pin("battery", field: "battery_pin", meaning: "GPIO of the battery's voltage, 0 is none", delivered: 35),
        batteryMinimum,
        batteryMaximum,
        ReceiverSetting(
            "vBatType", field: "battery_type", meaning: "battery curve: linear, sigmoidal, asigmoidal", range: 0...2,
            delivered: .integer(1)),
        ReceiverSetting(
            "lcd", field: "lcd_type", meaning: "display: SSD1306_128X64, SH1106_128X64", range: 0...1, restarts: true,
            delivered: .integer(0)),
        nameType,
        pin("buz_pin", field: "buzzer_pin", meaning: "GPIO of the buzzer, 0 is none", delivered: 0),
        ReceiverSetting(
            "lcdOn", field: "lcd_on", meaning: "display on", form: .flag, range: 0...1, restarts: true,
            isUSBOnly: true, delivered: .integer(1)),
        ReceiverSetting(
            "blu", field: "ble_on", meaning: "Bluetooth on", form: .flag, range: 0...1, restarts: true,
            danger: .value(0), isUSBOnly: true, delivered: .integer(1)),
        ReceiverSetting(
            "com", field: "serial_port", meaning: "serial port", range: 0...1, restarts: true, danger: .always,
            isUSBOnly: true, delivered: .integer(0)),
        ReceiverSetting(
            "baud", field: "serial_baud", meaning: "serial speed", range: 0...5, restarts: true, danger: .always,
            isUSBOnly: true, delivered: .integer(1)),
    ]

    /// The settings in both forms of a type 3.
    public static let always = all.filter { !$0.isUSBOnly }
    /// The settings that only the USB form has, behind the version.
    public static let usbOnly = all.filter(\.isUSBOnly)

    // MARK: - Settings that rules name

    public static let callsign = ReceiverSetting(
        "myCall", field: "callsign", meaning: "your callsign", form: .callsign, range: nil, delivered: .text("MYCALL"))
    public static let frequencyOffset = ReceiverSetting(
        "freqofs", field: "frequency_offset_hz", meaning: "frequency offset, Hz", range: -10_000...10_000,
        plausible: -100_000...100_000, delivered: .integer(0))
    public static let batteryMinimum = ReceiverSetting(
        "vBatMin", field: "battery_min_mv", meaning: "empty battery, mV", range: 2000...4500, plausible: 0...10_000,
        delivered: .integer(2950))
    /// Must be above ``batteryMinimum``.
    public static let batteryMaximum = ReceiverSetting(
        "vBatMax", field: "battery_max_mv", meaning: "full battery, mV, above vBatMin", range: 3000...5000,
        plausible: 0...10_000, delivered: .integer(4180))
    /// With 1 the receiver prints APRS names instead of serials.
    public static let nameType = ReceiverSetting(
        "aprsName", field: "name_type", meaning: "names: serial, APRS name", range: 0...1, delivered: .integer(0))

    // MARK: - Kinds of rows

    /// A setting whose value is a GPIO number.
    private static func pin(_ key: String, field: String, meaning: String, delivered: Int) -> ReceiverSetting {
        ReceiverSetting(
            key, field: field, meaning: meaning, range: 0...39, restarts: true, danger: .always,
            delivered: .integer(delivered))
    }

    private static func bandwidth(_ key: String, field: String, meaning: String, delivered: Int) -> ReceiverSetting {
        ReceiverSetting(
            key, field: field, meaning: meaning, form: .bandwidth, range: 0...(bandwidthsKHz.count - 1),
            delivered: .integer(delivered))
    }
}
