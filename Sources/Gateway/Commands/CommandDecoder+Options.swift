import GatewayReports

// The options of `{"options":{…}}`, one or several at once.

extension CommandDecoder {
    static let optionNames =
        (["frequency_sync", "language", "site"] + PredictionChoice.allCases.map(\.rawValue))
        .sorted()

    func options(_ value: JSONValue) throws(CommandRefusal) -> [GatewayOption] {
        guard case .object(let options) = value, !options.isEmpty else {
            throw .wrongType("options", accepts: "an object of options, for example {\"frequency_sync\":\"auto\"}")
        }
        var read: [GatewayOption] = []
        for (name, value) in options.sorted(by: { $0.key < $1.key }) { read.append(try option(name, value)) }
        return read
    }

    private func option(_ name: String, _ value: JSONValue) throws(CommandRefusal) -> GatewayOption {
        if let choice = PredictionChoice(rawValue: name) { return .prediction(choice, try number(choice, value)) }
        switch name {
        case "language":
            let names = Language.allCases.map(\.rawValue)
            return .language(try word(name, value, of: names).flatMap(Language.init(rawValue:)))
        case "frequency_sync":
            let names = FrequencySyncPolicy.allCases.map(\.rawValue)
            return .frequencySync(try word(name, value, of: names).flatMap(FrequencySyncPolicy.init))
        case "site": return .site(try site(value))
        default:
            let guess = Vocabulary.suggestion(for: name, among: Self.optionNames)
            let known = Self.optionNames.joined(separator: ", ")
            throw CommandRefusal(
                .unknownKey, "unknown option \"\(Self.shortened(name))\"\(guess); accepted: \(known)")
        }
    }

    /// One of several words; nil for null.
    private func word(_ option: String, _ value: JSONValue, of names: [String]) throws(CommandRefusal) -> String? {
        if value == .null { return nil }
        let accepted = "\(names.joined(separator: ", ")), or null for the configuration's"
        guard case .string(let word) = value else { throw .wrongType(option, accepts: "one of \(accepted)") }
        guard let name = names.first(where: { $0 == word.lowercased() }) else {
            throw CommandRefusal(.outOfRange, "\(option) \"\(Self.shortened(word))\" is not one of \(accepted)")
        }
        return name
    }

    private func site(_ value: JSONValue) throws(CommandRefusal) -> String? {
        if value == .null { return nil }
        guard case .string(let number) = value, SondeHubOptions.isSite(number) else {
            throw .wrongType(
                "site", accepts: "SondeHub's number of the station as a text, for example \"10393\", or null")
        }
        return number
    }

    private func number(_ choice: PredictionChoice, _ value: JSONValue) throws(CommandRefusal) -> Double? {
        if value == .null { return nil }
        guard let number = Vocabulary.number(value) else {
            throw .wrongType(choice.rawValue, accepts: "a number of \(choice.unit), or null")
        }
        guard choice.range.contains(number) else {
            let (low, high) = (choice.range.lowerBound, choice.range.upperBound)
            throw CommandRefusal(.outOfRange, "\(choice.rawValue) \(number) is outside \(low) to \(high)")
        }
        return number
    }
}
