/// A type 3: the settings that the receiver reports.
public struct ReceiverConfiguration: Equatable, Sendable {
    public var sondeType: SondeType
    /// MHz; nil if the frame held no plausible frequency.
    public var frequencyMHz: Double?
    public var firmware: String?
    private var values: [ReceiverSetting: ReceiverSettingValue] = [:]

    public init(sondeType: SondeType, frequencyMHz: Double?, firmware: String? = nil) {
        self.sondeType = sondeType
        self.frequencyMHz = frequencyMHz
        self.firmware = firmware
    }

    /// Nil if the field held no plausible value, or if this form of the frame lacks the field.
    public subscript(_ setting: ReceiverSetting) -> ReceiverSettingValue? {
        get { values[setting] }
        set { values[setting] = newValue }
    }
}
