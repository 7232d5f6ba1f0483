import NIOCore

/// This machine's address in the network of the car. Android does not resolve names that end with `.local`.
enum OwnAddress {
    /// A network interface and one of its addresses.
    struct Interface: Equatable {
        var name: String
        var address: String
    }

    /// The address to tell other machines; nil if this machine is in no network.
    static var current: String? {
        let devices = (try? System.enumerateDevices()) ?? []
        return best(
            of: devices.compactMap { device in
                guard let address = device.address, address.protocol == .inet, let text = address.ipAddress else {
                    return nil
                }
                return Interface(name: device.name, address: text)
            })
    }

    /// The Wi-Fi's address before a cable's, before any other. Addresses that reach no other machine do not count.
    static func best(of interfaces: [Interface]) -> String? {
        let usable = interfaces.filter { !$0.address.hasPrefix("127.") && !$0.address.hasPrefix("169.254.") }
        return (usable.first { $0.name.hasPrefix("wl") } ?? usable.first { $0.name.hasPrefix("e") } ?? usable.first)?
            .address
    }
}
