/// Where a kind of receiver keeps its frames: the service and its two characteristics.
public struct ReceiverProfile: Equatable, Sendable {
    /// For the user: `MySondyGo`.
    public let name: String
    public let service: BluetoothUUID
    /// Receiver to gateway.
    public let notify: BluetoothUUID
    /// Gateway to receiver.
    public let write: BluetoothUUID
    /// No other kind of device has this service, so that it tells a receiver even without a name.
    public let isReceiversOwn: Bool

    /// The profiles that receivers are known to use, in the order in which they are looked for.
    public static let all: [ReceiverProfile] = [
        profile(
            "MySondyGo", service: "53797269-614D-6972-6B6F-44616C6D6F6E",
            notify: "53797267-614D-6972-6B6F-44616C6D6F8E", write: "53797268-614D-6972-6B6F-44616C6D6F7E",
            isReceiversOwn: true),
        // Used by all sorts of devices, by Stratos receivers among them.
        profile(
            "Nordic UART", service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            notify: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E", write: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
            isReceiversOwn: false),
    ].compactMap(\.self)

    private static func profile(
        _ name: String, service: String, notify: String, write: String, isReceiversOwn: Bool
    ) -> ReceiverProfile? {
        guard let service = BluetoothUUID(service), let notify = BluetoothUUID(notify), let write = BluetoothUUID(write)
        else { return nil }
        return ReceiverProfile(
            name: name, service: service, notify: notify, write: write, isReceiversOwn: isReceiversOwn)
    }
}
