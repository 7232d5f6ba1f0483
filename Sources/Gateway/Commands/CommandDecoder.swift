public import FlightMath
public import GatewayReports
import ReceiverProtocol

/// Reads the JSON commands of `<p>/command` and the plain values of the `…/set` topics.
///
/// It refuses every command that it does not understand completely: unknown keys, wrong types, two verbs in one object,
/// values out of range, and commands on the wrong topic.
public struct CommandDecoder: Sendable {
    /// A decoded body: its `id`, time and verb, if they could be read, and the command or its refusal.
    public struct Decoded: Equatable, Sendable {
        /// A string or a number, echoed in every answer.
        public var id: JSONValue?
        /// When it was sent, by the sender's clock.
        public var at: WallTime?
        /// The command's name.
        public var verb: String?
        public var command: Result<UserCommand, CommandRefusal>
    }

    /// The longest body, bytes.
    public static let maximumLength = 4096

    public var policy: CommandPolicy

    public init(policy: CommandPolicy) {
        self.policy = policy
    }

    /// - Parameter door: the kind of topic on which the body came.
    public func decode(_ body: [UInt8], door: CommandDoor = .any) -> Decoded {
        // Some editors begin a file with a byte order mark.
        let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
        if let scalar = scalar(of: door), body.first(where: { !Self.isSpace($0) }) != UInt8(ascii: "{") {
            return decode(body, verb: scalar.verb, read: scalar.read)
        }
        do throws(CommandRefusal) {
            return decode(try object(body), door: door)
        } catch {
            return Decoded(id: nil, verb: nil, command: .failure(error))
        }
    }

    private func decode(_ members: [String: JSONValue], door: CommandDoor) -> Decoded {
        var members = members
        let at: WallTime?
        do throws(CommandRefusal) {
            members = try Vocabulary.command(members)
            at = try members.removeValue(forKey: "at").map(Self.time)
        } catch {
            return Decoded(id: try? checkedID(members["id"]), verb: nil, command: .failure(error))
        }
        var decoded = decode(timeless: members, door: door)
        decoded.at = at
        return decoded
    }

    private static func time(_ value: JSONValue) throws(CommandRefusal) -> WallTime {
        guard case .string(let text) = value, let time = WallTime(iso8601: text) else {
            throw .wrongType("at", accepts: "the time of sending, such as \"2026-11-21T18:20:35.075Z\"")
        }
        return time
    }

    private func decode(timeless members: [String: JSONValue], door: CommandDoor) -> Decoded {
        var members = members
        // On this topic the verb may be missing.
        if door == .requestSettings, members.keys.allSatisfy({ $0 == "id" }) { members["request"] = "settings" }
        do throws(CommandRefusal) {
            let verb = try Self.verb(of: members)
            // Also check the companions: an access list may allow the frequency without the type, or the type without
            // the frequency.
            let foreign = ([verb] + verb.companions).first { members[$0.rawValue] != nil && !$0.passes(door) }
            if let foreign {
                throw CommandRefusal(.wrongTopic, "\"\(foreign.rawValue)\" is not for this topic; send it to command")
            }
            let command = try command(verb, members)
            guard door != .requestSettings || command == .receiver(.requestSettings) else {
                throw CommandRefusal(.wrongTopic, "this topic asks for the settings only; send it to command")
            }
            return Decoded(id: try checkedID(members["id"]), verb: verb.name, command: .success(command))
        } catch {
            let verb = try? Self.verb(of: members)
            return Decoded(id: try? checkedID(members["id"]), verb: verb?.name, command: .failure(error))
        }
    }

    private func decode(
        _ body: [UInt8], verb: Verb, read: (String) throws(CommandRefusal) -> ReceiverOrder
    ) -> Decoded {
        do throws(CommandRefusal) {
            guard body.count <= Self.maximumLength else { throw Self.tooLong(body.count) }
            guard let text = String(validating: body, as: UTF8.self) else {
                throw CommandRefusal(.wrongType, "the value is not UTF-8 text")
            }
            let order = try read(Self.unquoted(Self.trimmed(text)))
            return Decoded(id: nil, verb: verb.name, command: .success(.receiver(order)))
        } catch {
            return Decoded(id: nil, verb: verb.name, command: .failure(error))
        }
    }

    private func object(_ body: [UInt8]) throws(CommandRefusal) -> [String: JSONValue] {
        guard body.count <= Self.maximumLength else { throw Self.tooLong(body.count) }
        let value: JSONValue
        do throws(JSONReader.Fault) {
            value = try JSONReader.value(of: body)
        } catch {
            switch error {
            case .notJSON:
                throw CommandRefusal(
                    .badJSON,
                    Self.fault(of: body) + "; send one object, for example {\"mute\":true}" + Self.home(of: body))
            case .doubleKey(let key):
                throw CommandRefusal(.badJSON, "\"\(Self.shortened(key))\" stands twice in one object; send it once")
            }
        }
        guard case .object(let members) = value else {
            throw CommandRefusal(
                .notAnObject, "send one JSON object, for example {\"mute\":true}" + Self.home(of: body))
        }
        return members
    }

    /// What is wrong with a text that is no JSON. Shells and word processors put other quotes.
    private static func fault(of body: [UInt8]) -> String {
        let text = String(decoding: body, as: UTF8.self)
        let hasOtherQuotes = !text.contains("\"") && text.contains { "'‘’‚“”„«»".contains($0) }
        return hasOtherQuotes ? "not valid JSON, which has double quotes" : "not valid JSON"
    }

    /// The topic and the object for a plain value of a dashboard; empty if the body is none.
    private static func home(of body: [UInt8]) -> String {
        let text = unquoted(trimmed(String(decoding: body.prefix(40), as: UTF8.self)))
        func hint(_ topic: String, _ object: String) -> String {
            "; the plain value is for the topic \(topic), here it is \(object)"
        }
        if let isOn = Vocabulary.truth(text) { return hint("mute/set", "{\"mute\":\(isOn)}") }
        if PlainDecimal.parse(Array(text.utf8).span) != nil { return hint("frequency/set", "{\"frequency\":\(text)}") }
        let type = SondeType(name: text.uppercased())
        return type.tuneCode == nil ? "" : hint("sonde_type/set", "{\"type\":\"\(type.name)\"}")
    }

    private static func tooLong(_ count: Int) -> CommandRefusal {
        CommandRefusal(.tooLong, "\(count) bytes; a command has at most \(maximumLength)")
    }

    private func checkedID(_ id: JSONValue?) throws(CommandRefusal) -> JSONValue? {
        switch id {
        case nil, .string, .integer, .number, .digits: return id
        case .null, .bool, .array, .object:
            throw CommandRefusal(.wrongType, "id must be a string or a number")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Some dashboards send their values as JSON strings.
    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return trimmed(String(text.dropFirst().dropLast()))
    }

    /// - Throws: if there is no verb, if there are two, or if a key is unknown.
    private static func verb(of members: [String: JSONValue]) throws(CommandRefusal) -> Verb {
        let keys = members.keys.filter { $0 != "id" }.sorted()
        if let unknown = keys.first(where: { Verb(rawValue: $0) == nil }) {
            let known = Verb.allCases.map(\.rawValue).sorted().joined(separator: ", ")
            let home = Vocabulary.home(of: unknown)
            let guess =
                home.isEmpty
                ? Vocabulary.suggestion(for: unknown, among: Verb.allCases.map(\.rawValue) + ["id", "at"]) : home
            throw CommandRefusal(
                .unknownKey, "unknown key \"\(shortened(unknown))\"\(guess); accepted: id, at, \(known)")
        }
        let verbs = keys.compactMap(Verb.init)
        guard let verb = verbs.first else {
            throw CommandRefusal(.noVerb, "no command in the object; for example {\"mute\":true}")
        }
        if let second = verbs.dropFirst().first(where: { !verb.companions.contains($0) }) {
            throw CommandRefusal(
                .twoVerbs, "\"\(verb.rawValue)\" and \"\(second.rawValue)\" are two commands; send two messages")
        }
        return verb
    }

    /// A user's text for an error message, short and printable.
    public static func shortened(_ text: String) -> String {
        let clean = String(text.unicodeScalars.prefix(40).filter { $0.value >= 0x20 && $0.value != 0x7f })
        return clean.unicodeScalars.count < text.unicodeScalars.count ? clean + "…" : clean
    }
}
