import FoundationEssentials
import ReceiverProtocol

/// Reads the JSON commands of `<p>/command` and the plain scalars of the `…/set` topics.
///
/// Nothing gets through that is not understood completely: unknown keys, wrong types, two verbs in one object and
/// values out of range are refusals.
public struct CommandDecoder: Sendable {
    /// A decoded body: its `id` and verb, if they could be read, and the command or the reason against it.
    public struct Decoded: Equatable, Sendable {
        /// A string or a number, echoed in every answer.
        public var id: JSONValue?
        /// As ``UserCommand/verb``.
        public var verb: String?
        public var command: Result<UserCommand, CommandRefusal>
    }

    /// Longest body, bytes.
    public static let maximumLength = 4096

    public var policy: CommandPolicy

    public init(policy: CommandPolicy) {
        self.policy = policy
    }

    /// A body of `<p>/command`.
    public func decode(_ body: [UInt8]) -> Decoded {
        do throws(CommandRefusal) {
            let members = try object(body)
            let id = members["id"]
            do throws(CommandRefusal) {
                let command = try command(members)
                return Decoded(id: try checkedID(id), verb: command.verb, command: .success(command))
            } catch {
                let verb = try? Self.verb(of: members)
                return Decoded(
                    id: try? checkedID(id), verb: verb.flatMap { Self.verbs[$0]?.name }, command: .failure(error))
            }
        } catch {
            return Decoded(id: nil, verb: nil, command: .failure(error))
        }
    }

    /// A body of a `…/set` topic: a plain scalar, or the same JSON as on `<p>/command`.
    ///
    /// - Parameters:
    ///   - verb: what the topic is for.
    ///   - scalar: reads the plain form.
    func decode(_ body: [UInt8], verb: String, scalar: (String) throws(CommandRefusal) -> UserCommand) -> Decoded {
        if body.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") { return decode(body) }
        do throws(CommandRefusal) {
            guard body.count <= Self.maximumLength else { throw Self.tooLong(body.count) }
            guard let text = String(validating: body, as: UTF8.self) else {
                throw CommandRefusal(.wrongType, "the value is not UTF-8 text")
            }
            return Decoded(id: nil, verb: verb, command: .success(try scalar(Self.trimmed(text))))
        } catch {
            return Decoded(id: nil, verb: verb, command: .failure(error))
        }
    }

    private func object(_ body: [UInt8]) throws(CommandRefusal) -> [String: JSONValue] {
        guard body.count <= Self.maximumLength else { throw Self.tooLong(body.count) }
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: Data(body))
        } catch {
            throw CommandRefusal(.badJSON, "not valid JSON; send one object, for example {\"mute\":true}")
        }
        guard case .object(let members) = value else {
            throw CommandRefusal(.notAnObject, "send one JSON object, for example {\"mute\":true}")
        }
        return members
    }

    private static func tooLong(_ count: Int) -> CommandRefusal {
        CommandRefusal(.tooLong, "\(count) bytes; a command has at most \(maximumLength)")
    }

    private func checkedID(_ id: JSONValue?) throws(CommandRefusal) -> JSONValue? {
        switch id {
        case nil, .string, .integer, .number: return id
        case .null, .bool, .array, .object:
            throw CommandRefusal(.wrongType, "id must be a string or a number")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension CommandDecoder {
    /// Each verb with its name in answers and the keys that may stand beside it.
    private static let verbs: [String: (name: String, beside: Set<String>)] = [
        "frequency": ("tune", ["type"]), "type": ("tune", ["frequency"]), "mute": ("mute", []),
        "request": ("request", []), "settings": ("settings", []), "tune": ("frequency_offset", []),
        "accept_proposal": ("accept_proposal", []), "hunt": ("hunt", []), "landing_point": ("landing_point", []),
        "predict": ("predict", []), "options": ("options", []),
    ]

    private func command(_ members: [String: JSONValue]) throws(CommandRefusal) -> UserCommand {
        let verb = try Self.verb(of: members)
        return try command(verb, members[verb] ?? .null, members)
    }

    /// - Throws: no verb, two of them, or a key that is none.
    private static func verb(of members: [String: JSONValue]) throws(CommandRefusal) -> String {
        let keys = Set(members.keys).subtracting(["id"])
        if let unknown = keys.filter({ verbs[$0] == nil }).min() {
            let known = verbs.keys.sorted().joined(separator: ", ")
            throw CommandRefusal(.unknownKey, "unknown key \"\(shortened(unknown))\"; accepted: id, \(known)")
        }
        guard let verb = keys.min(), let beside = verbs[verb]?.beside else {
            throw CommandRefusal(.noVerb, "no command in the object; for example {\"mute\":true}")
        }
        if let second = keys.subtracting(beside).subtracting([verb]).min() {
            throw CommandRefusal(.twoVerbs, "\"\(verb)\" and \"\(second)\" are two commands; send two messages")
        }
        return verb
    }

    private func command(
        _ verb: String, _ value: JSONValue, _ members: [String: JSONValue]
    ) throws(CommandRefusal) -> UserCommand {
        switch verb {
        case "frequency", "type":
            let frequency = try members["frequency"].map(frequencyMHz)
            let type = try members["type"].map(sondeType)
            return .tune(frequencyMHz: frequency, sondeType: type)
        case "mute": return .mute(try bool(verb, value))
        case "request":
            guard value == .string("settings") else { throw .wrongType("request", "\"settings\"") }
            return .requestSettings
        case "settings": return .settings(try settings(value))
        case "tune": return try frequencyOffset(value)
        case "accept_proposal": return .acceptProposal(try bool(verb, value))
        case "hunt":
            switch value {
            case .null: return .hunt(nil)
            case .string(let name) where name.utf8.count <= 32:
                guard let serial = SondeSerial(name: name, type: .other("")) else {
                    throw .wrongType("hunt", "a serial of 1 to 32 characters, or null")
                }
                return .hunt(serial)
            case .string, .bool, .integer, .number, .array, .object:
                throw .wrongType("hunt", "a serial of 1 to 32 characters, or null")
            }
        case "landing_point": return try landingPoint(value)
        case "predict":
            guard value == .bool(true) else { throw .wrongType("predict", "true") }
            return .predict
        default: return try options(value)
        }
    }

    private func options(_ value: JSONValue) throws(CommandRefusal) -> UserCommand {
        let policies = FrequencySyncPolicy.allCases.map(\.rawValue).joined(separator: ", ")
        guard case .object(let options) = value, !options.isEmpty else {
            throw .wrongType("options", "an object of options, for example {\"frequency_sync\":\"auto\"}")
        }
        if options["burst_altitude_m"] != nil {
            throw CommandRefusal(.unavailable, "this gateway has no prediction that a burst altitude would serve")
        }
        if let unknown = options.keys.filter({ $0 != "frequency_sync" }).min() {
            throw CommandRefusal(
                .unknownKey, "unknown option \"\(Self.shortened(unknown))\"; accepted: frequency_sync")
        }
        switch options["frequency_sync"] {
        case .null: return .frequencySync(nil)
        case .string(let name):
            guard let policy = FrequencySyncPolicy(rawValue: name) else {
                throw CommandRefusal(
                    .outOfRange, "frequency_sync \"\(Self.shortened(name))\" is not one of \(policies), null")
            }
            return .frequencySync(policy)
        case .bool, .integer, .number, .array, .object, nil:
            throw .wrongType("frequency_sync", "one of \(policies), or null for the configuration's")
        }
    }

    private func frequencyMHz(_ value: JSONValue) throws(CommandRefusal) -> Double {
        guard let number = value.asDouble else { throw .wrongType("frequency", "a number in MHz") }
        return try checkedFrequency(number)
    }

    func checkedFrequency(_ megahertz: Double) throws(CommandRefusal) -> Double {
        let range = policy.frequencyRange
        guard range.contains(megahertz) else {
            throw CommandRefusal(
                .outOfRange,
                "frequency \(megahertz) MHz is outside \(range.lowerBound) to \(range.upperBound)")
        }
        guard let kilohertz = Tuning.kilohertz(megahertz), abs(Double(kilohertz) / 1000 - megahertz) < 1e-7 else {
            throw CommandRefusal(.outOfRange, "frequency \(megahertz) MHz has more than three decimals")
        }
        return Double(kilohertz) / 1000
    }

    private func sondeType(_ value: JSONValue) throws(CommandRefusal) -> SondeType {
        guard case .string(let name) = value else { throw .wrongType("type", Self.typeNames) }
        return try Self.sondeType(named: name)
    }

    static func sondeType(named name: String) throws(CommandRefusal) -> SondeType {
        let type = SondeType(name: name.uppercased())
        guard type.tuneCode != nil else {
            throw CommandRefusal(.outOfRange, "type \"\(shortened(name))\" is not one of \(typeNames)")
        }
        return type
    }

    private static let typeNames = SondeType.tunable.map(\.name).joined(separator: ", ")

    private func bool(_ key: String, _ value: JSONValue) throws(CommandRefusal) -> Bool {
        guard case .bool(let flag) = value else { throw .wrongType(key, "true or false") }
        return flag
    }

    private func frequencyOffset(_ value: JSONValue) throws(CommandRefusal) -> UserCommand {
        let accepted = "{\"save\":true} or {\"offset_hz\":-10000…10000}"
        guard case .object(let members) = value, members.count == 1 else { throw .wrongType("tune", accepted) }
        if members["save"] == .bool(true) { return .saveFrequencyOffset }
        guard case .integer(let hertz) = members["offset_hz"] else { throw .wrongType("tune", accepted) }
        guard -10_000...10_000 ~= hertz else {
            throw CommandRefusal(.outOfRange, "offset_hz \(hertz) is outside -10000 to 10000")
        }
        return .setFrequencyOffset(Int(hertz))
    }

    private func landingPoint(_ value: JSONValue) throws(CommandRefusal) -> UserCommand {
        let accepted = "{\"latitude\":-90…90,\"longitude\":-180…180}"
        guard case .object(let members) = value, Set(members.keys) == ["latitude", "longitude"],
            let latitude = members["latitude"]?.asDouble, let longitude = members["longitude"]?.asDouble
        else { throw .wrongType("landing_point", accepted) }
        guard abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw CommandRefusal(.outOfRange, "landing_point must be \(accepted)")
        }
        return .landingPoint(latitude: latitude, longitude: longitude)
    }

    private func settings(_ value: JSONValue) throws(CommandRefusal) -> [SettingChange] {
        guard case .object(let members) = value, !members.isEmpty else {
            throw .wrongType("settings", "an object of receiver settings, for example {\"rs41.rxbw\":4}")
        }
        var changes: [SettingChange] = []
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            changes.append(try change(key, value))
        }
        let numbers = Dictionary(changes.map { ($0.setting, $0.value) }, uniquingKeysWith: { first, _ in first })
        if case .integer(let low) = numbers[.batteryMinimum], case .integer(let high) = numbers[.batteryMaximum],
            high <= low
        {
            throw CommandRefusal(.outOfRange, "vBatMax \(high) must be above vBatMin \(low)")
        }
        return changes
    }

    private func change(_ key: String, _ value: JSONValue) throws(CommandRefusal) -> SettingChange {
        guard let setting = ReceiverSetting(rawValue: key) else {
            let known = ReceiverSetting.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandRefusal(.unknownKey, "unknown setting \"\(Self.shortened(key))\"; accepted: \(known)")
        }
        let wanted: ReceiverSettingValue
        switch value {
        case .integer(let number) where setting.range != nil: wanted = .integer(Int(number))
        case .string(let text) where setting.range == nil: wanted = .text(text)
        case .null, .bool, .integer, .number, .string, .array, .object: throw .wrongType(key, setting.accepted)
        }
        guard let change = SettingChange(setting, wanted) else {
            throw CommandRefusal(.outOfRange, "\(key) must be \(setting.accepted)")
        }
        guard policy.allowsDangerousSettings || !setting.isDangerous(wanted) else {
            throw CommandRefusal(
                .dangerous, "\(key) can cut the gateway off; set receiver.allow_dangerous_settings to permit it")
        }
        return change
    }

    /// A user's own text in an error, kept short and printable.
    static func shortened(_ text: String) -> String {
        let clean = String(text.unicodeScalars.prefix(40).filter { $0.value >= 0x20 && $0.value != 0x7f })
        return clean.unicodeScalars.count < text.unicodeScalars.count ? clean + "…" : clean
    }
}

extension CommandRefusal {
    static func wrongType(_ key: String, _ accepted: String) -> CommandRefusal {
        CommandRefusal(.wrongType, "\(key) must be \(accepted)")
    }
}
