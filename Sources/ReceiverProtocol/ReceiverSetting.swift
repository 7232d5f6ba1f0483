/// A key of the receiver's settings command `o{key=value}o`, with what it accepts.
public enum ReceiverSetting: String, CaseIterable, Sendable {
    case lcd, lcdOn
    case oledSDA = "oled_sda"
    case oledSCL = "oled_scl"
    case oledReset = "oled_rst"
    case ledPin = "led_pout"
    case buzzerPin = "buz_pin"
    case callsign = "myCall"
    case rs41Bandwidth = "rs41.rxbw"
    case m20Bandwidth = "m20.rxbw"
    case m10Bandwidth = "m10.rxbw"
    case pilotBandwidth = "pilot.rxbw"
    case dfmBandwidth = "dfm.rxbw"
    case nameType = "aprsName"
    case frequencyOffset = "freqofs"
    case batteryPin = "battery"
    case batteryMinimum = "vBatMin"
    case batteryMaximum = "vBatMax"
    case batteryType = "vBatType"
    case bluetooth = "blu"
    case serialPort = "com"
    case serialBaud = "baud"

    /// Whole numbers that the receiver takes; nil for the callsign, which is a text.
    public var range: ClosedRange<Int>? {
        switch self {
        case .lcd, .lcdOn, .nameType, .bluetooth, .serialPort: 0...1
        case .oledSDA, .oledSCL, .oledReset, .ledPin, .buzzerPin, .batteryPin: 0...39
        case .rs41Bandwidth, .m20Bandwidth, .m10Bandwidth, .pilotBandwidth, .dfmBandwidth: 0...19
        case .frequencyOffset: -10_000...10_000
        case .batteryMinimum: 2000...4500
        case .batteryMaximum: 3000...5000
        case .batteryType: 0...2
        case .serialBaud: 0...5
        case .callsign: nil
        }
    }

    /// The receiver restarts after a change of this key.
    public var reboots: Bool {
        switch self {
        case .lcd, .lcdOn, .oledSDA, .oledSCL, .oledReset, .ledPin, .buzzerPin, .batteryPin, .bluetooth, .serialPort,
            .serialBaud:
            true
        case .callsign, .rs41Bandwidth, .m20Bandwidth, .m10Bandwidth, .pilotBandwidth, .dfmBandwidth, .nameType,
            .frequencyOffset, .batteryMinimum, .batteryMaximum, .batteryType:
            false
        }
    }

    /// Setting `value` can cut the gateway off or brick the board.
    public func isDangerous(_ value: ReceiverSettingValue) -> Bool {
        switch self {
        case .bluetooth: value == .integer(0)
        case .oledSDA, .oledSCL, .oledReset, .ledPin, .buzzerPin, .batteryPin, .serialPort, .serialBaud: true
        case .lcd, .lcdOn, .callsign, .rs41Bandwidth, .m20Bandwidth, .m10Bandwidth, .pilotBandwidth, .dfmBandwidth,
            .nameType, .frequencyOffset, .batteryMinimum, .batteryMaximum, .batteryType:
            false
        }
    }

    /// What is accepted, for an error message.
    public var accepted: String {
        guard let range else { return "0 to 8 of A-Z 0-9 - and /" }
        return "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Whether the receiver may be sent `value`; nothing else ever reaches it.
    public func accepts(_ value: ReceiverSettingValue) -> Bool {
        switch value {
        case .integer(let number): range?.contains(number) ?? false
        case .text(let text): range == nil && text.utf8.count <= 8 && text.utf8.allSatisfy(Self.isCallsignByte)
        }
    }

    private static func isCallsignByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

/// The value of one receiver setting.
public enum ReceiverSettingValue: Hashable, Sendable, CustomStringConvertible {
    case integer(Int)
    case text(String)

    public var description: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        }
    }
}

extension ReceiverConfiguration {
    /// The value that a type 3 shows for a setting; nil where it shows none.
    public func value(of setting: ReceiverSetting) -> ReceiverSettingValue? {
        let number: Int? =
            switch setting {
            case .lcd: lcdType
            case .lcdOn: lcdOn.map { $0 ? 1 : 0 }
            case .oledSDA: oledSDA
            case .oledSCL: oledSCL
            case .oledReset: oledReset
            case .ledPin: ledPin
            case .buzzerPin: buzzerPin
            case .callsign: nil
            case .rs41Bandwidth: rs41Bandwidth
            case .m20Bandwidth: m20Bandwidth
            case .m10Bandwidth: m10Bandwidth
            case .pilotBandwidth: pilotBandwidth
            case .dfmBandwidth: dfmBandwidth
            case .nameType: nameType
            case .frequencyOffset: frequencyOffsetHz
            case .batteryPin: batteryPin
            case .batteryMinimum: batteryMinimumMillivolts
            case .batteryMaximum: batteryMaximumMillivolts
            case .batteryType: batteryType
            case .bluetooth: bleOn.map { $0 ? 1 : 0 }
            case .serialPort: serialPort
            case .serialBaud: serialBaud
            }
        return setting == .callsign ? .text(callsign) : number.map { .integer($0) }
    }
}
