import FoundationEssentials
import Glibc

extension Configuration {
    /// The host name as a topic level: lower case, and a dash for each other character.
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

    /// The stable and unique client id: `sondygo2mqtt-<id>-<hash of the machine id>`.
    var clientID: String {
        mqtt.clientID ?? "sondygo2mqtt-\(gateway.id)-\(Self.machineHash)"
    }

    /// Distinguishes two machines that have the same id by mistake.
    static var machineHash: String {
        let machine = FileManager.default.contents(atPath: "/etc/machine-id") ?? Data()
        // FNV-1a, because the broker should not learn the machine id itself.
        let hash = machine.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(String(hash, radix: 16).suffix(8))
    }
}
