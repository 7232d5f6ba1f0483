import ReceiverProtocol

extension ReceiverConfiguration {
    /// The settings of a board as delivered (TTGO LoRa32 with an SSD1306 display).
    static func factory(sondeType: SondeType, frequencyKHz: Int, firmware: String) -> ReceiverConfiguration {
        ReceiverConfiguration(
            sondeType: sondeType, frequencyMHz: Double(frequencyKHz) / 1000, oledSDA: 21, oledSCL: 22, oledReset: 16,
            ledPin: 25, rs41Bandwidth: 1, m20Bandwidth: 7, m10Bandwidth: 7, pilotBandwidth: 7, dfmBandwidth: 6,
            callsign: "MYCALL", frequencyOffsetHz: 0, batteryPin: 35, batteryMinimumMillivolts: 2950,
            batteryMaximumMillivolts: 4180, batteryType: 1, lcdType: 0, nameType: 0, buzzerPin: 0, firmware: firmware,
            lcdOn: true, bleOn: true, serialPort: 0, serialBaud: 1)
    }

    /// The type-3 frame of these settings.
    func text(isUSB: Bool) -> String {
        let numbers = { (values: [Int?]) in values.map { String($0 ?? 0) }.joined(separator: "/") }
        let left = numbers([
            oledSDA, oledSCL, oledReset, ledPin, rs41Bandwidth, m20Bandwidth, m10Bandwidth, pilotBandwidth,
            dfmBandwidth,
        ])
        let right = numbers([
            frequencyOffsetHz, batteryPin, batteryMinimumMillivolts, batteryMaximumMillivolts, batteryType, lcdType,
            nameType, buzzerPin,
        ])
        let usb = isUSB ? "/\(numbers([lcdOn == true ? 1 : 0, bleOn == true ? 1 : 0, serialPort, serialBaud]))" : ""
        return
            "3/\(sondeType.name)/\(fixed(frequencyMHz ?? 0, 3))/\(left)/\(callsign)/\(right)/\(firmware ?? "")\(usb)/o"
    }

    mutating func set(_ setting: ReceiverSetting, to value: ReceiverSettingValue) {
        guard case .integer(let number) = value else {
            callsign = value.description
            return
        }
        switch setting {
        case .lcd: lcdType = number
        case .lcdOn: lcdOn = number == 1
        case .oledSDA: oledSDA = number
        case .oledSCL: oledSCL = number
        case .oledReset: oledReset = number
        case .ledPin: ledPin = number
        case .buzzerPin: buzzerPin = number
        case .callsign: break  // A text, handled above.
        case .rs41Bandwidth: rs41Bandwidth = number
        case .m20Bandwidth: m20Bandwidth = number
        case .m10Bandwidth: m10Bandwidth = number
        case .pilotBandwidth: pilotBandwidth = number
        case .dfmBandwidth: dfmBandwidth = number
        case .nameType: nameType = number
        case .frequencyOffset: frequencyOffsetHz = number
        case .batteryPin: batteryPin = number
        case .batteryMinimum: batteryMinimumMillivolts = number
        case .batteryMaximum: batteryMaximumMillivolts = number
        case .batteryType: batteryType = number
        case .bluetooth: bleOn = number == 1
        case .serialPort: serialPort = number
        case .serialBaud: serialBaud = number
        }
    }
}
