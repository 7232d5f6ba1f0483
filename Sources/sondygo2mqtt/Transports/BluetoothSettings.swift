import BlueZTransport
import BluetoothProtocol
import Gateway
import ReceiverProtocol

/// The receiver in Bluetooth range.
struct BluetoothSettings: TransportSettings, Equatable {
    var adapter = AdapterChoice.any
    var address: BluetoothAddress?
    var names = ["MySondy"]

    static let name = "ble"
    static let keys: [ConfigurationKey] = [
        .parsed(
            "receiver.adapter", \.receiver.ble.adapter, absent: .any, accepts: "hci0, 0 or the adapter's address",
            as: .textOrNumber
        ) {
            AdapterChoice($0)
        }.shown,
        .parsed(
            "receiver.address", \.receiver.ble.address, absent: nil,
            accepts: "a Bluetooth address such as AA:BB:CC:DD:EE:FF"
        ) {
            BluetoothAddress($0).map(Optional.some)
        }.shown,
        .list("receiver.names", \.receiver.ble.names, of: "parts of the receiver's Bluetooth name").shown,
    ]

    var filter: ReceiverFilter { ReceiverFilter(names: names, address: address) }

    var place: String {
        "ble, adapter \(adapter), " + (address.map { "address \($0)" } ?? "names \(names.joined(separator: ", "))")
    }

    var knownFault: String? { KernelBluetooth.knownFault }

    func findings(_ checkup: ReceiverCheckup) -> [Finding] {
        BluetoothCheckup(configuration: checkup.configuration).findings()
    }

    var answer: String { address?.description ?? "first" }
    static let answeredKeys = ["receiver.address"]

    static func values(for answer: String) -> KeyValuePairs<String, String?>? {
        if answer.lowercased() == "first" { return ["receiver.transport": name, "receiver.address": nil] }
        return answer.contains(":") && !answer.hasPrefix("/")
            ? ["receiver.transport": name, "receiver.address": answer] : nil
    }

    func transport(_ surroundings: TransportSurroundings) -> any ReceiverTransport {
        BlueZTransport(adapter: adapter, filter: filter, memory: surroundings.memory)
    }
}
