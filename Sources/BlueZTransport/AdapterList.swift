import BluetoothProtocol
import CBluetooth
import Gateway
import GatewayReports

/// The machine's Bluetooth adapters, as libbluetooth lists them. It asks the kernel by ioctl, which needs no privilege
/// and answers at once.
enum AdapterList {
    /// The adapters: libbluetooth's own choice first, then by number.
    /// - Parameter choice: an adapter that it names is found, whatever its number.
    static func present(for choice: AdapterChoice) -> [PresentAdapter] {
        var numbers: [Int32] = [choice == .any ? hci_get_route(nil) : hci_devid(choice.description)]
        // Those that are on have any number. The library lists no others, so those that are off are asked by number.
        withUnsafeMutablePointer(to: &numbers) { list in
            _ = hci_for_each_dev(
                Int32(HCI_UP),
                { _, number, list in
                    UnsafeMutablePointer<[Int32]>(bitPattern: list)?.pointee.append(number)
                    return 0
                }, Int(bitPattern: list))
        }
        var seen: Set<Int32> = []
        return (numbers + (0..<HCI_MAX_DEV)).filter { $0 >= 0 && seen.insert($0).inserted }.compactMap { number in
            information(number).flatMap { PresentAdapter($0) }
        }
    }

    /// The kernel's record of an adapter; nil if there is none with this number.
    static func information(_ number: Int32) -> hci_dev_info? {
        var information = hci_dev_info()
        return hci_devinfo(number, &information) == 0 ? information : nil
    }

    /// The kernel's count of the adapter's faults since it was plugged in; nil if it is gone.
    static func counters(of index: AdapterIndex) -> AdapterCounters? {
        information(Int32(index.rawValue)).map { information in
            AdapterCounters(
                name: index.description, receiveErrors: Int(information.stat.err_rx),
                sendErrors: Int(information.stat.err_tx))
        }
    }
}

extension PresentAdapter {
    /// Nil if the record is not an adapter's.
    init?(_ information: hci_dev_info) {
        var address = information.bdaddr
        let octets = withUnsafeBytes(of: &address) { Array($0) }
        guard let address = BluetoothAddress(octets: octets) else { return nil }
        self.init(
            index: AdapterIndex(rawValue: information.dev_id), address: address,
            isUp: information.flags & 1 << UInt32(HCI_UP) != 0,
            hasLowEnergy: information.features.4 & UInt8(LMP_LE) != 0)
    }
}
