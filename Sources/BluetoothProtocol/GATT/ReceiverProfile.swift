/// The GATT layout of one kind of receiver: a service with two characteristics.
public struct ReceiverProfile: Equatable, Sendable {
    /// The name shown to the user, for example `MySondyGo`.
    public let name: String
    public let service: BluetoothUUID
    /// Carries frames from the receiver to the gateway.
    public let notify: BluetoothUUID
    /// Carries commands from the gateway to the receiver.
    public let write: BluetoothUUID
    /// Whether only receivers have this service. Then it identifies a receiver that advertises no name.
    public let isReceiversOwn: Bool

    /// The known profiles, in the order in which discovery tries them.
    public static let all: [ReceiverProfile] = [
        profile(
            "MySondyGo", service: "53797269-614D-6972-6B6F-44616C6D6F6E",
            notify: "53797267-614D-6972-6B6F-44616C6D6F8E", write: "53797268-614D-6972-6B6F-44616C6D6F7E",
            isReceiversOwn: true),
        // Many kinds of devices use this service, among them Stratos receivers.
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
