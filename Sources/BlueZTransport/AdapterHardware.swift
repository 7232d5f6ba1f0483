public import BluetoothProtocol
import CBluetooth
import Glibc

/// What an adapter is made of: `USB, Bluetooth 4.0, Cambridge Silicon Radio`.
public struct AdapterHardware: Equatable, Sendable, CustomStringConvertible {
    var bus: String
    /// The chip; nil if it does not answer, for example while the adapter is off.
    var chip: Chip?

    struct Chip: Equatable {
        /// The number of the Bluetooth version: 6 is 4.0.
        var version: UInt8
        /// The number of the company that made the chip.
        var maker: UInt16
    }

    /// How long the chip may take to answer, in milliseconds.
    private static let answerLimit: Int32 = 1000
    /// Cambridge Silicon Radio. Most of the cheapest USB adapters carry a clone of its chip.
    private static let clonedMaker: UInt16 = 10

    public var description: String {
        guard let chip else { return bus }
        let maker = bt_compidtostr(Int32(chip.maker)).map { String(cString: $0) } ?? "unknown maker"
        return "\(bus), Bluetooth \(Self.name(ofVersion: chip.version)), \(maker)"
    }

    private static func name(ofVersion version: UInt8) -> String {
        // The library's text is empty for a version that is newer than it.
        guard let text = hci_vertostr(UInt32(version)) else { return "version \(version)" }
        defer { free(text) }
        return text.pointee == 0 ? "version \(version)" : String(cString: text)
    }

    /// What is known to go wrong with this chip; nil if nothing is.
    public var warning: String? {
        chip?.maker == Self.clonedMaker ? "clones of this chip lose LE links; if links drop, use another adapter" : nil
    }
}

extension AdapterHardware {
    /// Asks the kernel and the chip; blocks for ``answerLimit`` at most. Needs no privilege.
    /// - Returns: nil if there is no such adapter.
    public init?(of index: AdapterIndex) {
        guard let information = AdapterList.information(Int32(index.rawValue)) else { return nil }
        // The lower half of the byte is the bus, the upper one the kind of controller.
        bus = hci_bustostr(Int32(information.type & 0x0F)).map { String(cString: $0) } ?? "unknown bus"
        let descriptor = hci_open_dev(Int32(index.rawValue))
        guard descriptor >= 0 else { return }
        defer { hci_close_dev(descriptor) }
        var version = hci_version()
        if hci_read_local_version(descriptor, &version, Self.answerLimit) == 0 {
            chip = Chip(version: version.hci_ver, maker: version.manufacturer)
        }
    }
}
