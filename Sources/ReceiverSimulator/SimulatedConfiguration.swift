import ReceiverProtocol

extension ReceiverConfiguration {
    /// The settings of a new board.
    static func delivered(sondeType: SondeType, frequencyKHz: Int, firmware: String) -> ReceiverConfiguration {
        var configuration = ReceiverConfiguration(
            sondeType: sondeType, frequencyMHz: Double(frequencyKHz) / 1000, firmware: firmware)
        for setting in ReceiverSetting.all { configuration[setting] = setting.delivered }
        return configuration
    }

    /// The settings as the text of a type 3 frame.
    /// - Parameter isUSB: whether the frame has the four fields of the USB form.
    func text(isUSB: Bool) -> String {
        let values = { (settings: [ReceiverSetting]) in
            settings.map { self[$0]?.description ?? "0" }.joined(separator: "/")
        }
        let usb = isUSB ? "/" + values(ReceiverSetting.usbOnly) : ""
        return "3/\(sondeType.name)/\(fixed(frequencyMHz ?? 0, 3))/\(values(ReceiverSetting.always))"
            + "/\(firmware ?? "")\(usb)/o"
    }
}
