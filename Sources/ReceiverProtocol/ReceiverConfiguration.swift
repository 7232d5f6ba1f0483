/// A type 3: the receiver's settings as it reads them back.
///
/// Nil means that the field held no plausible value, or that this form of the frame doesn't have it.
public struct ReceiverConfiguration: Equatable, Sendable {
    public var sondeType: SondeType
    /// MHz.
    public var frequencyMHz: Double?
    /// GPIO numbers of the display.
    public var oledSDA, oledSCL, oledReset: Int?
    /// GPIO number, 0 is off.
    public var ledPin: Int?
    /// Indices into ``bandwidthsKHz``.
    public var rs41Bandwidth, m20Bandwidth, m10Bandwidth, pilotBandwidth, dfmBandwidth: Int?
    public var callsign: String
    /// Hz, signed.
    public var frequencyOffsetHz: Int?
    /// GPIO number, 0 is none.
    public var batteryPin: Int?
    /// Millivolts taken for empty and full.
    public var batteryMinimumMillivolts, batteryMaximumMillivolts: Int?
    /// 0 linear, 1 sigmoidal, 2 asigmoidal.
    public var batteryType: Int?
    /// 0 SSD1306_128X64, 1 SH1106_128X64.
    public var lcdType: Int?
    /// 0 serial, 1 APRS name.
    public var nameType: Int?
    /// GPIO number, 0 is none.
    public var buzzerPin: Int?
    public var firmware: String?
    /// Only the USB form of the frame has these.
    public var lcdOn, bleOn: Bool?
    /// The `com` and `baud` settings; only in the USB form.
    public var serialPort, serialBaud: Int?

    public init(
        sondeType: SondeType, frequencyMHz: Double?, oledSDA: Int?, oledSCL: Int?, oledReset: Int?, ledPin: Int?,
        rs41Bandwidth: Int?, m20Bandwidth: Int?, m10Bandwidth: Int?, pilotBandwidth: Int?, dfmBandwidth: Int?,
        callsign: String, frequencyOffsetHz: Int?, batteryPin: Int?, batteryMinimumMillivolts: Int?,
        batteryMaximumMillivolts: Int?, batteryType: Int?, lcdType: Int?, nameType: Int?, buzzerPin: Int?,
        firmware: String?, lcdOn: Bool?, bleOn: Bool?, serialPort: Int?, serialBaud: Int?
    ) {
        self.sondeType = sondeType
        self.frequencyMHz = frequencyMHz
        self.oledSDA = oledSDA
        self.oledSCL = oledSCL
        self.oledReset = oledReset
        self.ledPin = ledPin
        self.rs41Bandwidth = rs41Bandwidth
        self.m20Bandwidth = m20Bandwidth
        self.m10Bandwidth = m10Bandwidth
        self.pilotBandwidth = pilotBandwidth
        self.dfmBandwidth = dfmBandwidth
        self.callsign = callsign
        self.frequencyOffsetHz = frequencyOffsetHz
        self.batteryPin = batteryPin
        self.batteryMinimumMillivolts = batteryMinimumMillivolts
        self.batteryMaximumMillivolts = batteryMaximumMillivolts
        self.batteryType = batteryType
        self.lcdType = lcdType
        self.nameType = nameType
        self.buzzerPin = buzzerPin
        self.firmware = firmware
        self.lcdOn = lcdOn
        self.bleOn = bleOn
        self.serialPort = serialPort
        self.serialBaud = serialBaud
    }

    /// Receiver bandwidths in kHz by their index in the frame and in the `*.rxbw` settings.
    public static let bandwidthsKHz: [Double] = [
        2.6, 3.1, 3.9, 5.2, 6.3, 7.8, 10.4, 12.5, 15.6, 20.8,
        25.0, 31.3, 41.7, 50.0, 62.5, 83.3, 100.0, 125.0, 166.7, 200.0,
    ]

    /// - Returns: nil for an index that names no bandwidth.
    public static func bandwidthKHz(_ index: Int) -> Double? {
        bandwidthsKHz.indices.contains(index) ? bandwidthsKHz[index] : nil
    }
}
