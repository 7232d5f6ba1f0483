public import FlightMath
public import ReceiverProtocol

/// Channel 3: the receiver's settings.
public struct SettingsReport: Equatable, Sendable {
    public var configuration: ReceiverConfiguration
    public var receivedAt: Moment

    public init(configuration: ReceiverConfiguration, receivedAt: Moment) {
        self.configuration = configuration
        self.receivedAt = receivedAt
    }
}

extension SettingsReport {
    var payload: [UInt8] {
        var json = JSONText()
        for setting in ReceiverSetting.all { json.field(setting, configuration[setting]) }
        json.field("firmware", configuration.firmware)
        json.field("sonde_type", configuration.sondeType.name)
        json.field("frequency_mhz", configuration.frequencyMHz, decimals: 3)
        json.field("received_at", receivedAt.wall)
        return json.object
    }
}

extension JSONText {
    fileprivate mutating func field(_ setting: ReceiverSetting, _ value: ReceiverSettingValue?) {
        switch value {
        case .text(let text): field(setting.field, text)
        case .integer(let number): field(setting, number)
        case nil: field(setting, nil as Int?)
        }
    }

    private mutating func field(_ setting: ReceiverSetting, _ number: Int?) {
        switch setting.form {
        case .number, .callsign: field(setting.field, number)
        case .flag: field(setting.field, number.map { $0 == 1 })
        case .bandwidth:
            field(setting.field, number)
            let bandwidths = ReceiverSetting.bandwidthsKHz
            let index = number.flatMap { bandwidths.indices.contains($0) ? $0 : nil }
            field("\(setting.field)_khz", index.map { bandwidths[$0] }, decimals: 1)
        }
    }
}
