import FoundationEssentials
import Glibc

extension Configuration {
    /// The host name as a topic level: lower case, everything else a dash.
    static var defaultID: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let level = String(decoding: bytes, as: UTF8.self).lowercased().map { character in
            character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
                ? character : "-"
        }
        return level.isEmpty ? "gateway" : String(level)
    }

    /// Stable and unique: `sondygo2mqtt-<id>-<hash of the machine id>`.
    var clientID: String {
        mqtt.clientID ?? "sondygo2mqtt-\(gateway.id)-\(Self.machineHash)"
    }

    /// Tells two boxes apart that were given one id by mistake.
    static var machineHash: String {
        let machine = FileManager.default.contents(atPath: "/etc/machine-id") ?? Data()
        // FNV-1a: the machine id itself should not be told to the broker.
        let hash = machine.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(String(hash, radix: 16).suffix(8))
    }
}
