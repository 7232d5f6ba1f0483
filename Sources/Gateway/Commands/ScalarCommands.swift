import GatewayReports
import ReceiverProtocol

// The plain values of the dashboards' topics: `404.2`, `RS41`, `ON`.

extension CommandDecoder {
    /// Reads a plain value on this kind of topic; nil if the topic accepts only JSON.
    func scalar(
        of door: CommandDoor
    ) -> (verb: Verb, read: (String) throws(CommandRefusal) -> ReceiverOrder)? {
        switch door {
        case .any: nil
        case .frequency: (.frequency, frequency)
        case .sondeType: (.type, sondeType)
        case .mute: (.mute, mute)
        case .requestSettings: (.request, { (_: String) in .requestSettings })
        }
    }

    private func frequency(_ text: String) throws(CommandRefusal) -> ReceiverOrder {
        let bytes = Array(text.utf8)
        guard let megahertz = PlainDecimal.parse(bytes.span) else {
            throw .wrongType("frequency", accepts: "a plain number in MHz, for example 404.2")
        }
        return .tune(frequencyMHz: try checkedFrequency(megahertz), sondeType: nil)
    }

    private func sondeType(_ text: String) throws(CommandRefusal) -> ReceiverOrder {
        .tune(frequencyMHz: nil, sondeType: try Self.sondeType(named: text))
    }

    private func mute(_ text: String) throws(CommandRefusal) -> ReceiverOrder {
        guard let isOn = Vocabulary.truth(text) else {
            throw .wrongType("mute", accepts: "ON, OFF, 1, 0, true or false")
        }
        return .mute(isOn)
    }
}
