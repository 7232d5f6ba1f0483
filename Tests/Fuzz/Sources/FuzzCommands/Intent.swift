import ReceiverProtocol

/// The change that a message demands, read from the documents without the gateway's code. The
/// fuzzer compares both results. The keys and ranges come from the gateway's
/// table, so the fuzzer can't find a wrong one. `deploy/doc/commands.md` shows each change of them.
struct Intent: Equatable {
    /// The keys of `o{key=value}o` with their values; `?` asks for the configuration.
    var values: [String: String] = [:]

    enum Reading: Equatable {
        case change(Intent)
        /// No write to the receiver: the message is refused, or it concerns the gateway itself.
        case nothing
        /// The documents do not decide this case.
        case open
    }

    /// The keys, with the whole numbers that they accept.
    static let ranges: [String: ClosedRange<Int>] = ReceiverSetting.all.reduce(into: [:]) { $0[$1.key] = $1.range }
    static let types = ["RS41": 1, "M20": 2, "M10": 3, "PILOT": 4, "PIL": 4, "DFM": 5, "RD41": 6]

    /// - Parameter topic: the last level or two of the topic, for example `mute/set`.
    static func read(_ body: [UInt8], on topic: String) -> Reading {
        guard body.count <= 4096 else { return .nothing }
        // This reading does not cover other encodings and exotic spaces.
        guard body.allSatisfy({ $0 < 0x80 }) else { return .open }
        let isObject = body.first { !($0 == 0x20 || (0x09...0x0d).contains($0)) } == UInt8(ascii: "{")
        // A lone surrogate is JSON by the grammar, but no text.
        let text = String(decoding: body, as: UTF8.self).lowercased()
        if ["\\ud8", "\\ud9", "\\uda", "\\udb", "\\udc", "\\udd", "\\ude", "\\udf"].contains(where: text.contains) {
            return .open
        }
        guard topic == "command" || isObject else { return scalar(body, on: topic) }
        guard let json = StrictJSON(body) else { return .nothing }
        if json.hasDoubleKeys { return .nothing }
        guard case .object(let members) = json else { return .nothing }
        return object(members, on: topic)
    }

    private static func scalar(_ body: [UInt8], on topic: String) -> Reading {
        guard body.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return .open }
        func trimmed(_ text: Substring) -> Substring {
            text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().reduce(into: "") { $0.append($1) }[...]
        }
        var text = trimmed(String(decoding: body, as: UTF8.self)[...])
        if text.count >= 2, text.first == "\"", text.last == "\"" { text = trimmed(text.dropFirst().dropLast()) }
        switch topic {
        case "request/settings": return .change(Intent(values: ["?": ""]))
        case "mute/set":
            switch text.lowercased() {
            case "on", "1", "true": return .change(Intent(values: ["mute": "1"]))
            case "off", "0", "false": return .change(Intent(values: ["mute": "0"]))
            default: return .nothing
            }
        case "sonde_type/set": return type(String(text))
        case "frequency/set":
            let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
            let isDecimal =
                (1...2).contains(parts.count)
                && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
            guard isDecimal, text.prefix(2) != "--" else { return .nothing }
            return frequency(String(text))
        default: return .open
        }
    }

    private static func object(_ members: [StrictJSON.Member], on topic: String) -> Reading {
        guard let values = named(members, by: ["frequency_mhz": "frequency", "sonde_type": "type"]) else {
            return .nothing
        }
        if let id = values["id"] {
            switch id {
            case .string, .number, .null: break
            case .bool, .array, .object: return .nothing
            }
        }
        // Whether it is carried out depends on the clock.
        if values["at"] != nil { return .open }
        let keys = Set(values.keys).subtracting(["id"])
        // Numbers beyond the range of Double: the gateway refuses the whole message.
        if members.contains(where: { hasInfinity($0.value) }) { return .open }
        if keys.isEmpty { return topic == "request/settings" ? .change(Intent(values: ["?": ""])) : .nothing }
        if keys.isSubset(of: ["frequency", "type"]) {
            let own = ["frequency/set": ["frequency"], "sonde_type/set": ["type"]][topic, default: []]
            guard topic == "command" || keys.isSubset(of: own) else { return .nothing }
            var sum = Intent()
            for key in keys {
                let reading: Reading =
                    switch (key, values[key]) {
                    case ("frequency", .number(let text)): frequency(text)
                    case ("frequency", .string(let text)): isDecimal(text) ? frequency(text) : .nothing
                    case ("type", .string(let text)): type(text)
                    default: .nothing
                    }
                guard case .change(let half) = reading else { return reading }
                sum.values.merge(half.values) { $1 }
            }
            return .change(sum)
        }
        guard keys.count == 1, let key = keys.first, let value = values[key] else { return .nothing }
        switch (key, value, topic) {
        case ("mute", let value, "command"), ("mute", let value, "mute/set"):
            return truth(value).map { .change(Intent(values: ["mute": $0 ? "1" : "0"])) } ?? .nothing
        case ("request", .string("settings"), "command"), ("request", .string("settings"), "request/settings"):
            return .change(Intent(values: ["?": ""]))
        case ("settings", .object(let settings), "command"): return self.settings(settings)
        case ("tune", .object(let members), "command"):
            guard members.count == 1, ["offset_hz", "frequency_offset_hz"].contains(members[0].key) else {
                return .nothing
            }
            return settings([StrictJSON.Member(key: "freqofs", value: members[0].value)])
        default: return .nothing
        }
    }

    /// The members with the commands' own names; nil if one stands twice.
    private static func named(_ members: [StrictJSON.Member], by names: [String: String]) -> [String: StrictJSON]? {
        var values: [String: StrictJSON] = [:]
        for member in members {
            guard values.updateValue(member.value, forKey: names[member.key] ?? member.key) == nil else { return nil }
        }
        return values
    }

    /// Nil if the value is no truth value.
    private static func truth(_ value: StrictJSON) -> Bool? {
        switch value {
        case .bool(let isOn): isOn
        case .number(let text): Double(text) == 1 ? true : Double(text) == 0 ? false : nil
        case .string(let text):
            ["on", "1", "true"].contains(text.lowercased())
                ? true : ["off", "0", "false"].contains(text.lowercased()) ? false : nil
        case .null, .array, .object: nil
        }
    }

    private static func isDecimal(_ text: String) -> Bool {
        let parts = (text.first == "-" ? text.dropFirst() : text[...]).split(
            separator: ".", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && text.utf8.count <= 40
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
    }

    private static func settings(_ members: [StrictJSON.Member]) -> Reading {
        guard !members.isEmpty else { return .nothing }
        var sum = Intent()
        let fields = Dictionary(uniqueKeysWithValues: ReceiverSetting.all.map { ($0.field, $0.key) })
        guard let members = named(members, by: fields) else { return .nothing }
        for (key, value) in members {
            switch value {
            case .string(let text) where key == "myCall":
                let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-/")
                guard text.unicodeScalars.count <= 8, text.allSatisfy(letters.contains) else { return .nothing }
                sum.values[key] = text
            case .number, .string, .bool:
                guard let range = ranges[key] else { return .nothing }
                let text: String
                switch value {
                case .number(let digits): text = digits
                case .string(let digits) where isDecimal(digits): text = digits
                case .string, .bool:
                    guard ReceiverSetting(key: key)?.form == .flag, let isOn = truth(value) else { return .nothing }
                    text = isOn ? "1" : "0"
                case .null, .array, .object: return .nothing
                }
                guard let number = Double(text), let whole = Int(exactly: number) else { return .nothing }
                guard range.contains(whole) else { return .nothing }
                sum.values[key] = String(whole)
            case .null, .array, .object: return .nothing
            }
        }
        if let low = sum.values["vBatMin"].flatMap({ Int($0) }), let high = sum.values["vBatMax"].flatMap({ Int($0) }),
            high <= low
        {
            return .nothing
        }
        return .change(sum)
    }

    private static func frequency(_ text: String) -> Reading {
        guard text.utf8.count < 300, let megahertz = Double(text) else { return .open }
        guard megahertz >= 400, megahertz <= 406 else { return .nothing }
        let kilohertz = (megahertz * 1000).rounded()
        let off = abs(kilohertz - megahertz * 1000)
        // At the limit of three decimals both results are right.
        if off > 0.00001 { return off < 0.001 ? .open : .nothing }
        let whole = Int(kilohertz)
        var decimals = String(String(1000 + whole % 1000).dropFirst())
        if decimals.hasSuffix("0") { decimals.removeLast() }
        return .change(Intent(values: ["f": "\(whole / 1000).\(decimals)"]))
    }

    private static func type(_ text: String) -> Reading {
        guard text.allSatisfy(\.isASCII) else { return .open }
        return types[text.uppercased()].map { .change(Intent(values: ["tipo": "\($0)"])) } ?? .nothing
    }

    private static func hasInfinity(_ value: StrictJSON) -> Bool {
        switch value {
        case .null, .bool, .string: false
        case .number(let text): text.utf8.count > 300 || Double(text).map { !$0.isFinite } ?? true
        case .array(let values): values.contains(where: hasInfinity)
        case .object(let members): members.contains { hasInfinity($0.value) }
        }
    }
}
