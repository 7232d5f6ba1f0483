public import BluetoothProtocol
import FoundationEssentials

/// The kernel's radio switch (rfkill), read from sysfs.
public enum RadioSwitch {
    /// The Bluetooth adapters that software or a key has blocked.
    public static func blocked(root: String = "/sys/class/rfkill") -> Set<AdapterIndex> {
        let switches = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return Set(
            switches.compactMap { entry in
                let folder = "\(root)/\(entry)/"
                guard word(folder + "type") == "bluetooth",
                    word(folder + "soft") == "1" || word(folder + "hard") == "1",
                    let name = word(folder + "name"), name.hasPrefix("hci"), let number = UInt16(name.dropFirst(3))
                else { return nil }
                return AdapterIndex(rawValue: number)
            })
    }

    private static func word(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { data in
            String(decoding: data.prefix { $0 != 0x0A }, as: UTF8.self)
        }
    }
}
