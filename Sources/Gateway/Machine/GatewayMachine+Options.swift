import GatewayReports

// Options that commands change at run time.

extension GatewayMachine {
    /// Changes all options, or none if one of them is refused.
    /// - Returns: the answer's field `applied`.
    mutating func change(
        _ options: [GatewayOption], _ turn: inout Turn
    ) throws(CommandRefusal) -> [String: JSONValue] {
        for option in options {
            switch option {
            case .frequencySync: try requireSondeHub("no frequency comes from there")
            case .site: try requireSondeHub("it knows the launch sites")
            case .prediction: try requirePrediction()
            case .language: break  // Always possible.
            }
        }
        var applied: [String: JSONValue] = [:]
        for option in options {
            let (name, value) = change(option, &turn)
            applied[name] = value
        }
        return applied
    }

    private mutating func change(_ option: GatewayOption, _ turn: inout Turn) -> (String, JSONValue) {
        switch option {
        case .frequencySync(let policy):
            tuning.sync.change(to: policy)
            turn.store(policy.map { StoredPolicy(policy: $0.rawValue) }, as: .frequencySync)
            return ("frequency_sync", .string(tuning.sync.policy.rawValue))
        case .language(let chosen):
            language.change(to: chosen)
            speak(&turn)
            turn.store(chosen.map { _ in language.stored }, as: .language)
            return ("language", .string(language.value.rawValue))
        case .site(let number):
            sondeHub.choose(site: number, &turn)
            return ("site", sondeHub.site.value.number.map { .string($0) } ?? .null)
        case .prediction(let choice, let value):
            kept.predictionParameters.chosen[choice] = value
            turn.store(value.map { StoredNumber(value: $0) }, as: choice.setting)
            sonde.predictNow()
            return (choice.rawValue, value.map { .number($0) } ?? .null)
        }
    }
}
