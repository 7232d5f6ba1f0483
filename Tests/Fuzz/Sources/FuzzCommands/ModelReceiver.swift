import ReceiverProtocol

/// A receiver with the settings of the gateway's table. It carries out each write, shows the result in frames, and
/// crashes on a write that a real receiver must never get.
struct ModelReceiver {
    /// The longest write with the default MTU, bytes.
    static let longestWrite = 20

    private(set) var values = ReceiverSetting.always.reduce(into: ["f": "403.50", "tipo": "1", "mute": "0"]) {
        $0[$1.key] = $1.delivered.description
    }
    private(set) var writes = 0

    /// - Returns: the keys and values of this write.
    mutating func read(_ bytes: [UInt8]) -> [(key: String, value: String)] {
        writes += 1
        let text = String(decoding: bytes, as: UTF8.self)
        precondition(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "not printable: \(bytes)")
        precondition(text.hasPrefix("o{") && text.hasSuffix("}o") && bytes.count >= 5, "no command: \(text)")
        let inside = text.dropFirst(2).dropLast(2)
        precondition(!inside.contains("{") && !inside.contains("}"), "two commands: \(text)")
        if inside == "?" { return [("?", "")] }
        let pairs = Self.pairs(inside)
        precondition((1...4).contains(pairs.count), "\(pairs.count) keys: \(text)")
        precondition(pairs.count == 1 || bytes.count <= Self.longestWrite, "too long: \(text)")
        precondition(Set(pairs.map(\.key)).count == pairs.count, "a key twice: \(text)")
        for (key, value) in pairs {
            precondition(Self.isLegal(key, value), "\(key)=\(value) in \(text)")
            values[key] = value
        }
        return pairs
    }

    /// A slash separates the pairs, but may also stand in a call sign.
    private static func pairs(_ text: Substring) -> [(key: String, value: String)] {
        var pairs: [(key: String, value: String)] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            if let sign = part.firstIndex(of: "=") {
                pairs.append((String(part[..<sign]), String(part[part.index(after: sign)...])))
            } else {
                precondition(pairs.last?.key == "myCall", "no key: \(text)")
                pairs[pairs.count - 1].value += "/" + part
            }
        }
        return pairs
    }

    private static func isLegal(_ key: String, _ value: String) -> Bool {
        let digits = Array(value.utf8)
        func number(_ range: ClosedRange<Int>) -> Bool {
            guard let number = Int(value) else { return false }
            return range.contains(number) && String(number) == value
        }
        switch key {
        case "f":
            let shape = digits.count >= 6 && digits.count <= 7 && digits[3] == UInt8(ascii: ".")
            guard shape, digits.enumerated().allSatisfy({ $0 == 3 || (0x30...0x39).contains($1) }) else { return false }
            return value >= "400.00" && (value.hasPrefix("40") && value < "406.0000")
                && !(value.count == 7 && value.hasSuffix("0")) && (value <= "406.00" || !value.hasPrefix("406"))
        case "tipo": return number(1...6)
        case "mute": return number(0...1)
        case "myCall":
            return digits.count <= 8
                && digits.allSatisfy { Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/".utf8).contains($0) }
        default: return Intent.ranges[key].map(number) ?? false
        }
    }

    /// A type 0.
    var searching: String {
        "0/\(type)/\(megahertz)/120.5/100/4260/\(values["mute"] ?? "")/3.10/o"
    }

    /// A type 3.
    var configuration: String {
        let settings = ReceiverSetting.always.map { values[$0.key] ?? "" }
        return "3/\(type)/\(megahertz)/\(settings.joined(separator: "/"))/3.10/o"
    }

    private var type: String {
        ["RS41", "M20", "M10", "PILOT", "DFM", "RD41"][(Int(values["tipo"] ?? "") ?? 1) - 1]
    }
    private var megahertz: String {
        let text = values["f"] ?? ""
        return text.utf8.count == 6 ? text + "0" : text
    }
}
