import ReceiverProtocol

/// All settings of the receiver with their accepted values, for the page's form. The dangerous ones are last.
enum ReceiverSettingList {
    /// The types that the receiver can be tuned to: `["RS41","M20", …]`.
    static let sondeTypes = Array("[\(SondeType.tunable.map { "\"\($0.name)\"" }.joined(separator: ","))]".utf8)

    /// `[{"key":"rs41.rxbw","field":"rs41_rxbw","min":0,"max":19,"reboots":false,"dangerous":false}, …]`. `field` is
    /// the setting's name in the topic `settings`. A text has no `min` and `max`. A bandwidth has `khz`, the values behind
    /// its numbers. A switch has `"flag":true`.
    static let json: [UInt8] = {
        let isDangerous = { (setting: ReceiverSetting) in
            setting.isDangerous(.integer(setting.range?.lowerBound ?? 0))
        }
        let settings = ReceiverSetting.all.filter { !isDangerous($0) } + ReceiverSetting.all.filter(isDangerous)
        let lines = settings.map { setting in
            let range = setting.range.map { ",\"min\":\($0.lowerBound),\"max\":\($0.upperBound)" } ?? ""
            let form =
                switch setting.form {
                case .number, .callsign: ""
                case .flag: ",\"flag\":true"
                case .bandwidth: ",\"khz\":\(ReceiverSetting.bandwidthsKHz)"
                }
            return "{\"key\":\"\(setting.key)\",\"field\":\"\(setting.field)\"\(range)\(form),"
                + "\"reboots\":\(setting.restarts),\"dangerous\":\(isDangerous(setting))}"
        }
        return Array("[\(lines.joined(separator: ",\n"))]".utf8)
    }()
}
