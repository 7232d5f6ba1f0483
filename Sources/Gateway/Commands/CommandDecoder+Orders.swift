import FlightMath
import GatewayReports
import ReceiverProtocol

// The allowed values of each verb.

extension CommandDecoder {
    func command(_ verb: Verb, _ members: [String: JSONValue]) throws(CommandRefusal) -> UserCommand {
        let value = members[verb.rawValue] ?? .null
        switch verb {
        case .frequency, .type:
            let frequency = try members["frequency"].map(frequencyMHz)
            let type = try members["type"].map(sondeType)
            return .receiver(.tune(frequencyMHz: frequency, sondeType: type))
        case .mute: return .receiver(.mute(try bool(verb, value)))
        case .settings: return .receiver(.settings(try settings(value)))
        case .tune: return .receiver(try frequencyOffset(value))
        case .acceptProposal:
            return try bool(verb, value) ? .receiver(.acceptProposal) : .gateway(.deferProposal)
        case .request: return try request(value)
        case .hunt: return .gateway(.hunt(try serial(value)))
        case .landingPoint: return .gateway(.landingPoint(try landingPoint(value)))
        case .predict:
            guard Vocabulary.truth(value) == true else { throw .wrongType("predict", accepts: "true") }
            return .gateway(.predict)
        case .route: return .gateway(.routeMode(try routeMode(value)))
        case .search: return .gateway(.search(try bool(verb, value)))
        case .recovery: return .gateway(.recovery(try recovery(value)))
        case .bearing: return .gateway(.bearing(try bearing(value)))
        case .options: return .gateway(.options(try options(value)))
        case .logLevel: return .gateway(.logLevel(try logLevel(value)))
        case .forget:
            switch Vocabulary.word(value) {
            case "homeassistant"?: return .gateway(.forgetHomeAssistant)
            case "lessons"?: return .gateway(.forgetLessons)
            case nil, .some: throw .wrongType("forget", accepts: "\"homeassistant\" or \"lessons\"")
            }
        }
    }

    /// What `{"request":…}` asks for.
    static let requests: KeyValuePairs<String, UserCommand> = [
        "settings": .receiver(.requestSettings), "info": .gateway(.reportInfo), "status": .gateway(.reportStatus),
        "launches": .gateway(.reportLaunches), "health": .gateway(.reportHealth),
    ]

    private func request(_ value: JSONValue) throws(CommandRefusal) -> UserCommand {
        let word = Vocabulary.word(value)
        guard let request = Self.requests.first(where: { $0.key == word }) else {
            let names = Self.requests.map { "\"\($0.key)\"" }
            throw .wrongType("request", accepts: names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")")
        }
        return request.value
    }

    private func routeMode(_ value: JSONValue) throws(CommandRefusal) -> RouteMode {
        let accepted = "{\"mode\":\"car\"} or {\"mode\":\"bike\"}"
        var word = value
        if case .object(let members) = value, members.count == 1, let mode = members["mode"] { word = mode }
        guard case .string(let name) = word else { throw .wrongType("route", accepts: accepted) }
        guard let mode = RouteMode(rawValue: name.lowercased()) else {
            throw CommandRefusal(.outOfRange, "mode \"\(Self.shortened(name))\" is unknown; route takes \(accepted)")
        }
        return mode
    }

    private func logLevel(_ value: JSONValue) throws(CommandRefusal) -> GatewayNote.Level {
        guard let level = Vocabulary.word(value).flatMap(GatewayNote.Level.init) else {
            throw .wrongType(
                "log_level", accepts: "one of \(GatewayNote.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return level
    }

    private func recovery(_ value: JSONValue) throws(CommandRefusal) -> RecoveryOrder? {
        if Vocabulary.isNone(value) { return nil }
        let order: JSONValue = if case .string = value { .object(["state": value]) } else { value }
        let states = RecoveryState.allCases.map(\.rawValue).joined(separator: ", ")
        let accepted = "{\"state\":\"…\",\"note\":\"…\",\"serial\":null} with a state of \(states), or null"
        guard case .object(let members) = order, members.keys.allSatisfy({ ["state", "note", "serial"].contains($0) }),
            case .string(let word)? = members["state"]
        else { throw .wrongType("recovery", accepts: accepted) }
        guard let state = Vocabulary.word(members["state"]).flatMap(RecoveryState.init) else {
            throw CommandRefusal(.outOfRange, "state \"\(Self.shortened(word))\" is not one of \(states)")
        }
        let note: String
        switch members["note"] {
        case .string(let text): note = text
        case nil, .null: note = ""
        case .bool, .integer, .number, .digits, .array, .object: throw .wrongType("note", accepts: "a text")
        }
        guard note.utf8.count <= Recovery.longestNote else {
            throw CommandRefusal(.outOfRange, "note has more than \(Recovery.longestNote) bytes")
        }
        guard state != .planned || !note.allSatisfy(\.isWhitespace) else {
            throw CommandRefusal(.outOfRange, "a planned recovery needs a note, for example who drives and when")
        }
        return RecoveryOrder(state: state, note: note, serial: try serial(members["serial"] ?? .null, of: "serial"))
    }

    private func serial(_ value: JSONValue, of key: String = "hunt") throws(CommandRefusal) -> SondeSerial? {
        let text: String
        switch value {
        case .null, .bool(false): return nil
        case .string(let name): text = name
        case .integer(let number): text = String(number)
        case .bool(true), .number, .digits, .array, .object: text = ""
        }
        guard let serial = SondeSerial(typed: text) else {
            throw .wrongType(key, accepts: "\(SondeSerial.accepted), or null")
        }
        return serial
    }

    private func frequencyMHz(_ value: JSONValue) throws(CommandRefusal) -> Double {
        guard let number = Vocabulary.number(value) else {
            throw .wrongType("frequency", accepts: "a number in MHz, for example 404.2")
        }
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
        guard case .string(let name) = value else { throw .wrongType("type", accepts: Self.typeNames) }
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

    private func bool(_ verb: Verb, _ value: JSONValue) throws(CommandRefusal) -> Bool {
        guard let flag = Vocabulary.truth(value) else { throw .wrongType(verb.rawValue, accepts: "true or false") }
        return flag
    }

    private func frequencyOffset(_ value: JSONValue) throws(CommandRefusal) -> ReceiverOrder {
        let accepted = "{\"save\":true} or {\"offset_hz\":-10000…10000}"
        guard case .object(let named) = value, named.count == 1 else { throw .wrongType("tune", accepts: accepted) }
        let members = try Vocabulary.renamed(named, by: Vocabulary.offset)
        if let save = members["save"], Vocabulary.truth(save) == true { return .saveFrequencyOffset }
        guard let hertz = members["offset_hz"].flatMap(Vocabulary.wholeNumber) else {
            throw .wrongType("tune", accepts: accepted)
        }
        guard -10_000...10_000 ~= hertz else {
            throw CommandRefusal(.outOfRange, "offset_hz \(hertz) is outside -10000 to 10000")
        }
        return .setFrequencyOffset(hertz)
    }

    private func landingPoint(_ value: JSONValue) throws(CommandRefusal) -> Coordinate? {
        Vocabulary.isNone(value) ? nil : try place(value, of: "landing_point", orElse: ", or null")
    }

    /// A place: an object, a text with coordinates, or a map's link.
    /// - Parameter also: what else the key takes, for the refusal.
    func place(_ value: JSONValue, of key: String, orElse also: String = "") throws(CommandRefusal) -> Coordinate {
        let accepted =
            "{\"latitude\":-90…90,\"longitude\":-180…180}, a text like \"47.1,8.2\", a map's link" + also
        if case .string(let text) = value {
            guard let place = PlaceText.place(in: text) else {
                let start = Self.shortened(text)
                throw CommandRefusal(.outOfRange, "\"\(start)\" names no place; \(key) takes \(accepted)")
            }
            return place
        }
        guard case .object(let named) = value else { throw .wrongType(key, accepts: accepted) }
        let members = try Vocabulary.renamed(named, by: Vocabulary.place)
        guard Set(members.keys).subtracting(Vocabulary.besidesPlace) == ["latitude", "longitude"],
            let latitude = members["latitude"].flatMap(Vocabulary.number),
            let longitude = members["longitude"].flatMap(Vocabulary.number)
        else { throw .wrongType(key, accepts: accepted) }
        guard abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw CommandRefusal(.outOfRange, "\(key) must be \(accepted)")
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private func settings(_ value: JSONValue) throws(CommandRefusal) -> [SettingChange] {
        guard case .object(let members) = value, !members.isEmpty else {
            throw .wrongType("settings", accepts: "an object of receiver settings, for example {\"rs41.rxbw\":4}")
        }
        var changes: [SettingChange] = []
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let next = try change(key, value)
            guard !changes.contains(where: { $0.setting == next.setting }) else {
                throw CommandRefusal(.badJSON, "\"\(next.setting.key)\" stands twice, by two names; send it once")
            }
            changes.append(next)
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
        if let setting = ReceiverSetting.all.first(where: { $0.form == .bandwidth && "\($0.field)_khz" == key }) {
            return try change(setting, kilohertz: value, named: key)
        }
        guard let setting = ReceiverSetting(key: key) ?? ReceiverSetting.all.first(where: { $0.field == key }) else {
            let known = ReceiverSetting.all.map(\.key).joined(separator: ", ")
            let names = ReceiverSetting.all.flatMap { [$0.key, $0.field] }
            let guess =
                Verb(rawValue: key) == nil
                ? Vocabulary.suggestion(for: key, among: Set(names)) : "; did you mean {\"\(key)\":…} without settings?"
            throw CommandRefusal(.unknownKey, "unknown setting \"\(Self.shortened(key))\"\(guess); accepted: \(known)")
        }
        let wanted: ReceiverSettingValue
        if setting.range == nil {
            guard case .string(let text) = value else { throw .wrongType(key, accepts: setting.accepted) }
            wanted = .text(text.uppercased())
        } else {
            let flag = setting.form == .flag ? Vocabulary.truth(value).map { $0 ? 1 : 0 } : nil
            guard let number = flag ?? Vocabulary.wholeNumber(value) else {
                throw .wrongType(key, accepts: setting.accepted)
            }
            wanted = .integer(number)
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
    private func change(
        _ setting: ReceiverSetting, kilohertz value: JSONValue, named key: String
    ) throws(CommandRefusal) -> SettingChange {
        let bandwidths = ReceiverSetting.bandwidthsKHz
        guard let wanted = Vocabulary.number(value), let index = bandwidths.firstIndex(of: wanted),
            let change = SettingChange(setting, .integer(index))
        else {
            throw .wrongType(key, accepts: "one of " + bandwidths.map { "\($0)" }.joined(separator: ", "))
        }
        return change
    }
}
